// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowerings of contractions share, for register tiles of a CPU
// (LowerProduct.cpp) and for blocks of a device (LowerProductBlocks.cpp).

#ifndef HEDDLE_COMPILER_LOWERING_PRODUCTLOWERING_H
#define HEDDLE_COMPILER_LOWERING_PRODUCTLOWERING_H

#include "compiler/Fusion/Contraction.h"
#include "compiler/Lowering/GenericBody.h"
#include "dialect/Heddle/StoredWeights.h"
#include "dialect/Heddle/SumOfProducts.h"

namespace heddle {

class ProductFuncs : protected GenericFuncs {
public:
  ProductFuncs(KernelBuilder &k, GenericOp op, const Contraction &contraction)
      : GenericFuncs(k, op), contraction(contraction),
        row(contraction.longestRow(op)) {}

  /// Row times column, at the variables of a tile of panels, which may be past
  /// the last, and those of the sum; and each of them.
  mlir::Value product(mlir::OpBuilder &b, mlir::ValueRange variables,
                      llvm::ArrayRef<mlir::Value> reduced);
  mlir::Value rowFactor(mlir::OpBuilder &b, mlir::ValueRange variables,
                        llvm::ArrayRef<mlir::Value> reduced);
  mlir::Value columnFactor(mlir::OpBuilder &b, mlir::ValueRange variables,
                           llvm::ArrayRef<mlir::Value> reduced);

protected:
  /// Tells the scheduler which variables of `func` make a tile.
  void describeTile(halide::FuncOp func);
  /// Whether two products of bf16, of columns that lie side by side, are added
  /// up at a time.
  bool addsPairs() const;
  /// The result of `op`, a product or a sum of those, which an instruction may
  /// add up in an order of its own if it does so.
  mlir::Value reordered(mlir::Operation *op) const;
  /// Tells it which of the `depth` terms that `func` adds up read the same of
  /// columns that are decoded.
  void describeDepth(halide::FuncOp func, int64_t depth);
  /// The elements of columns in memory.
  StoredWeight storedColumns();
  /// `point` with its place along `dimension` limited to the last, which those
  /// past it are read as, so that tiles are always whole.
  llvm::SmallVector<mlir::Value> limit(mlir::OpBuilder &b, unsigned dimension,
                                       llvm::ArrayRef<mlir::Value> point);
  /// The factor that has rows, at a point whose row may be past the last.
  mlir::Value readRow(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> point);
  /// The factor that has columns.
  mlir::Value readColumn(mlir::OpBuilder &b, GenericBodyEmitter::PointOf point);
  /// Whether the columns of the last panel are more than `input` has.
  bool hasPastLast(unsigned input);
  /// A func of 0 that an update adds to, of f32 or that type.
  halide::FuncOp emitZero(llvm::StringRef name,
                          llvm::ArrayRef<llvm::StringRef> vars,
                          mlir::Type type = {});
  /// `place` of `func` += `term`, the end of an update.
  void emitAdd(mlir::OpBuilder &b, halide::FuncOp func, mlir::ValueRange place,
               mlir::Value term);
  /// The sum of all blocks of `block` terms, of each of which `blockSum` has
  /// what `add` adds to the value so far.
  halide::FuncOp
  addBlocks(halide::FuncOp blockSum, int64_t block,
            llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value old,
                                           mlir::ValueRange variables)>
                add);
  /// The result is `sum`, whatever the op begins with added to it.
  void emitResult(KernelBuilder::Body sum);

  Contraction contraction;
  std::optional<unsigned> row; ///< the dimension of a tile's rows
};

/// The depth of the blocks in which sums of `depth` terms are made, each of at
/// most `deepest`; none where one sum of them all is as good.
std::optional<int64_t> chooseBlockDepth(int64_t deepest, int64_t depth);

/// Where columns lie in groups of terms that are added up as integers, or are
/// the offsets of such: otherwise false.
bool lowerIntegerProduct(KernelBuilder &k, GenericOp op,
                         const Contraction &contraction);

/// For the blocks of a device.
void lowerProductBlocks(KernelBuilder &k, GenericOp op,
                        const Contraction &contraction);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_PRODUCTLOWERING_H

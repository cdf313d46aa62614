// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a heddle.generic at a point that a func computes.

#ifndef HEDDLE_COMPILER_LOWERING_GENERICBODY_H
#define HEDDLE_COMPILER_LOWERING_GENERICBODY_H

#include "compiler/Lowering/KernelBuilder.h"

#include "mlir/IR/IRMapping.h"

namespace heddle {

class GenericBodyEmitter {
public:
  GenericBodyEmitter(KernelBuilder &k, GenericOp op) : k(k), op(op) {}

  /// What the body yields at `point`, a coordinate for each dimension of the
  /// op. Accumulators may be null: what depends on them is undefined then.
  llvm::SmallVector<mlir::Value>
  emit(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> point,
       llvm::ArrayRef<mlir::Value> accumulators = {});

  /// The point at which an input is read.
  using PointOf =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(unsigned input)>;
  /// `value` of the body, which decoding makes of inputs (SumOfProducts.h).
  mlir::Value emitDecoded(mlir::OpBuilder &b, mlir::Value value,
                          PointOf pointOf);

  /// Input `index` where it is read at `point`.
  mlir::Value emitInput(mlir::OpBuilder &b, unsigned index,
                        llvm::ArrayRef<mlir::Value> point);

private:
  mlir::Value emitAffine(mlir::OpBuilder &b, mlir::AffineExpr expression,
                         const Sizes &symbols,
                         llvm::ArrayRef<mlir::Value> point);
  mlir::Value emitRead(mlir::OpBuilder &b, ReadOp read,
                       llvm::ArrayRef<mlir::Value> point,
                       const mlir::IRMapping &mapping);
  /// A coordinate that does not wrap around; `value` is the one of the body.
  mlir::Value emitCoordinate(mlir::OpBuilder &b, SizeAttr coordinate,
                             mlir::Value value,
                             llvm::ArrayRef<mlir::Value> point);
  mlir::Value emitQuotient(mlir::OpBuilder &b, mlir::Operation *op,
                           const mlir::IRMapping &mapping);

  KernelBuilder &k;
  GenericOp op;
};

/// What the lowerings of a heddle.generic share: funcs over the dimensions of
/// its results, whose variables are named d0, d1, ... and stand innermost
/// first.
class GenericFuncs {
protected:
  GenericFuncs(KernelBuilder &k, GenericOp op);

  static std::string variable(unsigned dimension) {
    return "d" + std::to_string(dimension);
  }
  llvm::SmallVector<llvm::StringRef> names() const {
    return {vars.begin(), vars.end()};
  }
  SizeAttr reducedSize(unsigned dim) {
    return llvm::cast<SizeAttr>(op.getReduce()[dim]);
  }
  /// Tells the scheduler the sizes of a func over the dimensions of the result.
  void describe(halide::FuncOp func);
  /// `func` holds `result`.
  void setField(mlir::Value result, halide::FuncOp func);
  /// The dimensions of a point, outermost first as the op counts them, of the
  /// variables of a func and those of its reduction domain.
  llvm::SmallVector<mlir::Value>
  pointOf(mlir::ValueRange variables,
          llvm::ArrayRef<mlir::Value> reduced) const;

  KernelBuilder &k;
  GenericOp op;
  GenericBodyEmitter body;
  mlir::Location loc;
  unsigned rank, count; ///< of `over`, and of `reduce`
  llvm::SmallVector<std::string> vars;
  llvm::SmallVector<std::string> reductionVars; ///< of dimension 0, 1, ...
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_GENERICBODY_H

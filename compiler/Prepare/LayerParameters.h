// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of a layer, by name: "encoder.layers.0" and "norm1.weight" are
// heddle.weight @"encoder.layers.0.norm1.weight".

#ifndef HEDDLE_COMPILER_PREPARE_LAYERPARAMETERS_H
#define HEDDLE_COMPILER_PREPARE_LAYERPARAMETERS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Any size, in shapes that weights are expected to have.
inline constexpr int64_t kAny = mlir::ShapedType::kDynamic;

inline int64_t channels(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape().back();
}

inline int64_t rows(WeightOp weight) {
  return weight.getTensorType().getDimSize(0);
}

/// `prefix.name`, or `name` where the prefix is empty.
std::string joinNames(llvm::StringRef prefix, const llvm::Twine &name);

/// What one op takes of a module's weights. Everything that it takes is
/// remembered, so that what nobody takes can be reported.
class LayerParameters {
public:
  /// Creates references with `builder`, and reports errors at `op`.
  LayerParameters(mlir::Operation *op, mlir::SymbolTable &symbols,
                  mlir::OpBuilder &builder)
      : op(op), symbols(symbols), b(builder) {}

  /// Whether there is a weight of this name.
  bool has(llvm::StringRef name) const {
    return symbols.lookup<WeightOp>(name) != nullptr;
  }
  /// Takes the weight of this name. Reports that there is none, or that it has
  /// not this shape, of which kDynamic is any size.
  mlir::FailureOr<WeightOp> take(llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> shape);

  /// Takes a weight and refers to it.
  mlir::FailureOr<mlir::Value> get(llvm::StringRef name,
                                   llvm::ArrayRef<int64_t> shape);
  /// The same, or null where there is no weight of this name.
  mlir::FailureOr<mlir::Value> getOptional(llvm::StringRef name,
                                           llvm::ArrayRef<int64_t> shape);
  /// Refers to rows `first` to `first + count - 1` of a weight.
  mlir::Value getRows(WeightOp weight, int64_t first, int64_t count);

  /// Reports a weight under `prefix` that has not been taken.
  mlir::LogicalResult checkAllTaken(llvm::StringRef prefix);

private:
  mlir::Operation *op;
  mlir::SymbolTable &symbols;
  mlir::OpBuilder &b;
  llvm::DenseSet<mlir::Operation *> taken;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_LAYERPARAMETERS_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of dynamic dimensions ("batch", "length", "capacity"). Functions and
// kernels carry them as the argument and result attribute `heddle.sizes`, which
// has one name for each `?` of the type; a cache has two, batch and capacity.

#ifndef HEDDLE_COMPILER_FUSION_SIZES_H
#define HEDDLE_COMPILER_FUSION_SIZES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle {

inline constexpr llvm::StringLiteral kSizesAttr = "heddle.sizes";
/// Marks kernel arguments and results that are buffers of the caller, which are
/// dense, where those in the workspace have padded rows.
inline constexpr llvm::StringLiteral kExternalAttr = "heddle.external";
/// Marks kernel arguments that are weights.
inline constexpr llvm::StringLiteral kWeightAttr = "heddle.weight";

/// The names of the dynamic dimensions of every value of a function.
class Sizes {
public:
  /// Follows the ops of `function` from the names of its arguments.
  static mlir::FailureOr<Sizes> of(mlir::FunctionOpInterface function);

  mlir::ArrayAttr lookup(mlir::Value value) const {
    return names.lookup(value);
  }

private:
  mlir::LogicalResult follow(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, mlir::ArrayAttr> names;
};

/// The product of all but the last dimension of `type`, as written in
/// halide.param: "batch*length"; "1" where all are 1.
std::string rowsOf(mlir::RankedTensorType type, mlir::ArrayAttr sizes);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_SIZES_H

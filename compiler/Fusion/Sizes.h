// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of dynamic dimensions, such as "batch" or "length". Functions and
// kernels carry them as the argument and result attribute `heddle.sizes`, which
// has one name for each `?` of the type; a cache has two, batch and capacity.
// Any names will do: what a size counts follows from where its name stands.

#ifndef HEDDLE_COMPILER_FUSION_SIZES_H
#define HEDDLE_COMPILER_FUSION_SIZES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

namespace heddle {

inline constexpr llvm::StringLiteral kSizesAttr = "heddle.sizes";
/// Marks kernel arguments and results that are buffers of the caller, which are
/// dense, where those in the workspace have padded rows.
inline constexpr llvm::StringLiteral kExternalAttr = "heddle.external";
/// Marks kernel arguments that are weights.
inline constexpr llvm::StringLiteral kWeightAttr = "heddle.weight";

/// Kernels count rows, extents and strides with 32 bits. What tiles and chunks
/// of keys add past the last one has to fit, too.
inline constexpr int64_t kLargestCount = INT32_MAX - 4095;

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
  mlir::LogicalResult check(mlir::Operation *op) const;
  mlir::LogicalResult checkMask(AttentionOp attention, mlir::Value mask) const;
  mlir::LogicalResult expectSame(mlir::Operation *op, llvm::StringRef what,
                                 mlir::Value a, unsigned dimA, mlir::Value b,
                                 unsigned dimB) const;
  mlir::Attribute dimension(mlir::Value value, unsigned dim) const;

  llvm::DenseMap<mlir::Value, mlir::ArrayAttr> names;
};

/// What sizes count, told by where their names stand in the arguments of a
/// function or kernel: tokens are [batch, length, channels], their ids [batch,
/// length], one row a sequence is [batch, channels].
enum class SizeRole { Other, Batch, Length, Capacity };

struct SizeRoles {
  static SizeRoles of(mlir::FunctionOpInterface function);

  SizeRole roleOf(llvm::StringRef size) const;

  llvm::StringSet<> batches;    ///< sequences
  llvm::StringSet<> lengths;    ///< tokens of a sequence
  llvm::StringSet<> capacities; ///< positions of a cache
};

/// The names and numbers that `size`, as written in halide.param, multiplies:
/// "batch", "4" and "length" of "batch*4*length/32".
llvm::SmallVector<llvm::StringRef> factorsOf(llvm::StringRef size);

/// The product of all but the last dimension of `type`, as written in
/// halide.param: "batch*length"; "1" where all are 1.
std::string rowsOf(mlir::RankedTensorType type, mlir::ArrayAttr sizes);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_SIZES_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an importer knows of a value of an ONNX graph.

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_GRAPHVALUE_H
#define HEDDLE_COMPILER_IMPORT_ONNX_GRAPHVALUE_H

#include "compiler/Import/TensorSource.h"
#include "dialect/Heddle/Sizes.h"

namespace heddle::onnx {

/// Integers, or truth values as 0 and 1, each of which is known as an
/// expression of sizes: graphs compute shapes with such tensors.
struct KnownIntegers {
  llvm::SmallVector<int64_t> shape;
  Sizes elements; ///< as many as the shape has, the last dimension fastest
  mlir::Type type;
};

/// More than these are tensors alone.
constexpr int64_t kMostKnown = 64;

/// A value, in one or more of these forms.
struct GraphValue {
  mlir::Value tensor;
  std::optional<KnownIntegers> integers = std::nullopt;
  /// An initializer, or the tensor of a Constant node.
  const TensorEntry *stored = nullptr;
};

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_GRAPHVALUE_H

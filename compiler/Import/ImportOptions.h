// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of all front ends.

#ifndef HEDDLE_COMPILER_IMPORT_IMPORTOPTIONS_H
#define HEDDLE_COMPILER_IMPORT_IMPORTOPTIONS_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The element type that matrices have in the compiled model.
enum class WeightType { Keep, F32, BF16, F16, Int8, Int4 };

/// Its name for --weight-type and --heddle-convert-weights.
inline llvm::StringLiteral weightTypeName(WeightType type) {
  constexpr llvm::StringLiteral names[] = {"stored", "f32",  "bf16",
                                           "f16",    "int8", "int4"};
  return names[int(type)];
}

/// Whether matrices become integers with scales.
inline bool isInteger(WeightType type) {
  return type == WeightType::Int8 || type == WeightType::Int4;
}

/// The arithmetic of the products of linear layers, where matrices allow it,
/// and beside bytes and bf16 that of attention, where the CPU does.
/// Auto is that of integers and of bf16 for the matrices that are those.
enum class Arithmetic { F32, BF16, Int16, Int8, Auto };

/// Its name for --arithmetic.
inline llvm::StringLiteral arithmeticName(Arithmetic arithmetic) {
  constexpr llvm::StringLiteral names[] = {"f32", "bf16", "int16", "int8",
                                           "auto"};
  return names[int(arithmetic)];
}

/// The elements of the caches of a model folder.
enum class CacheElement { F32, BF16, F16, Int8 };

/// Its name for --cache-type.
inline llvm::StringLiteral cacheElementName(CacheElement element) {
  constexpr llvm::StringLiteral names[] = {"f32", "bf16", "f16", "int8"};
  return names[int(element)];
}

struct ImportOptions {
  /// Of embeddings and linear layers. Norms and biases, whose size does not
  /// matter, always stay as stored. Matrices of integers, and those of MLIR
  /// text, are made of what is imported (--heddle-convert-weights).
  WeightType weightType = WeightType::Keep;
  /// The model's name; that of the folder where it is empty.
  std::string name;
  /// Folder or file of an MLIR text's weights. Where this is empty, those of
  /// model.mlir are in model.safetensors, if that is there.
  std::string checkpoint = {};
  /// Regular expressions of the names of weights that no matrix of integers is
  /// made of.
  std::vector<std::string> keep = {};
  /// Of integers: how many neighbours of a row have a scale, or 0 for a row.
  int64_t weightGroup = 0;
  /// Of layers whose matrices are integers or bf16.
  Arithmetic arithmetic = Arithmetic::F32;
  /// The error that Auto may make of the inputs of a product by rounding them
  /// (Prepare/InputErrors.h): that of 8 bits with a scale for 256 inputs.
  double largestInputError = 0.007;
  /// The elements of caches, f32 where this is empty. The text of an MLIR model
  /// says them itself, and takes none.
  std::optional<CacheElement> cacheElement = std::nullopt;
  /// Sizes of an ONNX file that are numbers in the compiled model, by name.
  std::map<std::string, int64_t> fixedSizes = {};
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_IMPORTOPTIONS_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle.generation` of a module: how its sequences are continued unless a
// program is told otherwise.

#ifndef HEDDLE_DIALECT_HEDDLE_GENERATIONDEFAULTS_H
#define HEDDLE_DIALECT_HEDDLE_GENERATIONDEFAULTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// On a module: the dictionary that GenerationDefaults is read from.
inline constexpr llvm::StringLiteral kGenerationAttr = "heddle.generation";

/// The fields of heddle_generation_defaults (runtime/heddle_abi.h) and its
/// rules, but for the ids that begin and end sequences, which `heddle.bos` and
/// `heddle.eos` have. In the attribute, a dictionary, each is left out where it
/// has the value below:
///
///   {temperature = 0.6 : f64, top_k = 50 : i64, early_stopping = true,
///    suppressed_ids = array<i64: 7, 8>}
struct GenerationDefaults {
  float temperature = 0, topP = 1, minP = 0, repetitionPenalty = 1;
  float lengthPenalty = 1;
  int64_t topK = 0, beams = 0, limit = 0, maximumLength = 0;
  bool earlyStopping = false;
  /// Of heddle_rules.
  bool renormalizes = false;
  int64_t minimumLength = 0, minimumNew = 0, uniqueRun = 0;
  std::optional<int64_t> forcedFirst, forcedLast; ///< ids
  llvm::SmallVector<int64_t> suppressedIds, suppressedFirst;

  /// The numbers that a field may be, in words, too.
  struct Range {
    float least, most;
    llvm::StringLiteral expected;
  };
  static const Range &rangeOf(float GenerationDefaults::*field);
  /// The most that a search has.
  static constexpr int64_t kMostBeams = 4096;

  /// Reports a field that there is not, one that is of another type or out of
  /// its range, and those that exclude each other.
  static mlir::FailureOr<GenerationDefaults>
  read(mlir::DictionaryAttr attribute,
       llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  /// Null where all fields have the values above.
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
};

/// Whether all elements can be ids of tokens.
bool areIds(mlir::DenseI64ArrayAttr attribute);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_GENERATIONDEFAULTS_H

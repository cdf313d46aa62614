// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a decoder's scores are for keys behind the query, whatever its tokens.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_LATERSCORES_H
#define HEDDLE_COMPILER_TEXTENTRIES_LATERSCORES_H

#include "compiler/TextEntries/SizeProbe.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>

namespace heddle {

/// The least and the largest that elements may be.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity(),
         high = std::numeric_limits<double>::infinity();
};

class LaterScores {
public:
  /// What follows from tokens lies within this, on both sides of 0, before a
  /// mask adds or puts anything else: products of trained layers are far below.
  static constexpr double kLargestScore = 1000;

  LaterScores(mlir::func::FuncOp function, DecoderSizes &sizes,
              const TokenArguments &arguments, const TensorSource *tensors);

  /// Bounds of [.., length, keys] elements for keys behind their query. What
  /// follows from sizes, and from `arguments`, is computed, for as many tokens
  /// as `sizes` says then.
  Bounds boundsOf(mlir::Value value);

private:
  Bounds find(mlir::Value value);
  Bounds compute(mlir::Value value);

  mlir::func::FuncOp function;
  DecoderSizes &sizes;
  const TokenArguments &arguments;
  const TensorSource *tensors;
  llvm::DenseSet<mlir::Value> data; ///< what follows from tokens
  llvm::DenseMap<mlir::Value, Bounds> known;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_LATERSCORES_H

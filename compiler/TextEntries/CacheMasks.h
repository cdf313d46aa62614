// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of attention to a cache.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_CACHEMASKS_H
#define HEDDLE_COMPILER_TEXTENTRIES_CACHEMASKS_H

#include "compiler/TextEntries/CausalScores.h"
#include "compiler/TextEntries/EntryBuilder.h"

#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Makes each query attend to the keys up to its own, of those that its
/// sequence has, whatever else its mask says. The graph's own mask is causal.
class CacheMasks : EntryBuilder {
public:
  CacheMasks(mlir::func::FuncOp function, const DecoderSizes &sizes,
             const TokenArguments &arguments)
      : EntryBuilder(function), sizes(sizes), arguments(arguments) {}

  /// An error names what attention there is otherwise, or the mask that cannot
  /// be one of a cache.
  llvm::Error add();

  /// Softmaxes and operators of attention that have such a mask now.
  const llvm::DenseSet<mlir::Operation *> &getMasked() const { return masked; }
  /// Whether values are added up outside of operators of attention.
  bool hasSoftmax() const { return isOfSoftmax; }

private:
  void mask(SoftmaxOp softmax);
  llvm::Error mask(AttentionOp attention);
  llvm::Expected<mlir::Value> forCache(mlir::Value mask);
  template <typename Op> bool alignToStarts(Op diagonal);

  const DecoderSizes &sizes;
  const TokenArguments &arguments;
  llvm::DenseSet<mlir::Operation *> masked;
  bool isOfSoftmax = false;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_CACHEMASKS_H

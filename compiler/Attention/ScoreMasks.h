// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_ATTENTION_SCOREMASKS_H
#define HEDDLE_COMPILER_ATTENTION_SCOREMASKS_H

#include "compiler/Attention/AttentionPattern.h"

namespace heddle {

/// What a body makes of a score, from its end on: conditions that make it -inf
/// are masks, and factors a scale, if nothing else is left, or if they are the
/// first of what is done to a score.
class ScoreMasks {
public:
  /// Builds the masks at `b`.
  ScoreMasks(const AttentionPattern &pattern, mlir::OpBuilder &b);

  mlir::Value mask() const { return found; }
  double scale() const { return p.scale * factor; }
  /// Whether a condition holds wherever the mask keeps a key: one that `op`
  /// computes, which is read at `at`, in the dimensions of E.
  bool implies(GenericOp op, const Sizes &at, mlir::Value condition);
  /// Whether something else than masks and factors is done to a score.
  bool needsRegion() const { return hasRest; }
  /// Makes a copy of the op yield what the masks are of, of scaled scores.
  void stripMasks(GenericOp copy);

private:
  bool isScore(mlir::Value value);
  /// A condition of E, or of what computes a condition for E: an op that is
  /// read at `at`, in the dimensions of E.
  struct Condition {
    GenericOp op;
    Sizes at;
    mlir::Value value;
  };
  std::pair<mlir::arith::SelectOp, Condition> selectionOf(mlir::Value value);
  /// What is left of `value` without one of its masks, which joins `mask`.
  mlir::Value peelMask(mlir::Value value, mlir::Value &mask);
  mlir::Value maskOf(const Condition &condition);
  mlir::Value countOf(const Condition &condition, mlir::Value value);
  std::pair<SizeAttr, mlir::Value> sumOf(const Condition &condition,
                                         mlir::Value value);
  mlir::Value compare(const Condition &condition, mlir::arith::CmpIOp op);
  mlir::Value causal(SizeAttr last);
  mlir::Value causalBehind(mlir::Value counts, SizeAttr plus);
  mlir::Value dense(const Condition &condition, unsigned input);
  /// What a mask reads of `tensor` at `at`, of dimensions of E: a tensor of
  /// those dimensions alone, which `at` says then. Null where no view can.
  mlir::Value partOf(mlir::Value tensor, Sizes &at);
  /// A coordinate of the condition's op in those of E.
  SizeAttr toChange(const Condition &condition, SizeAttr coordinate);
  std::optional<ScoreDim> scoreDim(unsigned dim) const;

  const AttentionPattern &p;
  GenericOp change;
  mlir::OpBuilder &b;
  mlir::Value rest;   ///< what the masks are of
  mlir::Value scaled; ///< of the region, a score multiplied by `factor`
  mlir::Value found;  ///< their conjunction
  double factor = 1;
  bool hasRest = false;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_ATTENTION_SCOREMASKS_H

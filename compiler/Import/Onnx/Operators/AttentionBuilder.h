// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operators of attention have in common.

#ifndef HEDDLE_COMPILER_IMPORT_ONNX_OPERATORS_ATTENTIONBUILDER_H
#define HEDDLE_COMPILER_IMPORT_ONNX_OPERATORS_ATTENTIONBUILDER_H

#include "compiler/Import/Onnx/Node.h"

#include <functional>

namespace heddle::onnx {

/// [batch, length, heads * channels] as [batch, heads, length, channels], which
/// it may be already.
mlir::Value splitHeads(Node &node, mlir::Value x, int64_t heads);

/// One after the other along `axis`.
mlir::Value concatenated(Node &node, mlir::ValueRange parts, int64_t axis);

/// Rows of a table of angles, those of some positions.
mlir::Value rowsOf(Node &node, mlir::Value table, mlir::Value positions);

/// The channels of so many heads turned by these angles; with four dimensions
/// the heads are the second. 0 channels `rotated` are all.
mlir::Value rotate(Node &node, mlir::Value x, mlir::Value cosines,
                   mlir::Value sines, int64_t heads, int64_t rotated,
                   bool interleaved);

/// An op of attention in the making: its operands, masks of which all have to
/// keep a key, and what happens to scores.
class AttentionBuilder {
public:
  /// Operands are [batch, length, heads * channels] or [batch, heads, length,
  /// channels].
  AttentionBuilder(Node &node, mlir::Value query, mlir::Value key,
                   mlir::Value value, int64_t heads, int64_t kvHeads);

  /// The sizes of the scores: [batch, heads, queries, keys].
  const Sizes &getSpace() const { return space; }
  mlir::FloatType computedType() const;

  std::optional<double> scale; ///< 1 / sqrt(channels) without one
  double softcap = 0;          ///< of scaled scores; 0 is none

  void require(mlir::Value mask);
  /// The first keys of each sequence.
  void requireLengths(mlir::Value lengths);
  /// The first query stands at key `offset` of its sequence, or behind `past`.
  void requireCausal(mlir::Value offset, SizeAttr past);
  /// The same, of which it sees the last `count` keys.
  void requireWindow(int64_t count, mlir::Value offset, SizeAttr past);
  /// A mask of truth values, whose dimensions are these of the scores.
  void requireWhere(mlir::Value truths, llvm::ArrayRef<ScoreDim> over);
  /// Scores, after they are capped, plus this, broadcast to all.
  void add(mlir::Value bias);
  /// What makes scores of scores, in place of a cap and a bias.
  std::function<mlir::Value(mlir::Value)> change;

  /// The op, with the output and another result, if one is asked for.
  AttentionOp create(std::optional<AttentionResult> more = std::nullopt);

private:
  AlignmentAttr alignment(mlir::Value offset);
  void addScores(mlir::Region &region);

  Node &node;
  mlir::Value query, key, value, mask, bias;
  int64_t heads, kvHeads;
  Sizes space;
};

} // namespace heddle::onnx

#endif // HEDDLE_COMPILER_IMPORT_ONNX_OPERATORS_ATTENTIONBUILDER_H

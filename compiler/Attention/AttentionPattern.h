// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention that is spelled out as heddle.generic ops, whatever their
// dimensions and their order:
//
//   S = sum_c Q K          scores
//   E = f(S, ...)          elementwise; it may be S
//   M = max_k E            P = exp(E - M)           T = sum_k P
//   W = P / T              weights
//   O = sum_k W V

#ifndef HEDDLE_COMPILER_ATTENTION_ATTENTIONPATTERN_H
#define HEDDLE_COMPILER_ATTENTION_ATTENTIONPATTERN_H

#include "dialect/Heddle/HeddleDialect.h"

#include <string>

namespace heddle {

struct AttentionPattern {
  GenericOp scores, change, weights, output; ///< S, E or null, W, O
  unsigned queryInput, keyInput;             ///< of S
  unsigned valueInput;                       ///< of O
  unsigned scoreInput = 0;                   ///< of E, if there is one

  // Dimensions of S.
  llvm::SmallVector<unsigned> batches;
  std::optional<unsigned> head;
  std::optional<unsigned> group; ///< of heads that share keys
  unsigned query, key, channel;
  /// How many neighbours among heads share keys, where coordinates divide them.
  int64_t sharing = 1;

  /// The dimension of W, and of E, that each dimension of S but the channel is.
  llvm::SmallVector<unsigned> inWeights;
  /// The same in O: of the key it is what O sums over.
  llvm::SmallVector<unsigned> inOutput;
  unsigned valueChannel; ///< of O

  /// What S is multiplied by where its operands are not: constants in its sum,
  /// and in what makes its queries and keys.
  double scale = 1;
  /// What makes an input of S, and what its body has without the constants in
  /// `scale`; null where there are none.
  struct ScaledInput {
    GenericOp producer;
    mlir::Value kept;
  };
  ScaledInput scaled[2];
  /// What an input of S is read from, without constants that are multiplied
  /// with it as it is, and where, in the dimensions of S.
  std::pair<mlir::Value, Sizes> readsOf(unsigned input);

  /// Before what the op can stand, so that it has its operands and comes before
  /// all that reads its results: O, or W where something reads that before, for
  /// which what makes the values may move. Null where it cannot.
  mlir::Operation *findPlace();

  /// Matches the pattern that ends in `output`. Where that has the weights of a
  /// softmax and something else keeps it from being attention, `reason` says
  /// what.
  static std::optional<AttentionPattern> of(GenericOp output,
                                            std::string &reason);

private:
  bool matchScores(mlir::Value changed, std::string &reason);
  bool classify(std::string &reason);
  bool matchOutput(std::string &reason);
  void findSharing();
  void findScales();
  unsigned softmaxDim; ///< of W
};

} // namespace heddle

#endif // HEDDLE_COMPILER_ATTENTION_ATTENTIONPATTERN_H

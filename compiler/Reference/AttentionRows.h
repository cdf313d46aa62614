// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores of attention, row by row: of one query of one head. With errors,
// if asked for: how far those of compiled code may be off.

#ifndef HEDDLE_COMPILER_REFERENCE_ATTENTIONROWS_H
#define HEDDLE_COMPILER_REFERENCE_ATTENTIONROWS_H

#include "compiler/Reference/Evaluate.h"

namespace heddle::reference {

/// A tensor as heads of tokens: [batch, length, heads * dimension], or [batch,
/// heads, length, dimension].
struct Heads {
  Heads(std::shared_ptr<const Tensor> tensor, int64_t heads);

  int64_t offset(int64_t b, int64_t token, int64_t head) const {
    return (isOutside ? (b * heads + head) * length + token
                      : (b * length + token) * heads + head) *
           dimension;
  }
  /// Head `head` of token `token` of sequence `b`.
  llvm::ArrayRef<double> of(int64_t b, int64_t token, int64_t head) const {
    return llvm::ArrayRef(tensor->data)
        .slice(offset(b, token, head), dimension);
  }

  std::shared_ptr<const Tensor> tensor;
  int64_t heads;
  bool isOutside;
  int64_t batch, length, dimension;
};

/// The score of a query and a key, or of a sink, and exp(score - maximum).
struct Score {
  double score, error, weight = 0;
};

/// A key that a query keeps.
struct KeptScore : Score {
  int64_t key;
};

struct AttentionRow {
  int64_t b, h, q;
  std::vector<KeptScore> scores; ///< of kept keys that are not -inf
  std::optional<Score> sink;
  double maximum, sum; ///< -inf and 0 without any score

  /// The largest error of a score, and how far sums of weights are off for
  /// their roundings, as a fraction of the sum.
  double scoreError() const;
  double sumError() const;
  /// The mean of the errors of scores, by their weights.
  double meanError() const;
};

class AttentionRows {
public:
  /// `errors` are those of operands; null where none are asked for.
  static llvm::Expected<AttentionRows> of(AttentionOp op,
                                          const Environment &values,
                                          const ErrorBounds *errors = nullptr);
  /// Those of the attention that is a part of `op`. `mask` may be null.
  static llvm::Expected<AttentionRows> of(mlir::Operation *op, Heads query,
                                          Heads key, Heads value,
                                          const Mask *mask, double scale,
                                          bool hasErrors);

  const Heads &getQuery() const { return query; }
  const Heads &getKey() const { return key; }
  const Heads &getValue() const { return value; }
  /// The head of keys and values that head `h` of the query reads.
  int64_t keyHead(int64_t h) const { return h / (query.heads / key.heads); }
  /// The number of a row among those of [batch, heads, queries].
  int64_t rowIndex(const AttentionRow &row) const {
    return (row.b * query.heads + row.h) * query.length + row.q;
  }

  /// The raw score of a pair and, if asked for, its error.
  Score rawScore(int64_t b, int64_t h, int64_t q, int64_t k) const;
  Score scaledScore(int64_t b, int64_t h, int64_t q, int64_t k) const;
  Score changedScore(int64_t b, int64_t h, int64_t q, int64_t k) const;

  AttentionRow compute(int64_t b, int64_t h, int64_t q) const;
  /// Calls `visit` with every row, several at a time.
  void forEach(llvm::function_ref<void(const AttentionRow &)> visit) const;

private:
  AttentionRows(Heads query, Heads key, Heads value, const Mask *mask,
                double scale)
      : query(std::move(query)), key(std::move(key)), value(std::move(value)),
        mask(mask), scale(scale) {}
  llvm::Error check(mlir::Operation *attention) const;
  /// Runs the score region on all scores.
  llvm::Error change(AttentionOp op, const Environment &values,
                     const ErrorBounds *errors);

  Heads query, key, value;
  const Mask *mask;
  std::shared_ptr<const Tensor> sinks;
  double scale;
  bool hasErrors = false;
  std::shared_ptr<const Tensor> changed; ///< [batch, heads, queries, keys]
  Bounds changedErrors;
};

/// The results of all rows, each as a tensor of attention's shape.
std::vector<Tensor> computeResults(const AttentionRows &rows,
                                   llvm::ArrayRef<AttentionResult> wanted);
/// How far they may be off, where rows have errors.
llvm::SmallVector<Bounds> boundResults(const AttentionRows &rows,
                                       llvm::ArrayRef<AttentionResult> wanted);

/// How far the weight exp(k) / sum_j exp(j) of `k` can be off, for errors of
/// any size: to where all others have moved the other way, at most.
double weightError(const AttentionRow &row, const Score &k);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_ATTENTIONROWS_H

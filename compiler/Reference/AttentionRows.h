// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores of attention, row by row: of one query of one head. With errors,
// if asked for: how far those of compiled code may be off.

#ifndef HEDDLE_COMPILER_REFERENCE_ATTENTIONROWS_H
#define HEDDLE_COMPILER_REFERENCE_ATTENTIONROWS_H

#include "compiler/Reference/Evaluate.h"

namespace heddle::reference {

/// Heads of tokens, whatever the order of a tensor's dimensions.
class Heads {
public:
  Heads(llvm::ArrayRef<int64_t> shape, const HeadLayout &layout, int64_t heads);

  /// The number of the element that is channel `c` of head `head` of token
  /// `token` of sequence `b`.
  int64_t place(int64_t b, int64_t token, int64_t head, int64_t c) const;

  int64_t heads, batch = 1, length, dimension;

private:
  llvm::SmallVector<std::pair<int64_t, int64_t>> batches; ///< sizes and strides
  int64_t headStride, lengthStride, channelStride;
};

/// An operand. Its heads lie one after the other in `data`.
struct HeadsOfTokens : Heads {
  /// `errors` are those of the tensor's elements; none where it is exact.
  HeadsOfTokens(const Tensor &tensor, llvm::ArrayRef<double> errors,
                const HeadLayout &layout, int64_t heads);

  /// Multiplies elements by `factor`, in f32, and rounds them to bf16.
  void roundTimes(double factor);

  llvm::ArrayRef<double> of(int64_t b, int64_t token, int64_t head) const {
    return llvm::ArrayRef(data).slice(begin(b, token, head), dimension);
  }
  /// The error of channel `c`.
  double errorOf(int64_t b, int64_t token, int64_t head, int64_t c) const {
    return errors.empty() ? 0 : errors[begin(b, token, head) + c];
  }

  std::vector<double> data, errors;

private:
  int64_t begin(int64_t b, int64_t token, int64_t head) const {
    return ((b * length + token) * heads + head) * dimension;
  }
};

/// The score of a query and a key, or of a sink, and exp(score - maximum).
struct Score {
  double score, error, weight = 0;
};

/// A key that a query keeps.
struct KeptScore : Score {
  int64_t key;
  double factor = 1, factorError = 0;
};

/// Errors of a row, which come of those of its scores.
struct RowErrors {
  double score = 0;    ///< the largest of them
  double mean = 0;     ///< their mean, by the scores' weights
  double sum = 0;      ///< of sums of weights: their roundings, as a fraction
  double plainSum = 0; ///< of the sum of weights that are scores
};

struct AttentionRow {
  int64_t b, h, q;
  std::vector<KeptScore> scores; ///< of kept keys that are not -inf
  std::optional<Score> sink;
  double maximum, sum; ///< -inf and 0 without any score
  Normalization normalize;
  RowErrors errors = {};

  /// What attention has for a score's weight.
  double share(const KeptScore &score) const {
    return score.factor * plainShare(score);
  }
  /// The same without its factor.
  double plainShare(const Score &score) const {
    if (normalize == Normalization::None)
      return score.weight;
    return sum == 0 ? 0 : score.weight / sum;
  }
  /// Whether a score may be anything, and with it all weights.
  bool isAny() const { return isUnknown(errors.score); }
};

class AttentionRows {
public:
  /// `errors` are those of operands; null where none are asked for.
  static llvm::Expected<AttentionRows> of(AttentionOp op,
                                          const Environment &values,
                                          const ErrorBounds *errors = nullptr);

  const HeadsOfTokens &getQuery() const { return query; }
  const HeadsOfTokens &getKey() const { return key; }
  const HeadsOfTokens &getValue() const { return value; }
  /// The largest integer of values that a cache has as integers with scales,
  /// and 0 of others.
  double largestCode() const;
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

  /// Restricts rows to the keys of a split.
  void select(int64_t number) { split = number; }

  AttentionRow compute(int64_t b, int64_t h, int64_t q) const;
  /// Calls `visit` with every row, several at a time.
  void forEach(llvm::function_ref<void(const AttentionRow &)> visit) const;

private:
  AttentionRows(AttentionOp op, const Environment &values,
                const ErrorBounds *errors);
  llvm::Error check() const;
  /// Rounds operands to what products have for factors.
  void roundFactors();
  /// The sum of products of `queries` and the keys for a pair, whose error is
  /// that of one that is multiplied by `factor` later.
  Score sumOf(const HeadsOfTokens &queries, double factor, int64_t b, int64_t h,
              int64_t q, int64_t k) const;
  /// A tensor and, if asked for, its errors.
  struct Bounded {
    std::shared_ptr<const Tensor> tensor;
    Bounds errors;
  };
  /// What `region` makes of arguments of its own and of `operands`.
  llvm::Expected<Bounded> run(mlir::Region &region, llvm::ArrayRef<Bounded> own,
                              mlir::ValueRange operands,
                              const Environment &values,
                              const ErrorBounds *errors) const;
  /// Runs the term region on all channels of all pairs, and the score region on
  /// all scores.
  llvm::Error makeTerms(const Environment &values, const ErrorBounds *errors);
  llvm::Error change(const Environment &values, const ErrorBounds *errors);
  llvm::Error makeFactors(const Environment &values, const ErrorBounds *errors);
  int64_t placeOf(int64_t b, int64_t h, int64_t q, int64_t k) const {
    return ((b * query.heads + h) * query.length + q) * key.length + k;
  }

  AttentionOp op;
  HeadsOfTokens query, key, value;
  std::optional<HeadsOfTokens> scaledQuery; ///< where it is rounded so
  const Mask *mask;
  std::shared_ptr<const Tensor> sinks;
  double scale;
  bool hasErrors = false;
  int64_t split = 0;
  std::optional<Bounded> summed;  ///< terms, [batch, heads, queries, keys]
  std::optional<Bounded> changed; ///< scores, of the same shape
  std::optional<Bounded> factors; ///< of weights
};

/// How far the share of `k` can be off.
double shareError(const AttentionRow &row, const KeptScore &k);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_ATTENTIONROWS_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Texts as vectors.

#ifndef HEDDLE_TEXT_ENCODER_H
#define HEDDLE_TEXT_ENCODER_H

#include "runtime/text/EntryCall.h"
#include "runtime/text/Tokenizer.h"
#include "runtime/text/heddle_text.h"

#include <memory>

namespace heddle::text {

/// Runs texts through an entry point of token ids. One thread may use it at a
/// time.
class Encoder {
public:
  /// Finds the entry point that has `result`. The model and what belongs to it
  /// must outlive this.
  Encoder(const heddle_model &model, const heddle_weights *weights,
          const heddle_context *context, const Tokenizer &tokenizer,
          heddle_role result);

  /// Numbers of the result for each text, or each token of it.
  int64_t columns() const { return columnCount; }
  bool isOfTokens() const { return hasTokens; }

  /// `values` is [count, columns].
  void run(const heddle_text_pair *texts, size_t count, float *values);
  /// The ids of a text, and [ids, columns] of them.
  std::vector<int32_t> runTokens(const heddle_text_pair &text,
                                 std::vector<float> &values);

private:
  void findEntry(const heddle_model &model);
  bool takesTexts(const heddle_entry &candidate);
  /// Whether an output is the one that is wanted; sets its columns.
  bool isResult(const heddle_argument &argument);
  /// Fails where `number`, that of the text, has no token.
  Encoding encode(const heddle_text_pair &text, size_t number) const;
  void runBatch(const std::vector<const Encoding *> &batch);

  const Tokenizer &tokenizer;
  heddle_role wanted;

  const heddle_entry *entry = nullptr;
  // Numbers of arguments and symbols.
  uint32_t ids = 0, lengths = 0, types = HEDDLE_NO_ARGUMENT, result = 0;
  uint32_t batchSymbol = 0, lengthSymbol = 0;
  int64_t columnCount = 0;
  bool hasTokens = false; ///< the result is one of tokens

  std::unique_ptr<EntryCall> call;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_ENCODER_H

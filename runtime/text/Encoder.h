// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Texts as vectors: an encoder, its tokenizer, and the memory of calls.

#ifndef HEDDLE_TEXT_ENCODER_H
#define HEDDLE_TEXT_ENCODER_H

#include "runtime/text/Tokenizer.h"
#include "runtime/text/heddle_text.h"

#include <memory>

namespace heddle::text {

/// Frees what aligned_alloc has given.
struct FreeMemory {
  void operator()(void *memory) const;
};

/// Runs texts through an entry point of token ids. One thread may use it at a
/// time.
class Encoder {
public:
  /// Finds the entry point that has `result`. The model and what belongs to it
  /// must outlive this.
  Encoder(const heddle_model &model, const heddle_weights *weights,
          const heddle_context *context, const Tokenizer &tokenizer,
          heddle_role result);

  /// Numbers of the result for each text.
  int64_t columns() const { return columnCount; }

  /// `values` is [count, columns].
  void run(const heddle_text_pair *texts, size_t count, float *values);

private:
  using Memory = std::unique_ptr<char[], FreeMemory>;

  void findEntry(const heddle_model &model);
  bool takesTexts(const heddle_entry &candidate);
  void runBatch(const std::vector<const Encoding *> &batch);
  void *reserve(size_t buffer, size_t bytes);

  const heddle_model &model;
  const heddle_weights *weights;
  const heddle_context *context;
  const Tokenizer &tokenizer;
  heddle_role wanted;

  const heddle_entry *entry = nullptr;
  // Numbers of arguments and symbols.
  uint32_t ids = 0, lengths = 0, types = HEDDLE_NO_ARGUMENT, result = 0;
  uint32_t batchSymbol = 0, lengthSymbol = 0;
  int64_t columnCount = 0;

  /// For each argument, and the workspace behind them.
  std::vector<Memory> memory;
  std::vector<size_t> reserved;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_ENCODER_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model that continues sequences of token ids.

#ifndef HEDDLE_TOOLS_LANGUAGEMODEL_H
#define HEDDLE_TOOLS_LANGUAGEMODEL_H

#include "compiler/tools/heddle-run/EntryCall.h"

namespace heddle {

/// The entry points `prefill` and `decode` of an artifact (see heddle_decoder)
/// and their shared cache, for fixed sizes.
class LanguageModel {
public:
  struct Sizes {
    int64_t batch;
    int64_t length;   ///< of the prompts
    int64_t capacity; ///< positions in the cache, at most `positions()`
  };

  /// The largest capacity. An error where the artifact is no such model.
  static llvm::Expected<int64_t> positions(const Artifact &artifact);

  /// The arguments must outlive this.
  static llvm::Expected<LanguageModel> create(const Artifact &artifact,
                                              const heddle_weights &weights,
                                              heddle_threads &threads,
                                              Sizes sizes);

  /// One more than the largest id.
  int64_t vocabularySize() const;
  int64_t batch() const { return sizes.batch; }
  int64_t capacity() const { return sizes.capacity; }

  /// Starts all sequences anew with `ids` [batch, length].
  llvm::Error prefill(llvm::ArrayRef<int32_t> ids);
  /// Appends one of `ids` [batch] to each sequence.
  llvm::Error decode(llvm::ArrayRef<int32_t> ids);
  /// Makes sequence b what sequence parents[b] was, for all b.
  llvm::Error reorder(llvm::ArrayRef<int32_t> parents);
  /// What follows each sequence, after the last call: [batch, vocabulary].
  llvm::ArrayRef<float> logits() const;

  /// Observes the kernels of later calls; null for none.
  void observe(heddle_observer observer, void *data);
  /// Whether `pointer` is in memory of this object, and so not in the weights.
  bool contains(const void *pointer) const;
  /// Whether `pointer` is where a call finds its ids.
  bool isIds(const void *pointer) const;

private:
  struct Step : heddle_step {
    EntryCall call;
  };

  /// With the cache of `before`, if there is one.
  static llvm::Expected<Step> createStep(const Artifact &artifact,
                                         const heddle_step &step, Sizes sizes,
                                         const Step *before = nullptr);
  LanguageModel(Step prefillStep, Step decodeStep)
      : prefillStep(std::move(prefillStep)), decodeStep(std::move(decodeStep)) {
  }
  llvm::Error run(Step &step, llvm::ArrayRef<int32_t> ids, int64_t length);

  Step prefillStep;
  Step decodeStep;
  const heddle_weights *weights = nullptr;
  heddle_context context = {};
  Sizes sizes = {};
  /// Positions that are in the cache.
  int64_t filled = 0;
  /// Whether the last call was decode().
  bool hasDecoded = false;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_LANGUAGEMODEL_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Continues a prompt with a language model, id by id.

#ifndef HEDDLE_TOOLS_CONTINUATION_H
#define HEDDLE_TOOLS_CONTINUATION_H

#include "compiler/tools/heddle-run/LanguageModel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

struct ContinuationTask {
  std::vector<int32_t> prompt;
  std::vector<int32_t> ends; ///< ids that end a continuation
  int64_t limit;             ///< ids to generate at most
};

struct ContinuationResult {
  int64_t length = 0; ///< ids that were shown
  bool hasEnd = false;
  double prefillSeconds = 0;
  double decodeSeconds = 0;
  int64_t steps = 0; ///< calls of decode
};

/// Receives the ids of a continuation, without its end.
using ShowId = llvm::function_ref<llvm::Error(int32_t)>;

/// Chooses id after id and shows each at once. The model has a batch of 1.
llvm::Expected<ContinuationResult>
drawContinuation(LanguageModel &model, const ContinuationTask &task,
                 const heddle_sampling &sampling, uint64_t seed, ShowId show);

/// Shows the best hypothesis of a beam search, at its end. The model's batch is
/// the number of beams.
llvm::Expected<ContinuationResult>
searchContinuation(LanguageModel &model, const ContinuationTask &task,
                   float lengthPenalty, ShowId show);

} // namespace heddle

#endif // HEDDLE_TOOLS_CONTINUATION_H

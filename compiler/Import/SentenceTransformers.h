// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sentence-transformers adds to a model: `modules.json` lists what comes
// after the transformer, of which each has a folder with a config.json.

#ifndef HEDDLE_COMPILER_IMPORT_SENTENCETRANSFORMERS_H
#define HEDDLE_COMPILER_IMPORT_SENTENCETRANSFORMERS_H

#include "compiler/Import/Models/EncoderDescription.h"
#include "compiler/Import/TensorSource.h"

#include "llvm/Support/Error.h"

namespace heddle {

struct SentenceModules {
  /// The transformer's folder.
  std::string folder;
  /// Stages of the embedding; matrices have the names that `tensors` has.
  std::vector<ResultStage> stages;
  /// The tensors of matrices, which the transformer's file does not have.
  TensorSource tensors;
  /// Channels of tokens that the files say, which are to be the transformer's,
  /// and of what the stages so far give; and the field that says the former.
  std::optional<int64_t> tokenChannels, channels;
  std::string channelsField;
  /// Longer texts are cut to so many tokens.
  std::optional<int64_t> maxLength;
};

/// None where the folder has no modules.json.
llvm::Expected<std::optional<SentenceModules>>
readSentenceModules(llvm::StringRef folder);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_SENTENCETRANSFORMERS_H

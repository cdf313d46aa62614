// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `preprocessor_config.json` of a model that listens: how its publisher
// makes spectrograms (transformers' WhisperFeatureExtractor).

#ifndef HEDDLE_COMPILER_IMPORT_AUDIOPREPROCESSOR_H
#define HEDDLE_COMPILER_IMPORT_AUDIOPREPROCESSOR_H

#include "compiler/Import/Models/EncoderDescription.h"

#include "llvm/Support/Error.h"

namespace heddle {

/// Fails where the folder has that file, and spectrograms of it differ from
/// what the entry point `features` makes. The model tells how long recordings
/// are.
llvm::Error checkAudioPreprocessor(llvm::StringRef folder,
                                   const AudioDescription &audio);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_AUDIOPREPROCESSOR_H

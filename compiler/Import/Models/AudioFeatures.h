// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point that makes a spectrogram of a recording.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_AUDIOFEATURES_H
#define HEDDLE_COMPILER_IMPORT_MODELS_AUDIOFEATURES_H

#include "compiler/Import/Models/EncoderDescription.h"
#include "compiler/Import/Models/ModelBuilder.h"

namespace heddle {

/// Adds `features(samples [batch, count]) -> [batch, bins, frames]`: the
/// logarithm of how loud a recording is around each frequency of the mel scale,
/// as WhisperFeatureExtractor computes it (transformers/models/whisper).
void buildAudioFeatures(ModelBuilder &model, const AudioDescription &audio);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_AUDIOFEATURES_H

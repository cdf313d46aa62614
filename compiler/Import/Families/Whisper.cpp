// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whisper (arXiv:2212.04356): an encoder of spectrograms, which are always as
// long, and a decoder of text: transformers/models/whisper.

#include "compiler/Import/Families/EncoderDecoders.h"

using namespace heddle;

static AudioDescription describeAudio(ModelConfig &config, int64_t positions) {
  AudioDescription audio;
  audio.frames = 2 * positions;
  audio.convolutions = {"encoder.conv1", "encoder.conv2"};
  // Their numbers are 32-bit integers.
  if (audio.samples() > INT32_MAX)
    config.fail("max_source_positions",
                "at most " + llvm::Twine(INT32_MAX / (2 * audio.hop)));
  audio.bins =
      config.integer("num_mel_bins", 1, audio.window / 2 + 1, audio.bins);
  return audio;
}

ModelDescription heddle::describeWhisper(ModelConfig &config) {
  StackDefaults defaults;
  defaults.vocabulary = 51865;
  defaults.hidden = 384;
  defaults.layers = 4;
  defaults.heads = 6;
  defaults.width = 1536;
  defaults.bos = 50256;
  defaults.eos = 50256;
  defaults.start = 50257;
  defaults.isPreNorm = true;
  defaults.normalizesEmbeddings = false;
  defaults.encoderPositionsField = "max_source_positions";
  defaults.encoderPositions = 1500;
  defaults.decoderPositionsField = "max_target_positions";
  defaults.decoderPositions = 448;
  ModelDescription model;
  EncoderDecoderDescription &both = describeStacks(config, defaults, model);
  EncoderDescription &e = both.encoder;
  DecoderDescription &d = both.decoder;
  e.positions = PositionsDescription{"encoder.embed_positions"};
  d.positions = PositionsDescription{"decoder.embed_positions"};
  e.audio = describeAudio(config, e.maxPositions);
  e.block.attention.key.hasBias = d.block.attention.key.hasBias = false;
  d.block.cross->key.hasBias = false;
  d.embedding = "decoder.embed_tokens";
  d.head.name = "proj_out";
  // In the file, but without a use (WhisperConfig).
  config.ask("scale_embedding");
  // Training, and heads for labels.
  for (llvm::StringRef name :
       {"apply_spec_augment", "mask_time_prob", "mask_time_length",
        "mask_time_min_masks", "mask_feature_prob", "mask_feature_length",
        "mask_feature_min_masks", "median_filter_width", "classifier_proj_size",
        "use_weighted_layer_sum"})
    config.ask(name);
  return model;
}

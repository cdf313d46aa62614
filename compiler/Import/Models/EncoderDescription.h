// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An encoder of texts or images, as data: layers, and results that are computed
// from the tokens that come out of the last one.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_ENCODERDESCRIPTION_H
#define HEDDLE_COMPILER_IMPORT_MODELS_ENCODERDESCRIPTION_H

#include "compiler/Import/Models/TransformerDescription.h"

#include <variant>

namespace heddle {

/// A token of the model's own: a tensor [1, 1, channels], or [channels].
struct ImageTokenDescription {
  std::string name;
  bool isVector = false;
};

/// An image as tokens: some of the model's own, then its patches, to which
/// positions are added.
struct ImageDescription {
  int64_t channels = 3, height = 224, width = 224, patchSize = 16;
  ProjectionDescription patches;
  std::vector<ImageTokenDescription> tokens;

  int64_t tokenCount() const {
    return (height / patchSize) * (width / patchSize) + int64_t(tokens.size());
  }
};

/// A spectrogram as tokens: convolutions of 3 frames, of which the second goes
/// on by 2, to which positions are added (Whisper). A frame is `window` samples
/// of a recording, of which there are `rate` a second, and the next one begins
/// `hop` samples later.
struct AudioDescription {
  int64_t bins = 80, frames = 3000;
  std::vector<std::string> convolutions;
  int64_t rate = 16000, window = 400, hop = 160;

  int64_t samples() const { return frames * hop; }
};

//===-- stages of a result ------------------------------------------------===//

// Each takes what the one before it gives, and the first one the tokens
// [batch, length, channels].

enum class PoolingKind {
  Token,   ///< the token of a number
  Last,    ///< the last token of each text
  Mean,    ///< of all tokens
  Maximum, ///< of each channel
  /// Their sum over the root of their number.
  MeanSqrtLength,
  /// Token s counts s + 1 times.
  WeightedMean,
  /// The first token of an id.
  FirstId,
  /// The token with the largest id.
  LargestId,
};

/// [batch, length, channels] -> [batch, channels]. Of several kinds what they
/// give is concatenated.
struct PoolStage {
  std::vector<PoolingKind> kinds;
  int64_t number = 0; ///< of a token, or an id
};

/// Tokens become one that asks all of them, with a learned query
/// (torch.nn.MultiheadAttention, whose names these are).
struct ProbeStage {
  std::string probe, attention;
  int64_t heads = 0;
};

struct LinearStage {
  ProjectionDescription projection;
  int64_t outputs = 0;
  /// The name is whole, without the prefix of the model's tensors.
  bool isOutside = false;
  /// The matrix is the embedding's.
  bool isTied = false;
  /// The whole name of the bias, where it is not the matrix's.
  std::string ownBias;
};

struct ActivationStage {
  ActivationKind kind;
};

struct NormStage {
  std::string name;
  NormDescription kind;
  bool isOutside = false;
};

/// Divides each vector by its length.
struct NormalizeStage {};

/// Adds a feed-forward layer of a norm: x + f(n(x)).
struct ResidualStage {
  NormStage norm;
  FeedForwardDescription feedForward;
};

using ResultStage =
    std::variant<PoolStage, ProbeStage, LinearStage, ActivationStage, NormStage,
                 NormalizeStage, ResidualStage>;

struct ResultDescription {
  std::string name; ///< of the result in C
  ArgumentRole role = ArgumentRole::Other;
  /// The mean of what these give.
  std::vector<std::vector<ResultStage>> branches;
  /// There is a result if there is this tensor, a name behind the prefix; empty
  /// for always.
  std::string condition;
};

struct EncoderDescription : TransformerDescription {
  std::string entryPoint = "encode";
  /// Tokens of a text, where they are fewer than positions.
  std::optional<int64_t> maxLength = {};
  /// In place of texts.
  std::optional<ImageDescription> image;
  std::optional<AudioDescription> audio;
  /// Padding is part of a text: there are no lengths (SigLIP).
  bool hasPaddedTexts = false;
  /// Besides `hidden`, what the last layer gives.
  std::vector<ResultDescription> results;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_ENCODERDESCRIPTION_H

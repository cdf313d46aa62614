// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_ENCODERBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_ENCODERBUILDER_H

#include "compiler/Import/Models/DecoderBuilder.h"
#include "compiler/Import/Models/EncoderDescription.h"

namespace heddle {

/// Builds the function of an encoder: of texts
///
///   func @encode(ids: [batch, length], lengths: [batch][, types: ids' sizes])
///       -> (hidden: [batch, length, channels], ..)
///
/// where text b is ids[b, :lengths[b]], 1 <= lengths[b] <= length, and results
/// for what follows it are anything; of images
///
///   func @encode(pixels: [batch, channels, height, width])
///       -> (hidden: [batch, tokens, channels], ..)
///
/// and of recordings
///
///   func @encode(features: [batch, bins, frames])
///       -> (hidden: [batch, length, channels], ..)
///
/// with further results as the description has them. The encoder of a decoder
/// takes `cross`, [batch, source], too, and fills it from position 0 on with
/// keys and values for each layer of the decoder; it is the last result.
class EncoderBuilder {
public:
  EncoderBuilder(ModelBuilder &model, const EncoderDescription &description,
                 DecoderBuilder *decoder = nullptr);

  void build();

private:
  llvm::SmallVector<ArgumentDescription> arguments() const;
  ValuesAttr valuesOfLengths() const;
  mlir::Value readImage(mlir::Value pixels);
  mlir::Value readAudio(mlir::Value features);
  mlir::Value readInput(mlir::Block *body, SequenceValues &sequence);

  bool isOfTexts() const { return !d.image && !d.audio; }
  bool hasLengths() const { return isOfTexts() && !d.hasPaddedTexts; }
  bool hasTypes() const { return d.types && d.types->count > 1; }

  ModelBuilder &m;
  const EncoderDescription &d;
  TransformerBuilder transformer;
  DecoderBuilder *decoder;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_ENCODERBUILDER_H

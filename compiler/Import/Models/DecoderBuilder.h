// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_DECODERBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_DECODERBUILDER_H

#include "compiler/Import/Models/DecoderDescription.h"
#include "compiler/Import/Models/EncoderDescription.h"
#include "compiler/Import/Models/Signature.h"
#include "compiler/Import/Models/TransformerBuilder.h"

namespace heddle {

/// Builds the function of a decoder:
///
///   func @forward(ids: [batch, length], starts: [batch], lengths: [batch],
///   cache)
///       -> (logits: [batch, vocabulary], cache)
///
/// Sequence b has lengths[b] >= 1 new tokens ids[b, :lengths[b]], of which the
/// first stands at position starts[b]; the logits are those after its last one.
///
/// One that attends to what an encoder gives takes `cross`, too, [batch,
/// source], and, where its length is not always the same, cross_lengths:
/// [batch], the tokens of each source.
class DecoderBuilder {
public:
  /// `encoder` is what it attends to, if there is one.
  DecoderBuilder(ModelBuilder &model, const DecoderDescription &description,
                 const EncoderDescription *encoder = nullptr)
      : m(model), d(description), transformer(m, d, d.embedding),
        encoder(encoder) {
    if (encoder && encoder->audio)
      sourceLength = encoder->maxPositions;
  }

  void build();

  /// The argument `cross` of the decoder and of its encoder.
  ArgumentDescription crossArgument() const;
  /// Limits what `source` may be to the encoder's positions.
  void declareSource(mlir::func::FuncOp function,
                     llvm::ArrayRef<SymbolAttr> others = {});
  TransformerBuilder &getTransformer() { return transformer; }

private:
  CacheType cacheType() const;
  llvm::SmallVector<ArgumentDescription> arguments() const;
  mlir::Value buildLogits(mlir::Value x);

  ModelBuilder &m;
  const DecoderDescription &d;
  TransformerBuilder transformer;
  const EncoderDescription *encoder;
  std::optional<int64_t> sourceLength; ///< where all sources have one
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_DECODERBUILDER_H

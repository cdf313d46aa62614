// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens and layers as ops: see TransformerDescription.h.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_TRANSFORMERBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_TRANSFORMERBUILDER_H

#include "compiler/Import/Models/BlockBuilder.h"
#include "compiler/Import/Models/TransformerDescription.h"

namespace heddle {

class TransformerBuilder {
public:
  /// Chooses the prefix of tensors with which there is `firstTensor`.
  TransformerBuilder(ModelBuilder &model,
                     const TransformerDescription &description,
                     llvm::StringRef firstTensor);

  /// Tokens [batch, length, channels] of ids [batch, length]. `starts` and
  /// `types` may be null: positions from 0, and only one kind of tokens.
  mlir::Value embed(mlir::Value ids, mlir::Value starts, mlir::Value types);
  /// Adds the row of its position to each token.
  mlir::Value addPositions(mlir::Value x, mlir::Value starts);
  mlir::Value normEmbedding(mlir::Value x);
  /// All layers, without the last norm.
  mlir::Value buildLayers(mlir::Value x, SequenceValues &sequence);
  /// Keys and values of a source for the attention to it of each layer.
  void appendSource(mlir::Value source, SequenceValues &sequence);
  mlir::Value normLast(mlir::Value x);

  /// The name of a tensor of the model.
  std::string in(llvm::StringRef name) const { return prefix + name.str(); }
  std::string embeddingName() const { return in(d.embedding) + ".weight"; }
  /// The table of the embedding, [vocabulary, channels].
  mlir::Value embeddingTable();

private:
  mlir::Value positionTable();
  mlir::Value addTypes(mlir::Value x, mlir::Value types);

  ModelBuilder &m;
  const TransformerDescription &d;
  std::string prefix;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_TRANSFORMERBUILDER_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One layer of a transformer as ops: see BlockDescription.h.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_BLOCKBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_BLOCKBUILDER_H

#include "compiler/Import/Models/ModelBuilder.h"
#include "dialect/Heddle/LayerBuilders.h"

namespace heddle {

/// The tokens of a call, and the keys that they see.
struct SequenceValues {
  /// Position of the first token of each sequence; null for 0.
  mlir::Value starts;
  /// Tokens of each sequence; null where all are as long as the tensors.
  mlir::Value lengths;
  mlir::Value totals; ///< starts + lengths
  /// Keys and values so far, which each layer appends to; null where a call has
  /// all tokens.
  mlir::Value cache;
  /// Keys and values of the source, and the lengths of it, where not all
  /// positions count.
  mlir::Value cross, crossLengths;
};

/// Builds layers, one after the other. Values are [batch, length, channels].
class BlockBuilder {
public:
  /// Names of tensors outside of layers begin with `modelPrefix`.
  BlockBuilder(ModelBuilder &model, const BlockDescription &block,
               int64_t maxPositions, llvm::StringRef modelPrefix)
      : m(model), block(block), maxPositions(maxPositions),
        modelPrefix(modelPrefix) {}

  /// Layer `number`, whose tensors' names begin with `prefix`.
  mlir::Value build(mlir::Value x, const LayerDescription &layer,
                    int64_t number, llvm::StringRef prefix,
                    SequenceValues &sequence);

  /// Appends keys and values of a source for layer `number`, whose tensors'
  /// names begin with `prefix`.
  void appendSource(mlir::Value source, int64_t number, llvm::StringRef prefix,
                    SequenceValues &sequence);

private:
  struct Projections {
    mlir::Value query, key, value;
  };

  mlir::Value buildAttention(mlir::Value x);
  Projections project(mlir::Value x);
  /// Parts of the rows of one matrix, or of its bias.
  Projections splitFused(mlir::Value fused);
  /// Projections by way of a few channels; queries and keys have been rotated.
  Projections projectLatent(mlir::Value x);
  std::pair<mlir::Value, mlir::Value> matricesUp();
  mlir::Value rotated(mlir::Value x, int64_t heads, llvm::StringRef name);
  mlir::Value normHeads(mlir::Value x, int64_t heads, llvm::StringRef name);
  mlir::Value nearMask(std::optional<int64_t> window);
  mlir::Value maskOf(std::optional<int64_t> window);
  mlir::Value attend(const Projections &projected);
  AttentionOp createAttention(const Projections &projected, mlir::Value mask,
                              mlir::Value sinks, mlir::ValueRange operands,
                              llvm::StringRef path);
  AlignmentAttr alignment() const;
  bool changesScores() const;
  llvm::SmallVector<mlir::Value> scoreOperands();
  void addScores(mlir::Region &region, mlir::ValueRange operands);
  void appendToCache(Projections &projected);

  /// Attention to the source.
  mlir::Value buildCross(mlir::Value x);
  mlir::Value buildFeedForward(mlir::Value x);
  mlir::Value normed(mlir::Value x, llvm::StringRef name);
  mlir::Value add(mlir::Value x, Branch::Step compute, llvm::StringRef norm,
                  llvm::StringRef postNorm, llvm::StringRef path);

  std::string in(llvm::StringRef name) const { return prefix + name.str(); }
  /// Name of the module that has a projection of that name.
  std::string moduleOf(llvm::StringRef projection,
                       llvm::StringRef fallback) const;

  ModelBuilder &m;
  const BlockDescription &block;
  int64_t maxPositions;
  std::string modelPrefix;
  /// Masks by their window; 0 is that of all keys.
  llvm::DenseMap<int64_t, mlir::Value> masks;
  mlir::Value crossMask;

  // Of the layer that is being built.
  const LayerDescription *layer = nullptr;
  SequenceValues *sequence = nullptr;
  int64_t number = 0;
  std::string prefix, attentionPath, feedForwardPath;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_BLOCKBUILDER_H

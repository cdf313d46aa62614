// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoders with the names and the structure of Llama's
// (transformers/models/llama/modeling_llama.py), on which others build.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_LLAMALIKE_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_LLAMALIKE_H

#include "compiler/Import/Families/Family.h"

namespace heddle {

/// Defaults of a family's configuration that differ from Llama's.
struct SizeDefaults {
  int64_t vocabulary = 32000, hidden = 4096, intermediate = 11008, layers = 32,
          heads = 32;
  std::optional<int64_t> kvHeads;      ///< as many as heads
  std::optional<int64_t> headChannels; ///< hidden / heads
  int64_t positions = 2048;
  double epsilon = 1e-6, ropeBase = 10000;
  bool tied = false;
  std::optional<int64_t> bos, eos;
  double rotatedPart = 1; ///< of each head
  /// Whether another part than all may rotate.
  bool rotatesParts = false;
  /// Whether heads rotate as Llama's do; if not, nothing rotates.
  bool readsRotary = true;
  llvm::StringRef activation = "silu";
  /// The kind of layer whose rotary embedding is that of all layers.
  llvm::StringRef layerTypeOfRope;
  // Names of fields.
  llvm::StringRef hiddenField = "hidden_size",
                  layersField = "num_hidden_layers",
                  headsField = "num_attention_heads",
                  kvField = "num_key_value_heads",
                  positionsField = "max_position_embeddings",
                  epsilonField = "rms_norm_eps";
};

/// Sizes, tokens, names, norms and a rotary embedding in all layers, without
/// biases, windows and whatever else a family has of its own.
ModelDescription describeLlamaLike(ModelConfig &config,
                                   const SizeDefaults &defaults);

/// The sizes that most decoders have: heads, their channels and layers, which
/// are all alike.
void readHeads(ModelConfig &config, const SizeDefaults &defaults,
               TransformerDescription &decoder);

/// Attention of a block has the names that most families give it, with `output`
/// behind `self_attn.`.
void nameProjections(AttentionDescription &attention, llvm::StringRef output);
/// Queries and keys are normalised as blocks are.
void addHeadNorms(TransformerDescription &decoder, HeadNormKind kind);

/// Biases of all projections of attention, and of the feed-forward layer.
void setBiases(TransformerDescription &decoder, bool attention,
               bool feedForward);

/// Gives experts to all layers but those that `mlp_only_layers` lists and
/// `decoder_sparse_step` leaves out.
void setSparseLayers(ModelConfig &config, TransformerDescription &decoder,
                     const ExpertsDescription &experts);

/// `layer_types`, if it is there: whether each layer slides.
std::optional<std::vector<bool>> readLayerTypes(ModelConfig &config,
                                                size_t layers);

/// Gives layers for which `slides` says so a window.
template <typename Slides>
void setWindows(TransformerDescription &decoder, int64_t window,
                Slides slides) {
  for (auto [number, layer] : llvm::enumerate(decoder.layers))
    if (slides(number))
      layer.window = window;
}

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_LLAMALIKE_H

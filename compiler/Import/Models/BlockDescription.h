// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between the layers of transformers, as data: a family fills it
// in, and BlockBuilder makes ops of it. Names of tensors stand beside what they
// hold, without ".weight" and ".bias"; those of a layer are relative to the
// layer.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_BLOCKDESCRIPTION_H
#define HEDDLE_COMPILER_IMPORT_MODELS_BLOCKDESCRIPTION_H

#include "dialect/Heddle/HeddleDialect.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// A norm over channels. Which tensor it reads is said where it is used.
struct NormDescription {
  NormKind kind = NormKind::Rms;
  double epsilon = 1e-6;
  bool hasWeight = true;
  bool hasBias = false;
  /// Weights are 1 + w, with w what the checkpoint stores (Gemma).
  bool addsOne = false;
};

/// A matrix and its bias.
struct ProjectionDescription {
  std::string name;
  bool hasBias = false;
};

/// A rotary embedding of queries and keys.
struct RotaryDescription {
  double base = 10000;
  RopeScalingAttr scaling;
  /// Channels of each head that rotate, from the first on; none for all.
  std::optional<int64_t> channels;
  /// Pairs are neighbours and not half a head apart.
  bool interleaved = false;
};

/// How projections of queries, keys and values lie in one matrix.
enum class FusedOrder {
  Rows,   ///< all queries, all keys, all values
  Groups, ///< for each key head: its query heads, the key head, the value head
  OneGroup, ///< all query heads, then one key head and one value head
};

/// Over what queries and keys are normalised.
enum class HeadNormKind {
  EachHead,   ///< one weight [head channels] for all heads
  AllHeads,   ///< over all channels, with a weight [heads * head channels]
  OwnHeads,   ///< over each head, with a weight [heads, head channels]
  NamedHeads, ///< the same, whose weights are a tensor for each head:
              ///< ".norms.3"
};

struct HeadNormDescription {
  HeadNormKind kind;
  NormDescription norm;
  std::string query, key;
};

struct AttentionDescription {
  int64_t heads = 0, kvHeads = 0, headChannels = 0;
  ProjectionDescription query, key, value, output;
  /// In place of the first three.
  std::optional<ProjectionDescription> fused;
  FusedOrder fusedOrder = FusedOrder::Rows;
  std::optional<HeadNormDescription> headNorm;
  /// Queries, keys and values are limited to this magnitude (OLMo).
  std::optional<double> clip;
  std::optional<double> softcap;
  /// A score of each head that belongs to no key; the tensor's whole name.
  std::string sinks;
  /// Slopes of each head, added to scores by distance.
  std::vector<double> alibiSlopes;
};

struct FeedForwardDescription {
  ActivationKind activation = ActivationKind::Silu;
  int64_t hiddenSize = 0;
  bool gated = true;
  ProjectionDescription gate, up, down;
  /// Gate and up as one matrix, gate first.
  std::optional<ProjectionDescription> fused;
};

/// Experts, of which each token takes a few.
struct ExpertsDescription {
  ActivationKind activation = ActivationKind::Silu;
  int64_t count = 0, top = 0, hiddenSize = 0;
  bool normalized = false;
  std::string router;
  /// Of expert 0, 1, ..: '#' stands for its number.
  std::string gate, up, down;
};

/// Where the norms of a layer are, and what adds up. With f the attention, g
/// the feed-forward layer, and norms m, n (`attention`, `feedForward`):
enum class BlockOrder {
  Pre,      ///< x += f(m(x)); x += g(n(x))
  Branch,   ///< x += m(f(x)); x += n(g(x))
  Sandwich, ///< x += m'(f(m(x))); x += n'(g(n(x)))
  Post,     ///< x = m(x + f(x)); x = n(x + g(x))
  Parallel, ///< x += f(m(x)) + g(n(x)); n is m where it has no name
};

struct BlockDescription {
  BlockOrder order = BlockOrder::Pre;
  NormDescription norm;
  std::string attentionNorm, feedForwardNorm;
  /// Of sandwiches.
  std::string attentionPostNorm, feedForwardPostNorm;
  AttentionDescription attention;
  FeedForwardDescription feedForward;
  /// What branches are multiplied by before they are added.
  double residualFactor = 1;
};

/// What differs from layer to layer.
struct LayerDescription {
  /// The last so many keys, the query's own among them; none for all.
  std::optional<int64_t> window;
  std::optional<RotaryDescription> rotary;
  double scale = 1; ///< of scores
  /// In place of the feed-forward layer.
  std::optional<ExpertsDescription> experts;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_BLOCKDESCRIPTION_H

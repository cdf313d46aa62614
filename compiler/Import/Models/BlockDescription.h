// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences between the layers of transformers, as data: a family fills them
// in, and BlockBuilder makes ops of them. Names of tensors stand beside what
// they hold, without ".weight" and ".bias"; those of a layer are relative to
// the layer.

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
  /// Old files have "gamma" and "beta" for "weight" and "bias" (BERT).
  bool mayBeGamma = false;
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
  /// Factor of scores that `mscale_all_dim` of yarn stands for (DeepSeek).
  double scoreFactor = 1;
};

/// How projections of queries, keys and values lie in one matrix.
enum class FusedOrder {
  Rows,   ///< all queries, all keys, all values
  Groups, ///< for each key head: its query heads, the key head, the value head
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

/// Queries, keys and values that are projected by way of a few channels, which
/// all heads share (DeepSeek-V2, arXiv:2405.04434). Each head's queries and
/// keys have plain channels and then ones that rotate; rotated keys are the
/// same for all heads.
struct LatentDescription {
  int64_t rank = 0, queryRank = 0; ///< no query rank: queries are not narrowed
  int64_t plainChannels = 0, rotatedChannels = 0;
  ProjectionDescription queryDown, queryUp;
  ProjectionDescription down; ///< of keys and values; rotated keys come last
  ProjectionDescription up;   ///< for each head plain keys, then values
  /// In place of `up`, if they have names: tensors [heads, rank, plain
  /// channels] of keys, and [heads, channels, rank] of values.
  std::string upKeys, upValues;
  std::string queryNorm, norm;
  NormDescription normKind;
};

/// What is added to scores by the distance of a key, in T5's buckets (Raffel et
/// al., arXiv:1910.10683): a table [buckets, heads] that all layers share.
struct RelativeBiasDescription {
  std::string table; ///< without the layer's prefix
  int64_t buckets = 32, largestDistance = 128;
};

struct AttentionDescription {
  int64_t heads = 0, kvHeads = 0, headChannels = 0;
  /// Where values have other channels than keys.
  std::optional<int64_t> ownValueChannels;
  int64_t valueChannels() const {
    return ownValueChannels.value_or(headChannels);
  }
  /// In place of the three projections.
  std::optional<LatentDescription> latent;
  ProjectionDescription query, key, value, output;
  /// In place of the first three.
  std::optional<ProjectionDescription> fused;
  FusedOrder fusedOrder = FusedOrder::Rows;
  std::optional<HeadNormDescription> headNorm;
  std::optional<double> softcap;
  /// A score of each head that belongs to no key; the tensor's whole name.
  std::string sinks;
  /// Slopes of each head, added to scores by distance.
  std::vector<double> alibiSlopes;
  std::optional<RelativeBiasDescription> relativeBias;
  /// Whether a token sees those after it, too.
  bool isBidirectional = false;
};

/// Attention to what an encoder gives, between a decoder's attention to itself
/// and its feed-forward layer. Of the decoder's heads, without a change of
/// scores.
struct CrossAttentionDescription {
  ProjectionDescription query, key, value, output;
  std::string norm;
};

struct FeedForwardDescription {
  ActivationKind activation = ActivationKind::Silu;
  int64_t hiddenSize = 0;
  bool gated = true;
  ProjectionDescription gate, up, down;
  /// Gate and up as one matrix, gate first.
  std::optional<ProjectionDescription> fused;
};

/// How experts are chosen: scores of all of them, of which a token takes the
/// largest.
struct RoutingDescription {
  ProjectionDescription router;
  int64_t count = 0, top = 0;
  bool hasSigmoid = false; ///< scores are not a softmax but sigmoids
  /// A tensor that is added to scores for the choice alone; its whole name.
  std::string choiceBias;
  /// Experts are in so many groups, of which those count whose score is among
  /// the `topGroups` largest: that of the largest expert, or the sum of two.
  int64_t groups = 1, topGroups = 1;
  bool sumsTwo = false;
  /// Shares are divided by their sum, and multiplied by this.
  bool normalized = false;
  double factor = 1;
};

/// Experts, of which each token takes a few. All are gated feed-forward layers.
struct ExpertsDescription {
  RoutingDescription routing;
  ActivationKind activation = ActivationKind::Silu;
  int64_t hiddenSize = 0;
  /// Matrices of expert 0, 1, ..: '#' stands for its number. Without one the
  /// tensor has those of all, [experts, outputs, inputs], and with `hasBiases`
  /// biases [experts, outputs].
  std::string gate, up, down;
  bool hasBiases = false;
  /// In place of them one tensor for all experts, [experts, inputs, outputs],
  /// with a bias [experts, outputs] whose name ends in "_bias". Gate and up are
  /// its even and odd columns.
  std::string allGateUp, allDown;
  /// Gates are at most this, and what they multiply is within it on both sides,
  /// plus one (gpt-oss).
  std::optional<double> limit;
  /// One more expert that all tokens take.
  std::optional<FeedForwardDescription> shared;
  /// Projection whose sigmoid is the shared expert's factor; empty for 1.
  std::string sharedGate;
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
  std::optional<CrossAttentionDescription> cross; ///< of `Pre` and `Post`
  FeedForwardDescription feedForward;
  /// Factor of branches before they are added.
  double residualFactor = 1;
};

/// Properties of one layer.
struct LayerDescription {
  /// The last so many keys, the query's own among them, or in bidirectional
  /// attention those that are nearer than this; none for all.
  std::optional<int64_t> window;
  std::optional<RotaryDescription> rotary;
  double scale = 1; ///< of scores
  bool hasAttentionNorm = true;
  /// In place of the feed-forward layer.
  std::optional<ExpertsDescription> experts;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_BLOCKDESCRIPTION_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ModernBERT (arXiv:2412.13663): norms before branches but for the first, which
// the embedding's has replaced, gated layers, rotary embeddings, and windows to
// both sides in two layers of three: transformers/models/modernbert.

#include "compiler/Import/Families/EncoderHeads.h"

using namespace llvm;
using namespace heddle;

// Each kind of layer has its rotary embedding.
static void readLayers(ModelConfig &config, EncoderDescription &e) {
  int64_t every = config.size("global_attn_every_n_layers", 3);
  int64_t local = config.integer("local_attention", 1, 1 << 24, 128);
  double globalBase = config.positive("global_rope_theta", 160000);
  double localBase = config.isNull("local_rope_theta")
                         ? globalBase
                         : config.positive("local_rope_theta", 10000);
  std::optional<std::vector<bool>> slides =
      readLayerTypes(config, e.layers.size());
  int64_t channels = e.block.attention.headChannels;
  if (channels % 2 != 0)
    config.fail("num_attention_heads", "heads of an even number of channels",
                Twine(channels) + " channels");
  if (config.failed())
    return;
  if (config.has("rope_parameters"))
    for (StringRef type : {"full_attention", "sliding_attention"})
      if (!config.object("rope_parameters").getObject(type))
        config.fail("rope_parameters", "an object for '" + type + "'");
  auto rotaryOf = [&](StringRef type, double base) {
    RotaryDescription plain;
    plain.base = base;
    return config.rotaryOf(type, channels, e.maxPositions, base)
        .value_or(plain);
  };
  RotaryDescription whole = rotaryOf("full_attention", globalBase);
  RotaryDescription near = rotaryOf("sliding_attention", localBase);
  for (auto [number, layer] : llvm::enumerate(e.layers)) {
    bool isLocal = slides ? (*slides)[number] : number % every != 0;
    layer.rotary = isLocal ? near : whole;
    if (isLocal) // the farthest key counts
      layer.window = local / 2 + 1;
  }
  e.layers.front().hasAttentionNorm = false;
}

static HeadsDescription readHead(ModelConfig &config,
                                 const EncoderDescription &e) {
  StringRef pooling = config.text("classifier_pooling", "cls");
  if (pooling != "cls" && pooling != "mean")
    config.fail("classifier_pooling", "\"cls\" or \"mean\"");
  std::vector<ResultStage> dense = {
      outsideLinear("head.dense", e.hiddenSize,
                    config.boolean("classifier_bias", false)),
      ActivationStage{config.activation("classifier_activation", "gelu")},
      NormStage{"head.norm", e.block.norm, /*isOutside=*/true}};
  HeadsDescription heads;
  heads.beforeVocabulary = heads.beforeTokenLabels = dense;
  heads.beforeAnswers = dense;
  heads.answers = "classifier";
  heads.beforeTextLabels = dense;
  heads.beforeTextLabels.insert(
      heads.beforeTextLabels.begin(),
      pooling == "cls" ? firstToken() : PoolStage{{PoolingKind::Mean}});
  heads.decoder = "decoder";
  if (config.boolean("decoder_bias", true))
    heads.decoderBias = "decoder.bias";
  return heads;
}

ModelDescription heddle::describeModernBert(ModelConfig &config) {
  SizeDefaults defaults = bertDefaults();
  defaults.vocabulary = 50368;
  defaults.layers = 22;
  defaults.positions = 8192;
  defaults.bos = 50281;
  defaults.eos = 50282;
  ModelDescription model;
  EncoderDescription &e = describeBertLike(config, defaults, model);
  AttentionDescription &a = e.block.attention;
  FeedForwardDescription &f = e.block.feedForward;
  f.hiddenSize = config.size("intermediate_size", 1152);
  f.activation = config.activation("hidden_activation", "gelu");
  f.gated = true;
  e.block.order = BlockOrder::Pre;
  e.block.norm.hasBias = config.boolean("norm_bias", false);
  e.block.norm.epsilon =
      config.positive("norm_eps", 1e-5, /*zeroAllowed=*/true);
  e.embeddingNormKind = e.finalNormKind = e.block.norm;
  readLayers(config, e);
  // Training, how other software runs it, and ids of the tokenizer.
  for (StringRef name :
       {"mlp_dropout", "initializer_cutoff_factor", "reference_compile",
        "deterministic_flash_attn", "repad_logits_with_grad",
        "sparse_prediction", "sparse_pred_ignore_index", "cls_token_id"})
    config.ask(name);
  config.expect("position_embedding_type", "\"absolute\"");

  e.prefixes = {"model.", ""};
  e.layerPrefix = "layers.#.";
  e.embedding = "embeddings.tok_embeddings";
  e.embeddingNorm = "embeddings.norm";
  e.finalNorm = "final_norm";
  e.block.attentionNorm = "attn_norm";
  e.block.feedForwardNorm = "mlp_norm";
  bool hasBias = config.boolean("attention_bias", false);
  a.fused = ProjectionDescription{"attn.Wqkv", hasBias};
  a.output = {"attn.Wo", hasBias};
  hasBias = config.boolean("mlp_bias", false);
  f.fused = ProjectionDescription{"mlp.Wi", hasBias};
  f.down = {"mlp.Wo", hasBias};
  addHead(config, readHead(config, e), e);
  return model;
}

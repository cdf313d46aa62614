// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DistilBERT: BERT without types of tokens and a pooler:
// transformers/models/distilbert.

#include "compiler/Import/Families/EncoderHeads.h"

using namespace heddle;

ModelDescription heddle::describeDistilBert(ModelConfig &config) {
  SizeDefaults defaults = bertDefaults();
  defaults.layers = 6;
  defaults.hiddenField = "dim";
  defaults.layersField = "n_layers";
  defaults.headsField = "n_heads";
  ModelDescription model;
  EncoderDescription &e = describeBertLike(config, defaults, model);
  AttentionDescription &a = e.block.attention;
  FeedForwardDescription &f = e.block.feedForward;
  f.hiddenSize = config.size("hidden_dim", 3072);
  f.activation = config.activation("activation", "gelu");
  e.block.norm.epsilon = 1e-12;
  e.embeddingNormKind = e.block.norm;
  // How positions were drawn before training, dropout of heads, and what the
  // first version wrote for tied embeddings.
  for (llvm::StringRef name :
       {"sinusoidal_pos_embds", "seq_classif_dropout", "qa_dropout"})
    config.ask(name);
  config.expect("tie_weights_", "true");

  e.prefixes = {"distilbert.", ""};
  e.layerPrefix = "transformer.layer.#.";
  nameEmbeddings(e);
  a.query.name = "attention.q_lin";
  a.key.name = "attention.k_lin";
  a.value.name = "attention.v_lin";
  a.output.name = "attention.out_lin";
  e.block.attentionNorm = "sa_layer_norm";
  f.up.name = "ffn.lin1";
  f.down.name = "ffn.lin2";
  e.block.feedForwardNorm = "output_layer_norm";

  HeadsDescription heads;
  heads.beforeVocabulary = {
      outsideLinear("vocab_transform", e.hiddenSize),
      ActivationStage{f.activation},
      NormStage{"vocab_layer_norm", e.block.norm, /*isOutside=*/true}};
  heads.decoder = "vocab_projector";
  heads.decoderBias = "vocab_projector.bias";
  heads.beforeTextLabels = {firstToken(),
                            outsideLinear("pre_classifier", e.hiddenSize),
                            ActivationStage{ActivationKind::Relu}};
  addHead(config, heads, e);
  return model;
}

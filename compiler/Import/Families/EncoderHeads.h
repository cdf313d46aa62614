// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What encoders of texts have in common: the fields of their configurations,
// and heads, which the name of an architecture tells.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_ENCODERHEADS_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_ENCODERHEADS_H

#include "compiler/Import/Families/LlamaLike.h"

namespace heddle {

/// Defaults of BERT's configuration.
SizeDefaults bertDefaults();

/// What layers of encoders have in common: norms and matrices with biases, no
/// gates, and tokens that see all others.
void setEncoderBlock(TransformerDescription &encoder);

/// Layers with norms after their branches, as BERT's.
/// `model` becomes one encoder.
EncoderDescription &describeBertLike(ModelConfig &config,
                                     const SizeDefaults &defaults,
                                     ModelDescription &model);
/// The table of words, that of positions and the norm behind them are named as
/// BERT's.
void nameEmbeddings(EncoderDescription &encoder);

/// How many labels a configuration lists in `id2label`, or counts.
int64_t readLabels(ModelConfig &config);

/// Heads that a family has, of which an architecture has at most one. Names are
/// whole.
struct HeadsDescription {
  /// ..ForMaskedLM: logits of the vocabulary after these, by the table of the
  /// embedding, or, where that is not tied, a matrix `decoder`.
  std::vector<ResultStage> beforeVocabulary;
  std::string decoder, decoderBias;
  /// ..ForSequenceClassification and ..ForTokenClassification: logits of
  /// labels, of texts and of tokens.
  std::vector<ResultStage> beforeTextLabels, beforeTokenLabels;
  std::string textLabels = "classifier", tokenLabels = "classifier";
  /// ..ForQuestionAnswering: logits of the start and the end of an answer.
  std::vector<ResultStage> beforeAnswers;
  std::string answers = "qa_outputs";
};

/// Gives the encoder the head that the architecture has. One without a head
/// gives `embedding`, the mean of all tokens, as sentence-transformers has it
/// of a model that says nothing else.
void addHead(ModelConfig &config, const HeadsDescription &heads,
             EncoderDescription &encoder);

/// Heads of RoBERTa and MPNet, whose activation is gelu whatever the layers
/// have.
HeadsDescription robertaHeads(const EncoderDescription &encoder);

/// Of ..Model `pooled`, tanh(W x + b) of the first token, if the checkpoint has
/// the tensors. Other architectures ignore them.
void addPooler(ModelConfig &config, EncoderDescription &encoder);
/// Its stages.
std::vector<ResultStage> poolerOf(const EncoderDescription &encoder);

/// Positions begin in the row after that of padding. An id of padding inside of
/// a text is a token like others; transformers gives it the row of padding.
void beginPositionsBehind(ModelConfig &config, int64_t padding,
                          EncoderDescription &encoder);

/// A matrix with a bias outside of the model's prefix.
LinearStage outsideLinear(llvm::StringRef name, int64_t outputs,
                          bool hasBias = true);
PoolStage firstToken();

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_ENCODERHEADS_H

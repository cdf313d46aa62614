// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/ApiSupport.h"
#include "runtime/text/Encoder.h"

using namespace heddle::text;

struct heddle_encoder {
  Encoder implementation;
};

heddle_status
heddle_encoder_create(const heddle_model *model, const heddle_weights *weights,
                      const heddle_context *context,
                      const heddle_tokenizer *tokenizer, heddle_role result,
                      heddle_encoder **encoder, heddle_error *error) {
  if (encoder)
    *encoder = nullptr;
  return guarded({{"model", model},
                  {"weights", weights},
                  {"tokenizer", tokenizer},
                  {"encoder", encoder}},
                 error, [&] {
                   *encoder = new heddle_encoder{
                       Encoder(*model, weights, context,
                               *tokenizer->implementation, result)};
                 });
}

void heddle_encoder_destroy(heddle_encoder *encoder) { delete encoder; }

int64_t heddle_encoder_columns(const heddle_encoder *encoder) {
  return encoder ? encoder->implementation.columns() : 0;
}

heddle_status heddle_encoder_run(heddle_encoder *encoder,
                                 const heddle_text_pair *texts, size_t count,
                                 float *values, heddle_error *error) {
  return guarded({{"encoder", encoder},
                  required("texts", texts, count),
                  required("values", values, count)},
                 error,
                 [&] { encoder->implementation.run(texts, count, values); });
}

int heddle_encoder_is_of_tokens(const heddle_encoder *encoder) {
  return encoder && encoder->implementation.isOfTokens();
}

heddle_status heddle_encoder_run_tokens(heddle_encoder *encoder,
                                        const heddle_text_pair *text,
                                        int32_t **ids, float **values,
                                        size_t *count, heddle_error *error) {
  return guarded({{"encoder", encoder},
                  {"text", text},
                  {"ids", ids},
                  {"values", values},
                  {"count", count}},
                 error, [&] {
                   *ids = nullptr;
                   *values = nullptr;
                   *count = 0;
                   std::vector<float> rows;
                   std::vector<int32_t> tokens =
                       encoder->implementation.runTokens(*text, rows);
                   auto freed = [](void *memory) { heddle_text_free(memory); };
                   std::unique_ptr<int32_t, decltype(freed)> copy(
                       copyOut(tokens.data(), tokens.size()), freed);
                   *values = copyOut(rows.data(), rows.size());
                   *ids = copy.release();
                   *count = tokens.size();
                 });
}

size_t heddle_tokenizer_label_count(const heddle_tokenizer *tokenizer) {
  return tokenizer ? tokenizer->labels.names.size() : 0;
}

const char *heddle_tokenizer_label(const heddle_tokenizer *tokenizer,
                                   size_t label) {
  return label < heddle_tokenizer_label_count(tokenizer)
             ? tokenizer->labels.names[label].c_str()
             : nullptr;
}

heddle_status heddle_tokenizer_probabilities(const heddle_tokenizer *tokenizer,
                                             const float *logits, size_t count,
                                             double *probabilities,
                                             heddle_error *error) {
  return guarded({{"tokenizer", tokenizer},
                  required("logits", logits, count),
                  required("probabilities", probabilities, count)},
                 error, [&] {
                   probabilitiesOf(tokenizer->labels.problem, logits, count,
                                   probabilities);
                 });
}

heddle_problem heddle_tokenizer_problem(const heddle_tokenizer *tokenizer) {
  return tokenizer ? tokenizer->labels.problem : HEDDLE_PROBLEM_ONE_LABEL;
}

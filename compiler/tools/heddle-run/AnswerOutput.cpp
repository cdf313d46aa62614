// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/AnswerOutput.h"

#include "compiler/Support/PrintableStream.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;
using namespace llvm;

Expected<heddle_generator_options>
heddle::defaultGeneration(const heddle_model &model,
                          const heddle_tokenizer *tokenizer) {
  heddle_generator_options generation = HEDDLE_GENERATOR_OPTIONS;
  heddle_error error = {};
  if (Error failure = toError(heddle_generator_default_options(
                                  &model, tokenizer, &generation, &error),
                              error))
    return failure;
  return generation;
}

Expected<GeneratorHandle>
heddle::createGenerator(const LoadedModel &model, const heddle_context &context,
                        const heddle_tokenizer *tokenizer,
                        const heddle_generator_options &options) {
  heddle_generator *created = nullptr;
  heddle_error error = {};
  if (Error failure =
          toError(heddle_generator_create(
                      &model.artifact.model(), &model.callWeights(), &context,
                      tokenizer, &options, &created, &error),
                  error))
    return failure;
  return GeneratorHandle(created);
}

Error heddle::showAnswer(heddle_generator &generator, bool isText,
                         const heddle_generator_options &generation) {
  PrintableStream printable(outs());
  raw_ostream &shown =
      outs().is_displayed() ? static_cast<raw_ostream &>(printable) : outs();
  heddle_piece piece = {};
  int64_t count = 0;
  while (piece.finish == HEDDLE_FINISH_NONE) {
    heddle_error error = {};
    if (Error failure =
            toError(heddle_generator_next(&generator, &piece, &error), error))
      return failure;
    if (isText)
      shown << StringRef(piece.text, piece.size);
    else if (piece.id >= 0)
      outs() << (count ? "," : "") << piece.id;
    count += piece.id >= 0;
    outs().flush();
  }
  outs() << "\n";
  outs().flush();
  if (piece.finish == HEDDLE_FINISH_FULL)
    WithColor::note(errs(), "heddle-run")
        << format("the model's positions are full after %lld of %lld tokens\n",
                  static_cast<long long>(count),
                  static_cast<long long>(generation.limit));
  return Error::success();
}

void heddle::printStats(const heddle_generator &generator) {
  heddle_generator_stats stats = heddle_generator_get_stats(&generator);
  auto print = [](const char *what, int64_t ids, double seconds) {
    errs() << format("%s: %lld tokens, %.1f tokens/s\n", what,
                     static_cast<long long>(ids), ids / seconds);
  };
  print("prefill", stats.prefill_ids, stats.prefill_seconds);
  if (stats.decode_ids > 0)
    print("decode", stats.decode_ids, stats.decode_seconds);
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers of a model as they come.

#ifndef HEDDLE_TOOLS_ANSWEROUTPUT_H
#define HEDDLE_TOOLS_ANSWEROUTPUT_H

#include "compiler/tools/heddle-run/LoadedModel.h"
#include "runtime/text/heddle_text.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace heddle {

struct DestroyGenerator {
  void operator()(heddle_generator *generator) const {
    heddle_generator_destroy(generator);
  }
};
using GeneratorHandle = std::unique_ptr<heddle_generator, DestroyGenerator>;

/// Options of answers as the model's folder has them; `tokenizer` may be null.
llvm::Expected<heddle_generator_options>
defaultGeneration(const heddle_model &model, const heddle_tokenizer *tokenizer);

/// `tokenizer` may be null. All of them must outlive the generator.
llvm::Expected<GeneratorHandle>
createGenerator(const LoadedModel &model, const heddle_context &context,
                const heddle_tokenizer *tokenizer,
                const heddle_generator_options &options);

/// Shows each piece at once: text, or ids with commas between. A terminal does
/// not obey what the model says.
llvm::Error showAnswer(heddle_generator &generator, bool isText,
                       const heddle_generator_options &options);

/// Prints the speed on standard error.
void printStats(const heddle_generator &generator);

} // namespace heddle

#endif // HEDDLE_TOOLS_ANSWEROUTPUT_H

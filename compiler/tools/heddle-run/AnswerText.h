// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How answers are made, in words.

#ifndef HEDDLE_TOOLS_ANSWERTEXT_H
#define HEDDLE_TOOLS_ANSWERTEXT_H

#include "runtime/text/heddle_text.h"

#include <string>

namespace heddle {

/// "temperature 0.6, top_p 0.9": what of `options` is not as
/// HEDDLE_GENERATOR_OPTIONS has it, but for the end ids and what depends on the
/// prompt.
std::string describeAnswers(const heddle_generator_options &options);

} // namespace heddle

#endif // HEDDLE_TOOLS_ANSWERTEXT_H

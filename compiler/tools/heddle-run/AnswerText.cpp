// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/AnswerText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;

std::string heddle::describeAnswers(const heddle_generator_options &options) {
  const heddle_generator_options usual = HEDDLE_GENERATOR_OPTIONS;
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto add = [&](llvm::StringRef name, auto value, auto usualValue) {
    if (value == usualValue)
      return;
    stream << (text.empty() ? "" : ", ") << name << " ";
    if constexpr (std::is_floating_point_v<decltype(value)>)
      stream << llvm::format("%g", double(value));
    else
      stream << value;
  };
  const heddle_sampling &sampling = options.sampling;
  add("temperature", sampling.temperature, usual.sampling.temperature);
  add("top_k", sampling.top_k, usual.sampling.top_k);
  add("top_p", sampling.top_p, usual.sampling.top_p);
  add("min_p", sampling.min_p, usual.sampling.min_p);
  add("repetition_penalty", sampling.repetition_penalty,
      usual.sampling.repetition_penalty);
  add("beams", options.beams, usual.beams);
  if (options.beams) {
    add("length_penalty", options.length_penalty, usual.length_penalty);
    add("early_stopping", options.early_stopping, usual.early_stopping);
  }
  add("tokens", options.limit, usual.limit);
  add("maximum length", options.maximum_length, usual.maximum_length);
  return text;
}

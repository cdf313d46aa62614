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
  const heddle_rules &rules = options.rules, &none = usual.rules;
  add("minimum length", rules.minimum_length, none.minimum_length);
  add("minimum tokens", rules.minimum_new, none.minimum_new);
  add("unique runs of", rules.unique_run, none.unique_run);
  auto idOf = [](const int32_t *id) { return id ? *id : -1; };
  add("first id", idOf(rules.forced_first), -1);
  add("last id", idOf(rules.forced_last), -1);
  add("suppressed ids", rules.suppressed_count, none.suppressed_count);
  add("suppressed first ids", rules.suppressed_first_count,
      none.suppressed_first_count);
  return text;
}

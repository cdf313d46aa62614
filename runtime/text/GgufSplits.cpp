// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names, and what they stand for, are those of llama.cpp's llama-vocab.cpp;
// expressions are those of the tokenizers' own tokenizer.json, in the syntax of
// Oniguruma.

#include "runtime/text/GgufSplits.h"

#include <map>

using namespace heddle::text;

// Pieces of expressions that several have.
#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define SYMBOLS_AND_SPACES                                                     \
  " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SYMBOLS_SLASHES_AND_SPACES                                             \
  " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"

static constexpr const char *gpt2 =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"
    "\\s+(?!\\S)|\\s+";
static constexpr const char *llama3 = CONTRACTIONS
    "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|" SYMBOLS_AND_SPACES;
static constexpr const char *qwen2 =
    CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|" SYMBOLS_AND_SPACES;
static constexpr const char *tekken =
    "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+|[^\\r\\n\\p{L}\\p{N}]?" UPPER
    "+" LOWER "*|\\p{N}|" SYMBOLS_SLASHES_AND_SPACES;
static constexpr const char *gpt4o =
    "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" CONTRACTIONS
    "?|[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER "*" CONTRACTIONS
    "?|\\p{N}{1,3}|" SYMBOLS_SLASHES_AND_SPACES;
static constexpr const char *threeDigits = "[0-9][0-9][0-9]";
static constexpr const char *deepseek3 =
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"
    "[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| "
    "?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

static const std::map<std::string, GgufSplits> &table() {
  static const GgufSplits ofGpt2 = {{gpt2}}, ofDigits = {{"\\p{N}", gpt2}},
                          ofLlama3 = {{llama3}, true, true},
                          ofQwen2 = {{qwen2}, false, false, true},
                          ofGpt4o = {{gpt4o}};
  static const std::map<std::string, GgufSplits> all = {
      {"codeshell", ofDigits},
      {"command-r", {{"\\p{N}", gpt2}, false, false, true}},
      {"dbrx", {{llama3}}},
      {"deepseek-coder",
       {{"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+",
         "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+", "\\p{N}"}}},
      {"deepseek-r1-qwen", {{qwen2}}},
      {"deepseek-v3",
       {{"\\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
         deepseek3}}},
      {"exaone", ofDigits},
      {"exaone4", ofGpt2},
      {"falcon", {{"[\\p{P}\\$\\+<=>\\^~\\|`]+", gpt2, threeDigits}}},
      {"falcon3", ofLlama3},
      {"glm4", {{llama3}}},
      {"chatglm-bpe", {{llama3}}},
      {"gpt-2", ofGpt2},
      {"gpt-4o", ofGpt4o},
      {"jina-v2-code", ofGpt2},
      {"llama-bpe", ofLlama3},
      {"llama-v3", ofLlama3},
      {"llama3", ofLlama3},
      {"llama4", ofGpt4o},
      {"mellum", ofGpt2},
      {"minerva-7b", ofDigits},
      {"modern-bert", ofGpt2},
      {"mpt", ofGpt2},
      {"olmo", {{gpt2}, false, false, true}},
      {"phi-2", ofGpt2},
      {"pixtral", ofLlama3},
      {"qwen2", ofQwen2},
      {"refact", ofDigits},
      {"roberta-bpe", ofGpt2},
      {"smaug-bpe", {{llama3}}},
      {"smollm", ofDigits},
      {"stablelm2", ofQwen2},
      {"starcoder", ofDigits},
      {"tekken", {{tekken}, true, true}},
  };
  return all;
}

const GgufSplits *heddle::text::findGgufSplits(const std::string &name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::string heddle::text::ggufSplitNames() {
  std::string names;
  for (const auto &entry : table())
    names += (names.empty() ? "" : ", ") + entry.first;
  return names;
}

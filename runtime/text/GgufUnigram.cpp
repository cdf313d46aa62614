// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/GgufTokenizerParts.h"

using namespace heddle::text;

using Kind = GgufVocabulary::Kind;

// The map of characters that normalizes texts, if there is one.
static std::optional<Json> readCharsMap(const GgufVocabulary &vocabulary) {
  constexpr const char *name = "precompiled_charsmap";
  const auto *bytes = vocabulary.find<std::vector<int64_t>>(name);
  if (!bytes && vocabulary.has(name))
    vocabulary.fail(name, "an array of bytes");
  if (!bytes || bytes->empty())
    return std::nullopt;
  std::string map;
  for (int64_t byte : *bytes) {
    if (byte < INT8_MIN || byte > UINT8_MAX)
      vocabulary.fail(name, "an array of bytes");
    map += char(byte);
  }
  return Json{{"type", "Precompiled"}, {name, toBase64(map)}};
}

// Tokens that a text never has are empty, so that none is made of it.
static Json scoredTokens(const GgufVocabulary &vocabulary) {
  const std::vector<double> &scores = vocabulary.scores();
  Json list = Json::array();
  for (int64_t id = 0; id < vocabulary.size(); ++id) {
    Kind kind = vocabulary.kind(id);
    bool isOfText = kind == Kind::Normal || kind == Kind::Byte;
    list.push_back({kind == Kind::Unused ? "" : vocabulary.token(id),
                    isOfText ? scores[id] : 0.0});
  }
  return list;
}

Json heddle::text::readUnigram(const GgufVocabulary &vocabulary,
                               SecondText second) {
  vocabulary.text("pre");
  bool hasPrefix = vocabulary.flag("add_space_prefix", true);
  Json spaces = {{"type", "Metaspace"},
                 {"replacement", kSpace},
                 {"prepend_scheme", hasPrefix ? "always" : "never"},
                 {"split", true}};
  Json normalizers = Json::array();
  if (auto map = readCharsMap(vocabulary))
    normalizers.push_back(*map);
  if (vocabulary.flag("remove_extra_whitespaces", true)) {
    normalizers.push_back(
        {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    normalizers.push_back({{"type", "Replace"},
                           {"pattern", {{"Regex", " {2,}"}}},
                           {"content", " "}});
  }
  Json file = plainFile(vocabulary, /*stripsRight=*/false);
  if (!normalizers.empty())
    file["normalizer"] = sequence("normalizers", normalizers);
  file["pre_tokenizer"] = spaces;
  bool hasBytes = false;
  for (int64_t id = 0; id < vocabulary.size(); ++id)
    hasBytes |= vocabulary.kind(id) == Kind::Byte;
  file["model"] = {{"type", "Unigram"},
                   {"byte_fallback", hasBytes},
                   {"vocab", scoredTokens(vocabulary)}};
  auto unknown = vocabulary.idOf("unknown");
  for (int64_t id = 0; id < vocabulary.size() && !unknown; ++id)
    if (vocabulary.kind(id) == Kind::Unknown)
      unknown = id;
  if (unknown)
    file["model"]["unk_id"] = *unknown;
  file["decoder"] = spaces;
  file["post_processor"] =
      around(readMarks(vocabulary, false, true, second), vocabulary);
  return file;
}

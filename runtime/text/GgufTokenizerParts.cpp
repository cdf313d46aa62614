// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/GgufTokenizerParts.h"

using namespace heddle::text;

Json heddle::text::replace(const char *from, const char *to) {
  return {
      {"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

Json heddle::text::sequence(const char *list, Json parts) {
  return {{"type", "Sequence"}, {list, std::move(parts)}};
}

Json heddle::text::around(const Marks &marks,
                          const GgufVocabulary &vocabulary) {
  Json single = Json::array(), pair = Json::array(), tokens = Json::object();
  auto add = [&](Json &list, const std::optional<std::string> &token,
                 int type) {
    if (token)
      list.push_back({{"SpecialToken", {{"id", *token}, {"type_id", type}}}});
  };
  auto text = [](const char *name, int type) -> Json {
    return {{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  add(single, marks.start, 0);
  single.push_back(text("A", 0));
  add(single, marks.end, 0);
  pair = single;
  add(pair, marks.second, 1);
  pair.push_back(text("B", 1));
  add(pair, marks.end, 1);
  for (const std::optional<std::string> &token :
       {marks.start, marks.end, marks.second})
    for (int64_t id = 0; token && id < vocabulary.size(); ++id)
      if (vocabulary.token(id) == *token) {
        tokens[*token] = {{"id", *token}, {"ids", {id}}, {"tokens", {*token}}};
        break;
      }
  return {{"type", "TemplateProcessing"},
          {"single", single},
          {"pair", pair},
          {"special_tokens", tokens}};
}

// The token of `name` if the file, or else `byDefault`, says that texts have
// it.
static std::optional<std::string> marker(const GgufVocabulary &vocabulary,
                                         const std::string &name,
                                         bool byDefault) {
  std::string key = "add_" + name + "_token";
  if (!vocabulary.flag(key, byDefault))
    return std::nullopt;
  auto token = vocabulary.special(name);
  if (!token)
    vocabulary.fail(name + "_token_id",
                    "the id of a token, as " + key + " is true");
  return token;
}

std::optional<std::string>
heddle::text::separatorOf(const GgufVocabulary &vocabulary) {
  auto token = vocabulary.special("separator");
  // The key's first name was misspelt.
  return token ? token : vocabulary.special("seperator");
}

Marks heddle::text::readMarks(const GgufVocabulary &vocabulary,
                              bool startsByDefault, bool endsByDefault,
                              SecondText second) {
  Marks marks = {marker(vocabulary, "bos", startsByDefault),
                 marker(vocabulary, "eos", endsByDefault), std::nullopt};
  if (second == SecondText::Start)
    marks.second = marks.start;
  // It is what ends texts, too.
  auto separator = separatorOf(vocabulary);
  if (second == SecondText::Separator && vocabulary.flag("add_sep_token", true))
    marks.second = separator ? separator : marks.end;
  bool isKnown = second != SecondText::Start && marks.end;
  if (vocabulary.flag("add_sep_token", false) && !isKnown)
    vocabulary.fail("add_sep_token", "false");
  return marks;
}

Json heddle::text::plainFile(const GgufVocabulary &vocabulary,
                             bool stripsRight) {
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", vocabulary.addedTokens(stripsRight)}};
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/HuggingFaceTokenizer.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Files.h"
#include "runtime/text/TokenizerJson.h"
#include "runtime/text/Utf8.h"

#include <algorithm>

using namespace heddle::text;

//===-- reading -----------------------------------------------------------===//

/// "single": an array of {"Sequence": ...} and {"SpecialToken": {"id": name}},
/// where "special_tokens" has the ids for each name.
void HuggingFaceTokenizer::readTemplate(const Json &object,
                                        const std::string &where) {
  Fields fields(object, where);
  fields.rejectOthers({"type", "single", "pair", "special_tokens"});
  const Json *single = findArray(object, "single");
  if (!single)
    fields.fail("single", "an array");
  const Json *specialTokens = findObject(object, "special_tokens");
  if (!specialTokens)
    fields.fail("special_tokens", "an object");
  Template result{{}, where};
  for (size_t index = 0; index < single->size(); ++index) {
    const Json &element = (*single)[index];
    auto idIn = [&](const char *kind) {
      const Json *inside =
          element.is_object() ? findObject(element, kind) : nullptr;
      return inside ? findText(*inside, "id") : nullptr;
    };
    const std::string *sequence = idIn("Sequence");
    if (sequence && *sequence == "A") {
      result.parts.push_back({true, {}});
      continue;
    }
    const std::string *name = idIn("SpecialToken");
    const Json *token = name ? findObject(*specialTokens, *name) : nullptr;
    if (!token)
      fields.fail("single[" + std::to_string(index) + "]",
                  "sequence A or a token of 'special_tokens'",
                  describe(element));
    Fields tokenFields(*token, where + ".special_tokens." + *name);
    result.parts.push_back(
        {false, tokenFields.integers("ids", vocabularySize() - 1)});
  }
  templates.push_back(std::move(result));
}

void HuggingFaceTokenizer::readPostProcessor(const Json *value,
                                             const std::string &where) {
  auto visit = [&](const TokenizerComponent &component) {
    if (component.type == "TemplateProcessing")
      return readTemplate(component.object, component.where);
    if (component.type != "ByteLevel")
      component.unknownType("TemplateProcessing, ByteLevel, Sequence");
    // Only moves offsets into the text, which nothing here reports.
    Fields(component.object, component.where)
        .rejectOthers(
            {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  };
  forEachComponent(value, where, "processors", visit);
}

/// What the tokenizer's class puts around a text, whatever the post_processor.
void HuggingFaceTokenizer::readClass(const ClassTemplate &ofClass,
                                     const std::string &path) {
  Template result{{}, path};
  auto add = [&](const char *field, const std::optional<std::string> &token) {
    if (!token)
      return;
    std::optional<int32_t> id = idOf(*token);
    if (!id)
      throw Failure(path + ": field '" + field +
                    "': expected a token of tokenizer.json, got '" + *token +
                    "'");
    result.parts.push_back({false, {*id}});
  };
  add("bos_token", ofClass.start);
  result.parts.push_back({true, {}});
  add("eos_token", ofClass.end);
  templates = {std::move(result)};
}

void HuggingFaceTokenizer::read(const Json &file, const std::string &path,
                                const FileSet &files) {
  Fields fields(file, path);
  fields.rejectOthers({"version", "truncation", "padding", "added_tokens",
                       "normalizer", "pre_tokenizer", "model", "post_processor",
                       "decoder"});
  if (fields.text("version", "1.0") != "1.0")
    fields.fail("version", "1.0");
  // Of batches, and only where a caller asks for it: texts are encoded whole.
  for (const char *name : {"truncation", "padding"})
    if (fields.has(name) && !findObject(file, name))
      fields.fail(name, "an object or null");
  const Json *modelObject = findObject(file, "model");
  if (!modelObject)
    fields.fail("model", "an object");

  auto value = [&](const char *name) { return findField(file, name); };
  auto where = [&](const char *name) { return path + ": " + name; };
  model = BytePairEncoding::fromJson(*modelObject, where("model"));
  normalizer =
      TextNormalizer::fromJson(value("normalizer"), where("normalizer"));
  addedTokens = AddedTokens::fromJson(value("added_tokens"),
                                      where("added_tokens"), model, normalizer);
  preTokenizer =
      PreTokenizer::fromJson(value("pre_tokenizer"), where("pre_tokenizer"));
  decoder = TokenDecoder::fromJson(value("decoder"), where("decoder"));
  if (std::optional<ClassTemplate> ofClass = classTemplate(files))
    readClass(*ofClass, files.pathOf("tokenizer_config.json"));
  else
    readPostProcessor(value("post_processor"), where("post_processor"));
}

std::unique_ptr<Tokenizer>
HuggingFaceTokenizer::fromFiles(const FileSet &files) {
  std::unique_ptr<HuggingFaceTokenizer> tokenizer(new HuggingFaceTokenizer);
  constexpr const char *name = "tokenizer.json";
  tokenizer->read(readJsonFile(files, name), files.pathOf(name), files);
  return tokenizer;
}

//===-- encoding and decoding ---------------------------------------------===//

std::vector<int32_t> HuggingFaceTokenizer::encode(std::string_view text,
                                                  bool addSpecial) const {
  checkText(text);
  Budget budget(text.size());
  std::vector<int32_t> ids;
  for (const AddedTokens::Part &part :
       addedTokens.split(text, /*normalized=*/false, budget)) {
    if (part.id >= 0) {
      ids.push_back(part.id);
      continue;
    }
    bool startRemoved = false;
    std::string normalized =
        normalizer.run(part.of(text), budget, &startRemoved);
    for (const AddedTokens::Part &inside :
         addedTokens.split(normalized, /*normalized=*/true, budget)) {
      if (inside.id >= 0) {
        ids.push_back(inside.id);
        continue;
      }
      bool atStart = part.begin == 0 && inside.begin == 0 && !startRemoved;
      for (const std::string &piece :
           preTokenizer.run(inside.of(normalized), atStart, budget))
        model.encode(piece, ids);
    }
  }
  applyTemplates(ids, addSpecial, budget);
  return ids;
}

void HuggingFaceTokenizer::applyTemplates(std::vector<int32_t> &ids,
                                          bool addSpecial,
                                          const Budget &budget) const {
  for (const Template &step : templates) {
    std::vector<int32_t> result;
    for (const TemplatePart &part : step.parts) {
      if (!part.isText && !addSpecial)
        continue;
      const std::vector<int32_t> &added = part.isText ? ids : part.ids;
      budget.checkSize(result.size() + added.size(), step.where, "ids");
      result.insert(result.end(), added.begin(), added.end());
    }
    ids = std::move(result);
  }
}

std::string
HuggingFaceTokenizer::decode(const std::vector<int32_t> &ids) const {
  std::vector<std::string> tokens;
  for (int32_t id : ids) {
    if (id < 0)
      throw Failure("expected token ids >= 0, got " + std::to_string(id));
    if (isOmitted(id))
      continue;
    const AddedToken *added = addedTokens.find(id);
    tokens.push_back(added ? added->content : *model.tokenOf(id));
  }
  return decoder.run(std::move(tokens));
}

bool HuggingFaceTokenizer::isOmitted(int32_t id) const {
  if (const AddedToken *added = addedTokens.find(id))
    return added->special;
  return !model.tokenOf(id);
}

std::optional<int32_t>
HuggingFaceTokenizer::idOf(const std::string &token) const {
  std::optional<int32_t> id = addedTokens.idOf(token);
  return id ? id : model.idOf(token);
}

int32_t HuggingFaceTokenizer::vocabularySize() const {
  return std::max(model.idEnd(), addedTokens.idEnd());
}

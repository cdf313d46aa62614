// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/HuggingFaceTokenizer.h"

#include "compiler/tools/heddle-run/TokenizerJson.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;

//===-- reading -----------------------------------------------------------===//

/// Moves the value of `result` to `target`, or returns its error.
template <typename T> static Error moveTo(T &target, Expected<T> result) {
  if (!result)
    return result.takeError();
  target = std::move(*result);
  return Error::success();
}

/// "single": an array of {"Sequence": ...} and {"SpecialToken": {"id": name}},
/// where "special_tokens" has the ids for each name.
Error HuggingFaceTokenizer::readTemplate(const json::Object &object,
                                         const std::string &where) {
  JsonFields fields(object, where);
  rejectUnknownFields(fields, object,
                      {"type", "single", "pair", "special_tokens"});
  const json::Array *single = object.getArray("single");
  if (!single)
    fields.fail("single", "an array");
  const json::Object *specialTokens = object.getObject("special_tokens");
  if (!specialTokens)
    fields.fail("special_tokens", "an object");
  if (Error error = fields.takeError())
    return error;
  Template parts;
  for (const auto &[index, element] : enumerate(*single)) {
    const json::Object *piece = element.getAsObject();
    const json::Object *sequence =
        piece ? piece->getObject("Sequence") : nullptr;
    const json::Object *special =
        piece ? piece->getObject("SpecialToken") : nullptr;
    if (sequence && sequence->getString("id") == "A") {
      parts.push_back({true, {}});
      continue;
    }
    std::optional<StringRef> name =
        special ? special->getString("id") : std::nullopt;
    const json::Object *token =
        name ? specialTokens->getObject(*name) : nullptr;
    if (!token) {
      fields.fail(("single[" + Twine(index) + "]").str(),
                  "sequence A or a token of 'special_tokens'",
                  describe(element));
      return fields.takeError();
    }
    JsonFields tokenFields(*token, where + ".special_tokens." + name->str());
    SmallVector<int64_t> ids =
        tokenFields.integers("ids", 0, vocabularySize() - 1);
    if (Error error = tokenFields.takeError())
      return error;
    parts.push_back({false, {ids.begin(), ids.end()}});
  }
  templates.push_back(std::move(parts));
  return Error::success();
}

Error HuggingFaceTokenizer::readPostProcessor(const json::Value *value,
                                              const std::string &where) {
  auto visit = [&](const TokenizerComponent &component) -> Error {
    if (component.type == "TemplateProcessing")
      return readTemplate(component.object, component.where);
    if (component.type != "ByteLevel")
      return component.unknownType("TemplateProcessing, ByteLevel, Sequence");
    // Only moves offsets into the text, which nothing here reports.
    JsonFields fields(component.object, component.where);
    rejectUnknownFields(
        fields, component.object,
        {"type", "add_prefix_space", "trim_offsets", "use_regex"});
    return fields.takeError();
  };
  return forEachComponent(value, where, "processors", visit);
}

Error HuggingFaceTokenizer::read(const json::Object &file,
                                 const std::string &path) {
  JsonFields fields(file, path);
  rejectUnknownFields(fields, file,
                      {"version", "truncation", "padding", "added_tokens",
                       "normalizer", "pre_tokenizer", "model", "post_processor",
                       "decoder"});
  if (fields.text("version", "1.0") != "1.0")
    fields.fail("version", "1.0");
  for (StringRef name : {"truncation", "padding"})
    if (fields.has(name))
      fields.fail(name, "null, as it is not supported");
  const json::Object *modelObject = file.getObject("model");
  if (!modelObject)
    fields.fail("model", "an object");
  if (Error error = fields.takeError())
    return error;

  auto where = [&](StringRef name) { return (path + ": " + name).str(); };
  if (Error error = moveTo(
          model, BytePairEncoding::fromJson(*modelObject, where("model"))))
    return error;
  if (Error error =
          moveTo(normalizer, TextNormalizer::fromJson(file.get("normalizer"),
                                                      where("normalizer"))))
    return error;
  if (Error error =
          moveTo(addedTokens, AddedTokens::fromJson(file.get("added_tokens"),
                                                    where("added_tokens"),
                                                    model, normalizer)))
    return error;
  if (Error error =
          moveTo(preTokenizer, PreTokenizer::fromJson(file.get("pre_tokenizer"),
                                                      where("pre_tokenizer"))))
    return error;
  if (Error error = moveTo(decoder, TokenDecoder::fromJson(file.get("decoder"),
                                                           where("decoder"))))
    return error;
  return readPostProcessor(file.get("post_processor"), where("post_processor"));
}

Expected<std::unique_ptr<Tokenizer>>
HuggingFaceTokenizer::fromFile(StringRef path) {
  Expected<json::Object> file = readJsonFile(path);
  if (!file)
    return file.takeError();
  std::unique_ptr<HuggingFaceTokenizer> tokenizer(new HuggingFaceTokenizer);
  if (Error error = tokenizer->read(*file, path.str()))
    return error;
  return tokenizer;
}

//===-- encoding and decoding ---------------------------------------------===//

/// Appends the ids of normalized text between added tokens.
Error HuggingFaceTokenizer::encodePiece(StringRef text, bool atStart,
                                        std::vector<int32_t> &ids) const {
  Expected<std::vector<std::string>> pieces = preTokenizer.run(text, atStart);
  if (!pieces)
    return pieces.takeError();
  for (StringRef piece : *pieces)
    if (Error error = model.encode(piece, ids))
      return error;
  return Error::success();
}

Expected<std::vector<int32_t>>
HuggingFaceTokenizer::encode(StringRef text, bool addSpecial) const {
  if (Error error = checkText(text))
    return error;
  std::vector<int32_t> ids;
  for (const AddedTokens::Part &part : addedTokens.split(text, false)) {
    if (part.id >= 0) {
      ids.push_back(part.id);
      continue;
    }
    Expected<std::string> normalized = normalizer.run(part.of(text));
    if (!normalized)
      return normalized.takeError();
    for (const AddedTokens::Part &inside :
         addedTokens.split(*normalized, true)) {
      bool atStart = part.begin == 0 && inside.begin == 0;
      if (inside.id >= 0)
        ids.push_back(inside.id);
      else if (Error error = encodePiece(inside.of(*normalized), atStart, ids))
        return error;
    }
  }

  for (const Template &parts : templates) {
    std::vector<int32_t> result;
    for (const TemplatePart &part : parts) {
      if (part.isText)
        append_range(result, ids);
      else if (addSpecial)
        append_range(result, part.ids);
    }
    ids = std::move(result);
  }
  return ids;
}

Expected<std::string>
HuggingFaceTokenizer::decode(ArrayRef<int32_t> ids) const {
  std::vector<std::string> tokens;
  for (int32_t id : ids) {
    if (id < 0)
      return createStringError("expected token ids >= 0, got " + Twine(id));
    if (isOmitted(id))
      continue;
    const AddedToken *added = addedTokens.find(id);
    tokens.push_back(added ? added->text : model.tokenOf(id)->str());
  }
  return decoder.run(std::move(tokens));
}

bool HuggingFaceTokenizer::isOmitted(int32_t id) const {
  if (const AddedToken *added = addedTokens.find(id))
    return added->special;
  return !model.tokenOf(id);
}

int32_t HuggingFaceTokenizer::vocabularySize() const {
  return std::max(model.idEnd(), addedTokens.idEnd());
}

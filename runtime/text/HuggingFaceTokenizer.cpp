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

/// What the tokenizer's class puts around a text, whatever the post_processor.
PostProcessor HuggingFaceTokenizer::readClass(const ClassTemplate &ofClass,
                                              const std::string &path) const {
  auto idOfField =
      [&](const char *field,
          const std::optional<std::string> &token) -> std::optional<int32_t> {
    if (!token)
      return std::nullopt;
    std::optional<int32_t> id = idOf(*token);
    if (!id)
      throw Failure(path + ": field '" + field +
                    "': expected a token of tokenizer.json, got '" + *token +
                    "'");
    return id;
  };
  return PostProcessor(idOfField("bos_token", ofClass.start),
                       idOfField("eos_token", ofClass.end));
}

void HuggingFaceTokenizer::readSteps(const Json &file,
                                     const std::string &path) {
  auto value = [&](const char *name) { return findField(file, name); };
  auto where = [&](const char *name) { return path + ": " + name; };
  normalizer =
      TextNormalizer::fromJson(value("normalizer"), where("normalizer"));
  addedTokens =
      AddedTokens::fromJson(value("added_tokens"), where("added_tokens"),
                            model->vocabulary, normalizer);
  preTokenizer =
      PreTokenizer::fromJson(value("pre_tokenizer"), where("pre_tokenizer"));
  decoder = TokenDecoder::fromJson(value("decoder"), where("decoder"));
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
  if (const Json *truncation = findObject(file, "truncation"))
    truncationConfig.maximumLength = Fields(*truncation, path + ": truncation")
                                         .integer("max_length", INT32_MAX);
  const Json *modelObject = findObject(file, "model");
  if (!modelObject)
    fields.fail("model", "an object");
  model = TokenModel::fromJson(*modelObject, path + ": model");
  readSteps(file, path);
  if (std::optional<ClassTemplate> ofClass = classTemplate(files))
    postProcessor = readClass(*ofClass, files.pathOf("tokenizer_config.json"));
  else
    postProcessor = PostProcessor::fromJson(findField(file, "post_processor"),
                                            path + ": post_processor",
                                            vocabularySize() - 1);
}

std::unique_ptr<Tokenizer>
HuggingFaceTokenizer::fromFiles(const FileSet &files) {
  std::unique_ptr<HuggingFaceTokenizer> tokenizer(new HuggingFaceTokenizer);
  constexpr const char *name = "tokenizer.json";
  tokenizer->read(readJsonFile(files, name), files.pathOf(name), files);
  return tokenizer;
}

std::unique_ptr<Tokenizer>
HuggingFaceTokenizer::fromParts(TokenizerParts parts) {
  std::unique_ptr<HuggingFaceTokenizer> tokenizer(new HuggingFaceTokenizer);
  tokenizer->model = std::move(parts.model);
  tokenizer->readSteps(parts.steps, parts.path);
  tokenizer->postProcessor = std::move(parts.postProcessor);
  return tokenizer;
}

//===-- encoding and decoding ---------------------------------------------===//

std::vector<int32_t> HuggingFaceTokenizer::idsOf(std::string_view text) const {
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
        model->encode(piece, ids, budget);
    }
  }
  return ids;
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
    tokens.push_back(added ? added->content : *model->vocabulary.tokenOf(id));
  }
  return decoder.run(std::move(tokens));
}

bool HuggingFaceTokenizer::isOmitted(int32_t id) const {
  if (const AddedToken *added = addedTokens.find(id))
    return added->special;
  return !model->vocabulary.tokenOf(id);
}

std::optional<int32_t>
HuggingFaceTokenizer::idOf(const std::string &token) const {
  std::optional<int32_t> id = addedTokens.idOf(token);
  return id ? id : model->vocabulary.idOf(token);
}

int32_t HuggingFaceTokenizer::vocabularySize() const {
  return std::max(model->vocabulary.idEnd(), addedTokens.idEnd());
}

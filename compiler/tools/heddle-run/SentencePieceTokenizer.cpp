// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/SentencePieceTokenizer.h"

#include "compiler/Import/JsonFields.h"
#include "compiler/Support/Files.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <sentencepiece_processor.h>
#include <set>

using namespace llvm;
using namespace heddle;

static std::string fileIn(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

static Error toError(const std::string &where,
                     const sentencepiece::util::Status &status) {
  return status.ok() ? Error::success()
                     : createStringError(where + ": " + status.ToString());
}

namespace {
class SentencePieceTokenizer : public Tokenizer {
public:
  Error read(StringRef folder);

  Expected<std::vector<int32_t>> encode(StringRef text,
                                        bool addSpecial) const override;
  Expected<std::string> decode(ArrayRef<int32_t> ids) const override;
  bool isOmitted(int32_t id) const override;
  int32_t vocabularySize() const override { return processor.GetPieceSize(); }

private:
  Error readConfig(const std::string &path);
  Error readAddedTokens(const std::string &path);
  Error readMarker(JsonFields &fields, const json::Object &config,
                   StringRef name, bool byDefault, int32_t &id);
  Error checkAddedToken(const std::string &where, StringRef content,
                        int64_t id) const;
  std::optional<int32_t> idOf(StringRef piece) const;

  sentencepiece::SentencePieceProcessor processor;
  /// Put before and behind a text; -1 for none.
  int32_t startId = -1;
  int32_t endId = -1;
  /// What tokenizer_config.json calls special, in addition to the model.
  std::set<int32_t> specialIds;
};
} // namespace

//===-- reading -----------------------------------------------------------===//

std::optional<int32_t> SentencePieceTokenizer::idOf(StringRef piece) const {
  int32_t id = processor.PieceToId({piece.data(), piece.size()});
  // What is not a piece has the id of the unknown token.
  if (id < 0 || id >= processor.GetPieceSize() ||
      processor.IdToPiece(id) != piece)
    return std::nullopt;
  return id;
}

/// Reads whether the token `name` ("bos_token") is put around a text, and which
/// one it is; `id` is what the model says about that.
Error SentencePieceTokenizer::readMarker(JsonFields &fields,
                                         const json::Object &config,
                                         StringRef name, bool byDefault,
                                         int32_t &id) {
  std::string add = ("add_" + name).str();
  bool given = fields.has(add);
  bool wanted = given ? fields.boolean(add) : byDefault;
  if (const json::Value *token =
          fields.has(name) ? config.get(name) : nullptr) {
    // Text, or an object as for an added token.
    std::optional<StringRef> content = token->getAsString();
    if (const json::Object *object = token->getAsObject())
      content = object->getString("content");
    if (!content)
      fields.fail(name, "a string or an object with 'content'");
    else if (!content->empty()) {
      id = idOf(*content).value_or(-1);
      specialIds.insert(id);
      if (id < 0 && wanted)
        fields.fail(name, "a token of tokenizer.model");
    }
  }
  if (given && wanted && id < 0)
    fields.fail(add, "false, as tokenizer.model has no such token");
  if (!wanted)
    id = -1;
  return fields.takeError();
}

Error SentencePieceTokenizer::checkAddedToken(const std::string &where,
                                              StringRef content,
                                              int64_t id) const {
  if (idOf(content) == id)
    return Error::success();
  return createStringError(where +
                           ": expected only tokens of tokenizer.model, got '" +
                           content + "' with the id " + Twine(id));
}

/// tokenizer_config.json, as far as it changes ids.
Error SentencePieceTokenizer::readConfig(const std::string &path) {
  Expected<json::Object> config = sys::fs::exists(path)
                                      ? readJsonFile(path)
                                      : Expected<json::Object>(json::Object());
  if (!config)
    return config.takeError();
  JsonFields fields(*config, path);
  // Other classes put other tokens around a text, or renumber the tokens.
  if (fields.has("tokenizer_class") &&
      !is_contained({"LlamaTokenizer", "LlamaTokenizerFast", "GemmaTokenizer",
                     "GemmaTokenizerFast"},
                    fields.text("tokenizer_class")))
    fields.fail("tokenizer_class", "LlamaTokenizer or GemmaTokenizer");
  startId = processor.bos_id();
  endId = processor.eos_id();
  if (Error error = readMarker(fields, *config, "bos_token", true, startId))
    return error;
  if (Error error = readMarker(fields, *config, "eos_token", false, endId))
    return error;
  const json::Object *added = config->getObject("added_tokens_decoder");
  if (fields.has("added_tokens_decoder") && !added)
    fields.fail("added_tokens_decoder", "an object");
  for (StringRef key : added ? sortedKeys(*added) : SmallVector<StringRef>()) {
    const json::Object *token = added->getObject(key);
    std::optional<StringRef> content =
        token ? token->getString("content") : std::nullopt;
    int64_t id;
    if (!content || key.getAsInteger(10, id))
      fields.fail("added_tokens_decoder", "objects with 'content' by id");
    else if (Error error = checkAddedToken(path, *content, id))
      return error;
    else if (token->getBoolean("special").value_or(false))
      specialIds.insert(id);
  }
  return fields.takeError();
}

/// added_tokens.json: ids by token.
Error SentencePieceTokenizer::readAddedTokens(const std::string &path) {
  if (!sys::fs::exists(path))
    return Error::success();
  Expected<json::Object> tokens = readJsonFile(path);
  if (!tokens)
    return tokens.takeError();
  JsonFields fields(*tokens, path);
  for (StringRef token : sortedKeys(*tokens)) {
    int64_t id = fields.integer(token, 0, INT32_MAX);
    if (Error error = fields.takeError())
      return error;
    if (Error error = checkAddedToken(path, token, id))
      return error;
  }
  return Error::success();
}

Error SentencePieceTokenizer::read(StringRef folder) {
  std::string path = fileIn(folder, "tokenizer.model");
  auto file = readRegularFile(path);
  if (!file)
    return file.takeError();
  StringRef model = (*file)->getBuffer();
  if (Error error = toError(path, processor.LoadFromSerializedProto(
                                      {model.data(), model.size()})))
    return error;
  if (Error error = readConfig(fileIn(folder, "tokenizer_config.json")))
    return error;
  return readAddedTokens(fileIn(folder, "added_tokens.json"));
}

Expected<std::unique_ptr<Tokenizer>>
heddle::loadSentencePiece(StringRef folder) {
  auto tokenizer = std::make_unique<SentencePieceTokenizer>();
  if (Error error = tokenizer->read(folder))
    return error;
  return tokenizer;
}

//===-- encoding and decoding ---------------------------------------------===//

Expected<std::vector<int32_t>>
SentencePieceTokenizer::encode(StringRef text, bool addSpecial) const {
  if (Error error = checkText(text))
    return error;
  std::vector<int> pieces;
  if (Error error =
          toError("cannot encode the text",
                  processor.Encode({text.data(), text.size()}, &pieces)))
    return error;
  std::vector<int32_t> ids;
  if (addSpecial && startId >= 0)
    ids.push_back(startId);
  append_range(ids, pieces);
  if (addSpecial && endId >= 0)
    ids.push_back(endId);
  return ids;
}

Expected<std::string>
SentencePieceTokenizer::decode(ArrayRef<int32_t> ids) const {
  std::vector<int> pieces;
  for (int32_t id : ids) {
    if (id < 0)
      return createStringError("expected token ids >= 0, got " + Twine(id));
    if (!isOmitted(id))
      pieces.push_back(id);
  }
  std::string text;
  if (Error error =
          toError("cannot decode the tokens", processor.Decode(pieces, &text)))
    return error;
  return text;
}

bool SentencePieceTokenizer::isOmitted(int32_t id) const {
  return id < 0 || id >= processor.GetPieceSize() || specialIds.count(id) ||
         processor.IsControl(id) || processor.IsUnknown(id) ||
         processor.IsUnused(id);
}

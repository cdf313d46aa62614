// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/SentencePieceTokenizer.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Files.h"
#include "runtime/text/Json.h"
#include "runtime/text/SentencePieceModel.h"
#include "runtime/text/TokenizerConfig.h"
#include "runtime/text/Utf8.h"

#include <charconv>
#include <set>

using namespace heddle::text;

static void check(const std::string &where,
                  const sentencepiece::util::Status &status) {
  if (!status.ok())
    throw Failure(where + ": " + status.ToString());
}

namespace {
class SentencePieceTokenizer : public Tokenizer {
public:
  explicit SentencePieceTokenizer(const FileSet &files);

  std::string decode(const std::vector<int32_t> &ids) const override;
  bool isOmitted(int32_t id) const override;
  int32_t vocabularySize() const override { return processor->GetPieceSize(); }
  std::optional<int32_t> idOf(const std::string &piece) const override;

private:
  std::vector<int32_t> idsOf(std::string_view text) const override;
  void readConfig(const FileSet &files);
  void readAddedTokens(const FileSet &files);
  void readMarker(const Json &config, const Fields &fields,
                  const std::string &name, bool byDefault, int32_t &id);
  void checkAddedToken(const std::string &where, const std::string &content,
                       int64_t id) const;

  std::unique_ptr<const SentencePieceModel::Processor> processor;
  /// What tokenizer_config.json calls special, in addition to the model.
  std::set<int32_t> specialIds;
};
} // namespace

//===-- reading -----------------------------------------------------------===//

std::optional<int32_t>
SentencePieceTokenizer::idOf(const std::string &piece) const {
  int32_t id = processor->PieceToId(piece);
  // What is not a piece has the id of the unknown token.
  if (id < 0 || id >= processor->GetPieceSize() ||
      processor->IdToPiece(id) != piece)
    return std::nullopt;
  return id;
}

/// Reads whether the token `name` ("bos_token") is put around a text, and which
/// one it is; `id` is what the model says about that.
void SentencePieceTokenizer::readMarker(const Json &config,
                                        const Fields &fields,
                                        const std::string &name, bool byDefault,
                                        int32_t &id) {
  std::string add = "add_" + name;
  bool given = fields.has(add);
  bool wanted = given ? fields.boolean(add) : byDefault;
  if (fields.has(name)) {
    const std::string *content = specialTokenText(*findField(config, name));
    if (!content)
      fields.fail(name, "a string or an object with 'content'");
    if (!content->empty()) {
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
}

void SentencePieceTokenizer::checkAddedToken(const std::string &where,
                                             const std::string &content,
                                             int64_t id) const {
  if (idOf(content) != id)
    throw Failure(where + ": expected only tokens of tokenizer.model, got '" +
                  content + "' with the id " + std::to_string(id));
}

/// The number that all of `digits` are.
static std::optional<int64_t> idOfKey(const std::string &digits) {
  int64_t id;
  const char *end = digits.data() + digits.size();
  auto [rest, code] = std::from_chars(digits.data(), end, id);
  if (code != std::errc() || rest != end)
    return std::nullopt;
  return id;
}

/// tokenizer_config.json, as far as it changes ids.
void SentencePieceTokenizer::readConfig(const FileSet &files) {
  constexpr const char *name = "tokenizer_config.json";
  Json config = readTokenizerConfig(files);
  std::string path = files.pathOf(name);
  Fields fields(config, path);
  // Other classes put other tokens around a text, or renumber the tokens.
  if (fields.has("tokenizer_class")) {
    std::string name = fields.text("tokenizer_class");
    if (name != "LlamaTokenizer" && name != "LlamaTokenizerFast" &&
        name != "GemmaTokenizer" && name != "GemmaTokenizerFast")
      fields.fail("tokenizer_class", "LlamaTokenizer or GemmaTokenizer");
  }
  auto marker = [&](const char *name, bool byDefault, int32_t id) {
    readMarker(config, fields, name, byDefault, id);
    return id < 0 ? std::nullopt : std::optional(id);
  };
  std::optional<int32_t> start = marker("bos_token", true, processor->bos_id());
  std::optional<int32_t> end = marker("eos_token", false, processor->eos_id());
  postProcessor = PostProcessor(start, end);
  if (!fields.has("added_tokens_decoder"))
    return;
  const Json *added = findObject(config, "added_tokens_decoder");
  if (!added)
    fields.fail("added_tokens_decoder", "an object");
  for (const auto &entry : added->items()) {
    const Json &token = entry.value();
    const std::string *content =
        token.is_object() ? findText(token, "content") : nullptr;
    std::optional<int64_t> id = idOfKey(entry.key());
    if (!content || !id)
      fields.fail("added_tokens_decoder", "objects with 'content' by id");
    checkAddedToken(path, *content, *id);
    const Json *special = findField(token, "special");
    if (special && special->is_boolean() && special->get<bool>())
      specialIds.insert(int32_t(*id));
  }
}

/// added_tokens.json: ids by token.
void SentencePieceTokenizer::readAddedTokens(const FileSet &files) {
  constexpr const char *name = "added_tokens.json";
  if (!files.has(name))
    return;
  Json tokens = readJsonFile(files, name);
  std::string path = files.pathOf(name);
  Fields fields(tokens, path);
  for (const auto &entry : tokens.items())
    checkAddedToken(path, entry.key(), fields.integer(entry.key(), INT32_MAX));
}

SentencePieceTokenizer::SentencePieceTokenizer(const FileSet &files) {
  constexpr const char *name = "tokenizer.model";
  processor = SentencePieceModel::readProcessor(files, name);
  readConfig(files);
  readAddedTokens(files);
}

std::unique_ptr<Tokenizer>
heddle::text::loadSentencePiece(const FileSet &files) {
  return std::make_unique<SentencePieceTokenizer>(files);
}

//===-- encoding and decoding ---------------------------------------------===//

std::vector<int32_t>
SentencePieceTokenizer::idsOf(std::string_view text) const {
  checkText(text);
  std::vector<int> pieces;
  check("cannot encode the text",
        processor->Encode({text.data(), text.size()}, &pieces));
  return std::vector<int32_t>(pieces.begin(), pieces.end());
}

std::string
SentencePieceTokenizer::decode(const std::vector<int32_t> &ids) const {
  std::vector<int> pieces;
  for (int32_t id : ids) {
    if (id < 0)
      throw Failure("expected token ids >= 0, got " + std::to_string(id));
    if (!isOmitted(id))
      pieces.push_back(id);
  }
  std::string text;
  check("cannot decode the tokens", processor->Decode(pieces, &text));
  return text;
}

bool SentencePieceTokenizer::isOmitted(int32_t id) const {
  return id < 0 || id >= processor->GetPieceSize() || specialIds.count(id) ||
         processor->IsControl(id) || processor->IsUnknown(id) ||
         processor->IsUnused(id);
}

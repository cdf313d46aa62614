// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/TokenizerFolder.h"

#include "runtime/text/Files.h"

#include <algorithm>

using namespace heddle::text;

namespace {
struct TokenizerClass {
  const char *name;
  /// Of config.json, where no file names the class.
  const char *modelType;
  FolderKind kind;
};
} // namespace

static constexpr TokenizerClass classes[] = {
    {"BertTokenizer", "bert", FolderKind::Bert},
    {"DistilBertTokenizer", "distilbert", FolderKind::Bert},
    {"ElectraTokenizer", "electra", FolderKind::Bert},
    {"MobileBertTokenizer", "mobilebert", FolderKind::Bert},
    {"MPNetTokenizer", "mpnet", FolderKind::MPNet},
    {"GPT2Tokenizer", "gpt2", FolderKind::Gpt2},
    {"RobertaTokenizer", "roberta", FolderKind::Roberta},
    {"BartTokenizer", "bart", FolderKind::Roberta},
    {"CLIPTokenizer", "clip", FolderKind::Clip},
    {"WhisperTokenizer", "whisper", FolderKind::Whisper},
    {"T5Tokenizer", "t5", FolderKind::T5},
    {"MT5Tokenizer", "mt5", FolderKind::T5},
    {"XLMRobertaTokenizer", "xlm-roberta", FolderKind::XlmRoberta},
    {"MBartTokenizer", "mbart", FolderKind::MBart},
    {"MBart50Tokenizer", nullptr, FolderKind::MBart50},
    {"MarianTokenizer", "marian", FolderKind::Marian},
};

bool heddle::text::isTokenizerFolder(const FileSet &files) {
  for (const char *name : {"vocab.txt", "vocab.json", "spiece.model",
                           "sentencepiece.bpe.model", "source.spm"})
    if (files.has(name))
      return true;
  return false;
}

static std::string knownClasses() {
  std::string names;
  for (const TokenizerClass &entry : classes)
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

/// The class that the field of a file names; none where it is absent.
static const TokenizerClass *readClass(const FileSet &files, const char *file,
                                       const char *field) {
  if (!files.has(file))
    return nullptr;
  Json config = readJsonFile(files, file);
  Fields fields(config, files.pathOf(file));
  if (!fields.has(field))
    return nullptr;
  std::string name = fields.text(field);
  const auto *found = std::find_if(
      std::begin(classes), std::end(classes), [&](const TokenizerClass &entry) {
        return name == entry.name || name == entry.name + std::string("Fast");
      });
  if (found == std::end(classes))
    fields.fail(field,
                "one of " + knownClasses() + ", as there is no tokenizer.json");
  return found;
}

static const TokenizerClass *readModelType(const FileSet &files) {
  constexpr const char *file = "config.json";
  if (!files.has(file))
    return nullptr;
  Json config = readJsonFile(files, file);
  const std::string *type = findText(config, "model_type");
  const auto *found = std::find_if(
      std::begin(classes), std::end(classes), [&](const TokenizerClass &entry) {
        return type && entry.modelType && *type == entry.modelType;
      });
  return found == std::end(classes) ? nullptr : found;
}

static FolderKind kindOf(const FileSet &files) {
  constexpr const char *config = "tokenizer_config.json";
  constexpr const char *field = "tokenizer_class";
  const TokenizerClass *found = readClass(files, config, field);
  if (!found)
    found = readClass(files, "config.json", field);
  if (!found)
    found = readModelType(files);
  if (found)
    return found->kind;
  throw Failure(files.pathOf(config) + ": field '" + field +
                "': expected one of " + knownClasses() +
                ", as there is no tokenizer.json, got nothing");
}

std::unique_ptr<Tokenizer>
heddle::text::loadTokenizerFolder(const FileSet &files) {
  FolderKind kind = kindOf(files);
  auto read = [&] {
    switch (kind) {
    case FolderKind::Bert:
    case FolderKind::MPNet:
      return readWordPieceFolder(kind, files);
    case FolderKind::Gpt2:
    case FolderKind::Roberta:
    case FolderKind::Clip:
    case FolderKind::Whisper:
      return readByteLevelFolder(kind, files);
    default:
      return readSentencePieceFolder(kind, files);
    }
  };
  return HuggingFaceTokenizer::fromParts(read());
}

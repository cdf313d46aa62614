// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/SentencePieceModel.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Files.h"

using namespace heddle::text;

// Those of large vocabularies have 4 MB.
static constexpr size_t maxModelSize = 256'000'000;

std::unique_ptr<SentencePieceModel::Processor>
SentencePieceModel::readProcessor(const FileSet &files, const char *name) {
  auto processor = std::make_unique<Processor>();
  auto status = processor->LoadFromSerializedProto(
      files.read(name, maxModelSize, "a SentencePiece model"));
  if (!status.ok())
    throw Failure(files.pathOf(name) + ": " + status.ToString());
  return processor;
}

SentencePieceModel::SentencePieceModel(std::unique_ptr<Processor> processor,
                                       Vocabulary vocabulary, int32_t unknownId,
                                       bool hasLanguage)
    : TokenModel(std::move(vocabulary)), processor(std::move(processor)),
      unknownId(unknownId), hasLanguage(hasLanguage) {}

void SentencePieceModel::encode(std::string_view text,
                                std::vector<int32_t> &ids, Budget &) const {
  auto append = [&](std::string_view piece) {
    ids.push_back(vocabulary.idOf(piece).value_or(unknownId));
  };
  constexpr std::string_view begin = ">>", end = "<<";
  if (hasLanguage && text.substr(0, begin.size()) == begin) {
    size_t place = text.find(end);
    if (place != std::string_view::npos) {
      append(text.substr(0, place + end.size()));
      text.remove_prefix(place + end.size());
    }
  }
  std::vector<std::string> pieces;
  auto status = processor->Encode({text.data(), text.size()}, &pieces);
  if (!status.ok())
    throw Failure("cannot encode the text: " + status.ToString());
  for (const std::string &piece : pieces)
    append(piece);
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders without a tokenizer.json, which a class of transformers describes.

#ifndef HEDDLE_TEXT_TOKENIZERFOLDER_H
#define HEDDLE_TEXT_TOKENIZERFOLDER_H

#include "runtime/text/FolderTokens.h"
#include "runtime/text/HuggingFaceTokenizer.h"

namespace heddle::text {

/// Whether there is a vocabulary of such a folder.
bool isTokenizerFolder(const FileSet &files);

/// Reads the files of the class that tokenizer_config.json names, or else
/// config.json: vocab.txt, vocab.json and merges.txt, or SentencePiece models.
std::unique_ptr<Tokenizer> loadTokenizerFolder(const FileSet &files);

/// The kinds of classes.
enum class FolderKind {
  Bert,
  MPNet,
  Gpt2,
  Roberta,
  Clip,
  Whisper,
  T5,
  XlmRoberta,
  MBart,
  MBart50,
  Marian
};

// Each reads the folders of some kinds.

TokenizerParts readWordPieceFolder(FolderKind kind, const FileSet &files);
TokenizerParts readByteLevelFolder(FolderKind kind, const FileSet &files);
TokenizerParts readSentencePieceFolder(FolderKind kind, const FileSet &files);

} // namespace heddle::text

#endif // HEDDLE_TEXT_TOKENIZERFOLDER_H

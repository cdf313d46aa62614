// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/TextFiles.h"

#include "compiler/RuntimeError.h"
#include "compiler/Support/PrintableStream.h"
#include "runtime/text/heddle_text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/WithColor.h"

using namespace heddle;

// Does what option -c of the program does, which is the first to read the
// template. A program without that option is of use, too.
static void warnOfChat(const heddle_tokenizer *tokenizer) {
  if (!heddle_tokenizer_has_chat(tokenizer))
    return;
  heddle_message message = {"user", "Hello"};
  char *text = nullptr;
  size_t size = 0;
  heddle_error error = {};
  if (heddle_tokenizer_apply_chat(tokenizer, &message, 1, 1, &text, &size,
                                  &error)) {
    PrintableStream stream(llvm::errs());
    llvm::WithColor::warning(stream, "heddlec")
        << error.message << "; option -c of the program will fail\n";
  }
  heddle_text_free(text);
}

/// Files that a tokenizer has one of.
static constexpr llvm::StringLiteral vocabularies[] = {
    "tokenizer.json", "tokenizer.model", "vocab.txt",
    "vocab.json",     "spiece.model",    "sentencepiece.bpe.model"};

llvm::Expected<std::vector<EmbeddedFile>>
heddle::readTextFiles(llvm::StringRef path) {
  heddle_file *found = nullptr;
  size_t count = 0;
  heddle_error error = {};
  if (llvm::Error failure =
          toError(heddle_tokenizer_read_files(path.str().c_str(), &found,
                                              &count, &error),
                  error))
    return failure;
  llvm::scope_exit release([&] { heddle_text_free(found); });
  std::vector<EmbeddedFile> files;
  for (const heddle_file &file : llvm::ArrayRef(found, count))
    files.push_back(
        {file.name,
         std::string(static_cast<const char *>(file.data), file.size)});
  auto isVocabulary = [](const EmbeddedFile &file) {
    return llvm::is_contained(vocabularies, file.name);
  };
  if (llvm::none_of(files, isVocabulary))
    return std::vector<EmbeddedFile>();
  heddle_tokenizer *tokenizer = nullptr;
  // Messages name the path of a file.
  if (llvm::Error failure = toError(
          heddle_tokenizer_open(path.str().c_str(), &tokenizer, &error), error))
    return failure;
  warnOfChat(tokenizer);
  heddle_tokenizer_close(tokenizer);
  return files;
}

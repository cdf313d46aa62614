// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/TextFiles.h"

#include "compiler/RuntimeError.h"
#include "compiler/Support/Files.h"
#include "compiler/Support/PrintableStream.h"
#include "runtime/text/heddle_text.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
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
  std::vector<EmbeddedFile> files;
  std::string whole = path.str();
  heddle_error error = {};
  for (auto *name = heddle_tokenizer_file_names(); *name; ++name) {
    char *content = nullptr;
    size_t size = 0;
    if (llvm::Error failure =
            toError(heddle_tokenizer_read_file(whole.c_str(), *name, &content,
                                               &size, &error),
                    error))
      return failure;
    if (content)
      files.push_back({*name, std::string(content, size)});
    heddle_text_free(content);
  }
  auto isVocabulary = [](const EmbeddedFile &file) {
    return llvm::is_contained(vocabularies, file.name);
  };
  if (llvm::none_of(files, isVocabulary))
    return std::vector<EmbeddedFile>();
  heddle_tokenizer *tokenizer = nullptr;
  if (llvm::Error failure = toError(
          heddle_tokenizer_open(whole.c_str(), &tokenizer, &error), error))
    return failure;
  warnOfChat(tokenizer);
  heddle_tokenizer_close(tokenizer);
  return files;
}

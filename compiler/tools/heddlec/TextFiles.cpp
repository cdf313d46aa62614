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
heddle::readTextFiles(llvm::StringRef folder) {
  auto pathOf = [&](llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  };
  // A link that leads nowhere is there, and is found to be no file.
  auto isThere = [&](llvm::StringRef name) {
    llvm::sys::fs::file_status status;
    return !llvm::sys::fs::status(pathOf(name), status, /*follow=*/false);
  };
  std::vector<EmbeddedFile> files;
  if (llvm::none_of(vocabularies, isThere))
    return files;
  heddle_tokenizer *tokenizer = nullptr;
  heddle_error error = {};
  if (llvm::Error failure = toError(
          heddle_tokenizer_open(folder.str().c_str(), &tokenizer, &error),
          error))
    return failure;
  warnOfChat(tokenizer);
  heddle_tokenizer_close(tokenizer);
  for (auto *name = heddle_tokenizer_file_names(); *name; ++name) {
    if (!isThere(*name))
      continue;
    auto content = readRegularFile(pathOf(*name));
    if (!content)
      return content.takeError();
    files.push_back({*name, (*content)->getBuffer().str()});
  }
  return files;
}

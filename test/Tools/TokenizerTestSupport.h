// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the tests of tokenizers share: folders with tokenizer files, and short
// forms of calls that must succeed.

#ifndef HEDDLE_TEST_TOOLS_TOKENIZERTESTSUPPORT_H
#define HEDDLE_TEST_TOOLS_TOKENIZERTESTSUPPORT_H

#include "compiler/tools/heddle-run/Tokenizer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::test {

using Ids = std::vector<int32_t>;

/// A folder that lives as long as this object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("heddle-test", folder));
  }
  ~TemporaryFolder() { (void)llvm::sys::fs::remove_directories(folder); }
  TemporaryFolder(const TemporaryFolder &) = delete;

  llvm::StringRef path() const { return folder; }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  void write(llvm::StringRef name, llvm::StringRef content) const {
    std::error_code code;
    llvm::raw_fd_ostream(file(name), code) << content;
    EXPECT_FALSE(code);
  }

private:
  llvm::SmallString<128> folder;
};

inline llvm::Expected<std::unique_ptr<Tokenizer>>
parseTokenizer(llvm::StringRef json) {
  TemporaryFolder folder;
  folder.write("tokenizer.json", json);
  return Tokenizer::fromFolder(folder.path());
}

/// The value; a failed expectation and an empty value for an error.
template <typename T> T good(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return T();
}

/// The error's message; empty for a value.
template <typename T> std::string messageOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

/// What a stream returns for each id, and at its end.
inline std::vector<std::string> stream(const Tokenizer &tokenizer,
                                       llvm::ArrayRef<int32_t> ids,
                                       llvm::ArrayRef<int32_t> before = {}) {
  TokenStream stream(tokenizer, before);
  std::vector<std::string> texts;
  for (int32_t id : ids)
    texts.push_back(good(stream.push(id)));
  texts.push_back(good(stream.finish()));
  return texts;
}

} // namespace heddle::test

#endif // HEDDLE_TEST_TOOLS_TOKENIZERTESTSUPPORT_H

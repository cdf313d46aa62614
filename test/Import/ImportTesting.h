// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_IMPORT_IMPORTTESTING_H
#define HEDDLE_TEST_IMPORT_IMPORTTESTING_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace heddle {

/// `text` with ' for ", which C++ need not escape.
inline std::string asJson(llvm::StringRef text) {
  std::string result = text.str();
  for (char &c : result)
    if (c == '\'')
      c = '"';
  return result;
}

/// A Llama's config.json with `fields` (' for ") besides those that say what it
/// is.
inline std::string llamaConfig(llvm::StringRef fields) {
  return asJson(
      "{'architectures': ['LlamaForCausalLM'], 'model_type': 'llama'" +
      std::string(fields.empty() ? "" : ", ") + fields.str() + "}");
}

/// A folder of one test, gone when the test ends.
class TemporaryFolder {
public:
  TemporaryFolder() {
    if (llvm::sys::fs::createUniqueDirectory("heddle-test", folder))
      std::abort();
  }
  ~TemporaryFolder() { (void)llvm::sys::fs::remove_directories(folder); }

  llvm::StringRef path() const { return folder; }
  std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> result(folder);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  void write(llvm::StringRef name, llvm::StringRef bytes) const {
    std::error_code code;
    llvm::raw_fd_ostream stream(path(name), code);
    if (code)
      std::abort();
    stream << bytes;
  }

private:
  llvm::SmallString<128> folder;
};

} // namespace heddle

#endif // HEDDLE_TEST_IMPORT_IMPORTTESTING_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tokenizer in a GGUF file, as the files of the folder that it was
// converted from.

#ifndef HEDDLE_TEXT_GGUFTOKENIZER_H
#define HEDDLE_TEXT_GGUFTOKENIZER_H

#include "runtime/text/Files.h"

#include <map>

namespace heddle::text {

/// tokenizer.json, tokenizer_config.json and generation_config.json, as far as
/// a file's metadata tells what is in them; none where it has no vocabulary.
class GgufFiles : public FileSet {
public:
  /// Reads the metadata of the file at `path`. A kind of tokenizer that is not
  /// known is an error that names it.
  explicit GgufFiles(std::string path);

  bool has(const std::string &name) const override {
    return contents.count(name);
  }
  std::string read(const std::string &name, size_t limit,
                   const char *kind) const override;
  std::string pathOf(const std::string &name) const override {
    return path + ": as " + name;
  }
  Failure missing(const std::string &expected) const override;

private:
  std::string path;
  std::map<std::string, std::string> contents;
};

/// Whether there is a file at `path` that calls itself GGUF.
bool isGgufFile(const std::string &path);

} // namespace heddle::text

#endif // HEDDLE_TEXT_GGUFTOKENIZER_H

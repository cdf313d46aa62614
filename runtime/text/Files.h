// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The files of a tokenizer, which others wrote.

#ifndef HEDDLE_TEXT_FILES_H
#define HEDDLE_TEXT_FILES_H

#include "runtime/text/Failure.h"

#include <cstddef>
#include <string>

struct heddle_file;

namespace heddle::text {

/// Files by their names, wherever they are.
class FileSet {
public:
  virtual ~FileSet();

  virtual bool has(const std::string &name) const = 0;
  /// The content of the file, at most `limit` bytes of `kind` ("JSON").
  virtual std::string read(const std::string &name, size_t limit,
                           const char *kind) const = 0;
  /// How errors call the file.
  virtual std::string pathOf(const std::string &name) const = 0;
  /// What to throw where none of the files is there that `expected` tells.
  virtual Failure missing(const std::string &expected) const = 0;
};

/// The content of a regular file, at most `limit` bytes of `kind`. Reading
/// never waits, as opening a pipe would.
std::string readFile(const std::string &path, size_t limit, const char *kind);

/// The first `most` bytes of a regular file, or all where it has less.
std::string readStart(const std::string &path, size_t most);

/// The regular files in a folder. Reading never waits, as opening a pipe would.
/// What is in a file that is being written may be cut.
class Folder : public FileSet {
public:
  explicit Folder(std::string path) : path(std::move(path)) {}

  bool has(const std::string &name) const override;
  std::string read(const std::string &name, size_t limit,
                   const char *kind) const override;
  std::string pathOf(const std::string &name) const override;
  Failure missing(const std::string &expected) const override;

private:
  std::string path;
};

/// Files in memory, which must outlive this. No two may have one name.
class MemoryFiles : public FileSet {
public:
  MemoryFiles(const heddle_file *files, size_t count);

  bool has(const std::string &name) const override { return find(name); }
  std::string read(const std::string &name, size_t limit,
                   const char *kind) const override;
  std::string pathOf(const std::string &name) const override { return name; }
  Failure missing(const std::string &expected) const override;

private:
  const heddle_file *find(const std::string &name) const;

  const heddle_file *files;
  size_t count;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_FILES_H

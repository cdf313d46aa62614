// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The files of a tokenizer, which others wrote.

#ifndef HEDDLE_TEXT_FILES_H
#define HEDDLE_TEXT_FILES_H

#include <cstddef>
#include <string>

namespace heddle::text {

std::string fileIn(const std::string &folder, const std::string &name);

bool exists(const std::string &path);
bool isFolder(const std::string &path);

/// The content of a regular file of at most `limit` bytes of `kind` ("JSON").
/// Never waits, as opening a pipe would. What is in a file that is being
/// written may be cut.
std::string readFile(const std::string &path, size_t limit, const char *kind);

} // namespace heddle::text

#endif // HEDDLE_TEXT_FILES_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The header of a GGUF file: metadata, and where tensors lie.
// (https://github.com/ggml-org/ggml, docs/gguf.md)
//
// The compiler reads files with this, too: nothing here throws but
// std::bad_alloc.

#ifndef HEDDLE_TEXT_GGUFHEADER_H
#define HEDDLE_TEXT_GGUFHEADER_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::gguf {

/// A value of the metadata: integers of all widths are int64_t, floats double.
using Value = std::variant<bool, int64_t, double, std::string,
                           std::vector<bool>, std::vector<int64_t>,
                           std::vector<double>, std::vector<std::string>>;

/// A tensor as the header has it.
struct Tensor {
  std::string name;
  uint32_t type;              ///< ggml's number of it
  std::vector<int64_t> shape; ///< outermost dimension first; none is 0
  uint64_t offset;            ///< from the start of the data
};

struct Header {
  std::map<std::string, Value> metadata;
  std::vector<Tensor> tensors;
  uint64_t alignment = 32;
  uint64_t dataOffset = 0; ///< from the start of the file

  /// Null where there is no such key, or it is of another type.
  template <typename T> const T *find(const std::string &key) const {
    auto found = metadata.find(key);
    return found == metadata.end() ? nullptr : std::get_if<T>(&found->second);
  }
  bool has(const std::string &key) const { return metadata.count(key); }
};

/// The id of tokenizer.ggml.NAME_token_id, if it is below `vocabularySize`: one
/// that there is not may be the largest number of its type.
std::optional<int64_t> specialId(const Header &header, const std::string &name,
                                 int64_t vocabularySize);

/// The ids that end an answer: those that keys name, and special tokens whose
/// texts llama.cpp takes for the end of a turn, as files often name one alone.
std::vector<int64_t> endIds(const Header &header, int64_t vocabularySize);

/// Whether a file that begins with `bytes` calls itself GGUF.
bool isGguf(std::string_view bytes);

struct ParseResult {
  /// What is wrong, in the words of a message behind the file's name; empty
  /// where nothing is.
  std::string error;
  /// The header goes on behind the bytes.
  bool isCut = false;
};

/// Reads the header that `bytes`, from the start of a file on, begin with.
ParseResult parse(std::string_view bytes, Header &header);

/// A value as a message shows it.
std::string describe(const Value &value);

} // namespace heddle::gguf

#endif // HEDDLE_TEXT_GGUFHEADER_H

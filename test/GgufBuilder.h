// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// GGUF files that tests make, right ones and wrong ones.

#ifndef HEDDLE_TEST_GGUFBUILDER_H
#define HEDDLE_TEST_GGUFBUILDER_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::test {

class GgufBuilder {
public:
  uint32_t version = 3;

  /// A value of one of the format's types, as its bytes.
  void add(std::string_view key, uint32_t type, std::string_view value) {
    metadata += packed(key) + packed(type) + std::string(value);
    ++keys;
  }
  void set(std::string_view key, uint32_t value) { add(key, 4, packed(value)); }
  void set(std::string_view key, float value) { add(key, 6, packed(value)); }
  void set(std::string_view key, bool value) { add(key, 7, packed(value)); }
  void set(std::string_view key, const char *value) {
    add(key, 8, packed(std::string_view(value)));
  }
  void set(std::string_view key, const std::vector<std::string> &values) {
    std::string bytes = packed(uint32_t(8)) + packed(uint64_t(values.size()));
    for (const std::string &value : values)
      bytes += packed(std::string_view(value));
    add(key, 9, bytes);
  }
  template <typename T>
  void setNumbers(std::string_view key, uint32_t type,
                  const std::vector<T> &values) {
    std::string bytes = packed(type) + packed(uint64_t(values.size()));
    for (T value : values)
      bytes += packed(value);
    add(key, 9, bytes);
  }

  /// `shape` begins with ggml's first dimension, the fastest.
  void addTensor(std::string_view name, const std::vector<uint64_t> &shape,
                 uint32_t type, const std::string &bytes) {
    addTensorAt(name, shape, type, data.size());
    data += bytes;
    data.resize((data.size() + 31) / 32 * 32);
  }
  void addTensorAt(std::string_view name, const std::vector<uint64_t> &shape,
                   uint32_t type, uint64_t offset) {
    infos += packed(name) + packed(uint32_t(shape.size()));
    for (uint64_t size : shape)
      infos += packed(size);
    infos += packed(type) + packed(offset);
    ++tensors;
  }

  /// The bytes of a file, or of its header alone.
  std::string header() const {
    return "GGUF" + packed(version) + packed(tensors) + packed(keys) +
           metadata + infos;
  }
  std::string bytes() const {
    std::string all = header();
    all.resize((all.size() + 31) / 32 * 32);
    return all + data;
  }

  template <typename T> static std::string packed(T number) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &number, sizeof(T));
    return bytes;
  }
  static std::string packed(std::string_view text) {
    return packed(uint64_t(text.size())) + std::string(text);
  }

private:
  std::string metadata, infos, data;
  uint64_t keys = 0, tensors = 0;
};

} // namespace heddle::test

#endif // HEDDLE_TEST_GGUFBUILDER_H

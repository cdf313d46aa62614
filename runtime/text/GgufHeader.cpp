// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/GgufHeader.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

using namespace heddle::gguf;

static constexpr std::string_view kMagic = "GGUF";

/// The numbers of the format's types.
enum class Type : uint32_t {
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  F32,
  Bool,
  String,
  Array,
  U64,
  I64,
  F64
};

static size_t sizeOf(Type type) {
  switch (type) {
  case Type::U8:
  case Type::I8:
  case Type::Bool:
    return 1;
  case Type::U16:
  case Type::I16:
    return 2;
  case Type::U32:
  case Type::I32:
  case Type::F32:
    return 4;
  case Type::U64:
  case Type::I64:
  case Type::F64:
    return 8;
  default: // of a string, at least its length
    return 8;
  }
}

/// More than any file has, so that a wrong count is an error and no request of
/// memory.
static constexpr uint64_t kMostTensors = 1 << 20, kMostKeys = 1 << 20,
                          kLongestName = 1 << 16, kMostDimensions = 4,
                          kLargestAlignment = 1 << 30;

namespace {
class Parser {
public:
  Parser(std::string_view bytes, Header &header)
      : bytes(bytes), header(header) {}

  ParseResult run() {
    readAll();
    return std::move(result);
  }

private:
  bool failed() const { return result.isCut || !result.error.empty(); }
  void fail(const std::string &message) {
    if (!failed())
      result.error = message;
  }

  /// Little-endian, as hosts of this library are.
  template <typename T> T number() {
    T value = {};
    if (failed() || bytes.size() - at < sizeof(T)) {
      result.isCut |= !failed();
      return value;
    }
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    at += sizeof(T);
    return value;
  }

  std::string text() {
    auto size = number<uint64_t>();
    if (failed() || bytes.size() - at < size) {
      result.isCut |= !failed();
      return {};
    }
    std::string value(bytes.substr(at, size));
    at += size;
    return value;
  }

  void readAll();
  void readPair();
  void readTensor();
  template <typename Wide, typename Narrow>
  std::vector<Wide> numbers(uint64_t count) {
    std::vector<Wide> values;
    values.reserve(count);
    for (uint64_t i = 0; i < count && !failed(); ++i)
      values.push_back(static_cast<Wide>(number<Narrow>()));
    return values;
  }
  Value scalar(Type type, const std::string &key);
  Value array(const std::string &key);
  bool boolean(const std::string &key);

  std::string_view bytes;
  size_t at = 0;
  Header &header;
  ParseResult result;
  std::set<std::string> names;
};
} // namespace

/// A name as a message shows it: what is misread may be long.
static std::string shown(const std::string &name) {
  return name.size() <= 80 ? name : name.substr(0, 80) + "...";
}

static std::string keyPlace(const std::string &key) {
  return "key '" + shown(key) + "': ";
}

bool Parser::boolean(const std::string &key) {
  auto byte = number<uint8_t>();
  if (byte > 1)
    fail(keyPlace(key) + "expected a bool of 0 or 1, got " +
         std::to_string(byte));
  return byte == 1;
}

Value Parser::scalar(Type type, const std::string &key) {
  switch (type) {
  case Type::U8:
    return int64_t(number<uint8_t>());
  case Type::I8:
    return int64_t(number<int8_t>());
  case Type::U16:
    return int64_t(number<uint16_t>());
  case Type::I16:
    return int64_t(number<int16_t>());
  case Type::U32:
    return int64_t(number<uint32_t>());
  case Type::I32:
    return int64_t(number<int32_t>());
  case Type::I64:
    return number<int64_t>();
  case Type::U64: {
    auto value = number<uint64_t>();
    if (value > uint64_t(INT64_MAX))
      fail(keyPlace(key) + "expected a number below 2^63, got " +
           std::to_string(value));
    return int64_t(value);
  }
  case Type::F32:
    return double(number<float>());
  case Type::F64:
    return number<double>();
  case Type::Bool:
    return boolean(key);
  case Type::String:
    return text();
  case Type::Array:
    return array(key);
  }
  fail(keyPlace(key) + "expected one of the types 0 to 12, got " +
       std::to_string(uint32_t(type)));
  return false;
}

Value Parser::array(const std::string &key) {
  auto type = Type(number<uint32_t>());
  auto count = number<uint64_t>();
  if (failed())
    return false;
  if (type == Type::Array || uint32_t(type) > uint32_t(Type::F64)) {
    fail(keyPlace(key) +
         "expected an array of numbers, bools or strings, got "
         "one of type " +
         std::to_string(uint32_t(type)));
    return false;
  }
  if (count > (bytes.size() - at) / sizeOf(type)) {
    result.isCut = true;
    return false;
  }
  switch (type) {
  case Type::U8:
    return numbers<int64_t, uint8_t>(count);
  case Type::I8:
    return numbers<int64_t, int8_t>(count);
  case Type::U16:
    return numbers<int64_t, uint16_t>(count);
  case Type::I16:
    return numbers<int64_t, int16_t>(count);
  case Type::U32:
    return numbers<int64_t, uint32_t>(count);
  case Type::I32:
    return numbers<int64_t, int32_t>(count);
  case Type::U64:
    return numbers<int64_t, uint64_t>(count);
  case Type::I64:
    return numbers<int64_t, int64_t>(count);
  case Type::F32:
    return numbers<double, float>(count);
  case Type::F64:
    return numbers<double, double>(count);
  case Type::Bool: {
    std::vector<bool> values;
    for (uint64_t i = 0; i < count && !failed(); ++i)
      values.push_back(boolean(key));
    return values;
  }
  default: {
    std::vector<std::string> values;
    for (uint64_t i = 0; i < count && !failed(); ++i)
      values.push_back(text());
    return values;
  }
  }
}

void Parser::readPair() {
  std::string key = text();
  auto type = Type(number<uint32_t>());
  if (failed())
    return;
  if (key.empty() || key.size() > kLongestName)
    return fail("expected keys of 1 to 65536 bytes, got one of " +
                std::to_string(key.size()));
  Value value = scalar(type, key);
  if (failed())
    return;
  if (!header.metadata.emplace(key, std::move(value)).second)
    fail(keyPlace(key) + "expected once, got twice");
}

void Parser::readTensor() {
  Tensor tensor;
  tensor.name = text();
  auto dimensions = number<uint32_t>();
  if (failed())
    return;
  auto where = [&] { return "tensor '" + shown(tensor.name) + "': "; };
  if (tensor.name.empty() || tensor.name.size() > kLongestName)
    return fail("expected names of tensors of 1 to 65536 bytes, got one of " +
                std::to_string(tensor.name.size()));
  if (dimensions > kMostDimensions)
    return fail(where() + "expected at most 4 dimensions, got " +
                std::to_string(dimensions));
  uint64_t elements = 1;
  for (uint32_t d = 0; d < dimensions; ++d) {
    auto size = number<uint64_t>();
    if (failed())
      return;
    // Bytes of an element are few, so that they fit int64_t, too.
    if (size == 0 || size > (uint64_t(1) << 56) / elements)
      return fail(where() +
                  "expected dimensions from 1 on of less than 2^56 "
                  "elements, got " +
                  std::to_string(size));
    elements *= size;
    tensor.shape.insert(tensor.shape.begin(), int64_t(size));
  }
  tensor.type = number<uint32_t>();
  tensor.offset = number<uint64_t>();
  if (failed())
    return;
  if (tensor.offset % header.alignment != 0)
    return fail(where() + "expected an offset that is a multiple of " +
                std::to_string(header.alignment) + ", got " +
                std::to_string(tensor.offset));
  if (!names.insert(tensor.name).second)
    return fail(where() + "expected once, got twice");
  header.tensors.push_back(std::move(tensor));
}

void Parser::readAll() {
  if (bytes.size() >= kMagic.size() && !isGguf(bytes))
    return fail("expected a file that begins with GGUF");
  number<uint32_t>();
  auto version = number<uint32_t>();
  auto tensors = number<uint64_t>(), keys = number<uint64_t>();
  if (failed())
    return;
  if (version == 0x02000000 || version == 0x03000000)
    return fail("expected a little-endian file, got a big-endian one");
  if (version != 2 && version != 3)
    return fail("expected version 2 or 3 of GGUF, got " +
                std::to_string(version));
  if (tensors > kMostTensors || keys > kMostKeys)
    return fail("expected at most 2^20 tensors and keys, got " +
                std::to_string(tensors) + " and " + std::to_string(keys));
  for (uint64_t i = 0; i < keys && !failed(); ++i)
    readPair();
  constexpr const char *alignment = "general.alignment";
  if (!failed() && header.has(alignment)) {
    const auto *value = header.find<int64_t>(alignment);
    if (!value || *value < 1 || uint64_t(*value) > kLargestAlignment ||
        (*value & (*value - 1)) != 0)
      return fail(keyPlace(alignment) + "expected a power of two, got " +
                  describe(header.metadata[alignment]));
    header.alignment = *value;
  }
  for (uint64_t i = 0; i < tensors && !failed(); ++i)
    readTensor();
  header.dataOffset =
      (at + header.alignment - 1) / header.alignment * header.alignment;
}

bool heddle::gguf::isGguf(std::string_view bytes) {
  return bytes.substr(0, kMagic.size()) == kMagic;
}

ParseResult heddle::gguf::parse(std::string_view bytes, Header &header) {
  header = Header();
  return Parser(bytes, header).run();
}

//===-- tokens ------------------------------------------------------------===//

std::optional<int64_t> heddle::gguf::specialId(const Header &header,
                                               const std::string &name,
                                               int64_t vocabularySize) {
  const auto *id = header.find<int64_t>("tokenizer.ggml." + name + "_token_id");
  return id && *id >= 0 && *id < vocabularySize ? std::optional(*id)
                                                : std::nullopt;
}

// Those of llama.cpp's llama-vocab.cpp.
static constexpr std::string_view kEnds[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "[e~[",
    "<\uff5cend\u2581of\u2581sentence\uff5c>"};

std::vector<int64_t> heddle::gguf::endIds(const Header &header,
                                          int64_t vocabularySize) {
  std::vector<int64_t> ids;
  auto add = [&](int64_t id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end())
      ids.push_back(id);
  };
  for (const char *name : {"eos", "eot", "eom"})
    if (auto id = specialId(header, name, vocabularySize))
      add(*id);
  const auto *tokens =
      header.find<std::vector<std::string>>("tokenizer.ggml.tokens");
  const auto *types =
      header.find<std::vector<int64_t>>("tokenizer.ggml.token_type");
  if (!tokens || !types || types->size() != tokens->size())
    return ids;
  constexpr int64_t control = 3;
  std::map<std::string_view, int64_t> found;
  for (int64_t id = 0; id < int64_t(tokens->size()) && id < vocabularySize;
       ++id)
    if ((*types)[id] == control && std::find(std::begin(kEnds), std::end(kEnds),
                                             (*tokens)[id]) != std::end(kEnds))
      found.emplace((*tokens)[id], id);
  // There it is the end of a part of an answer.
  bool isHarmony = found.count("<|call|>") && found.count("<|return|>");
  bool isSolar = found.count("<|calls|>") && found.count("<|flush|>");
  for (std::string_view text : kEnds)
    if (auto at = found.find(text);
        at != found.end() && !(text == "<|end|>" && (isHarmony || isSolar)))
      add(at->second);
  return ids;
}

//===-- messages ----------------------------------------------------------===//

static std::string textOf(double number) {
  char text[32];
  snprintf(text, sizeof(text), "%.9g", number);
  return text;
}

std::string heddle::gguf::describe(const Value &value) {
  if (const auto *truth = std::get_if<bool>(&value))
    return *truth ? "true" : "false";
  if (const auto *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (const auto *number = std::get_if<double>(&value))
    return textOf(*number);
  if (const auto *text = std::get_if<std::string>(&value))
    return "'" + text->substr(0, 80) + "'";
  return "an array";
}

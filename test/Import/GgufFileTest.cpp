// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// GGUF files: headers, tensors, and blocks of all types.

#include "compiler/Import/Gguf/GgufFile.h"
#include "compiler/Import/ElementFormats.h"
#include "compiler/Import/Gguf/BlockFormats.h"
#include "test/GgufBuilder.h"
#include "test/Import/ImportTesting.h"

#include "llvm/Support/MemoryBuffer.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using heddle::test::GgufBuilder;
using testing::HasSubstr;

namespace {
class Gguf : public testing::Test {
protected:
  llvm::Expected<GgufFile> open(llvm::StringRef bytes,
                                llvm::StringRef name = "m.gguf") {
    folder.write(name, bytes);
    return openGguf(folder.path(name));
  }

  /// The message about the file, without its path.
  std::string error(llvm::StringRef bytes) {
    auto file = open(bytes);
    if (file)
      return "";
    std::string message = llvm::toString(file.takeError());
    std::string start = folder.path("m.gguf") + ": ";
    EXPECT_TRUE(llvm::StringRef(message).starts_with(start)) << message;
    return message.substr(start.size());
  }
  std::string error(const GgufBuilder &builder) {
    return error(builder.bytes());
  }

  TemporaryFolder folder;
};
} // namespace

static std::string floats(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += GgufBuilder::packed(float(i));
  return bytes;
}

TEST_F(Gguf, reads_metadata_and_tensors) {
  GgufBuilder b;
  b.set("a.text", "wörd");
  b.set("a.number", 7u);
  b.set("a.float", 0.5f);
  b.set("a.truth", true);
  b.add("a.wide", 11, GgufBuilder::packed(int64_t(-5)));
  b.setNumbers<int16_t>("a.numbers", 3, {-1, 2});
  b.set("a.texts", std::vector<std::string>{"x", ""});
  b.addTensor("t", {3, 2}, 0, floats(6));
  b.addTensor("scalar", {}, 0, floats(1));
  auto file = open(b.bytes());
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  const gguf::Header &h = file->header;
  EXPECT_EQ(*h.find<std::string>("a.text"), "wörd");
  EXPECT_EQ(*h.find<int64_t>("a.number"), 7);
  EXPECT_EQ(*h.find<double>("a.float"), 0.5);
  EXPECT_EQ(*h.find<bool>("a.truth"), true);
  EXPECT_EQ(*h.find<int64_t>("a.wide"), -5);
  EXPECT_EQ(*h.find<std::vector<int64_t>>("a.numbers"),
            (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(*h.find<std::vector<std::string>>("a.texts"),
            (std::vector<std::string>{"x", ""}));
  EXPECT_EQ(h.find<bool>("a.number"), nullptr);
  const TensorEntry *t = file->tensors.find("t");
  ASSERT_TRUE(t);
  EXPECT_EQ(llvm::ArrayRef<int64_t>(t->shape), llvm::ArrayRef<int64_t>({2, 3}));
  float last;
  t->read(5, 1, reinterpret_cast<uint8_t *>(&last));
  EXPECT_EQ(last, 5);
  EXPECT_TRUE(file->tensors.find("scalar")->shape.empty());
}

TEST_F(Gguf, a_tensor_of_an_unknown_type_does_no_harm) {
  GgufBuilder b;
  b.addTensor("t", {3}, 99, "");
  auto file = open(b.bytes());
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(file->tensors.find("t")->dtype, "type 99 of ggml");
  EXPECT_FALSE(file->tensors.find("t")->type);
}

TEST_F(Gguf, negative_start) {
  EXPECT_EQ(error(""), "expected at least the 24 bytes of a GGUF file's "
                       "counts, got 0 bytes");
  EXPECT_EQ(error(std::string(24, 'x')),
            "expected a file that begins with GGUF");
  GgufBuilder b;
  b.version = 1;
  EXPECT_EQ(error(b), "expected version 2 or 3 of GGUF, got 1");
  b.version = 0x03000000;
  EXPECT_EQ(error(b), "expected a little-endian file, got a big-endian one");
  EXPECT_THAT(error("GGUF" + GgufBuilder::packed(3u) +
                    GgufBuilder::packed(~0ull) + GgufBuilder::packed(0ull)),
              HasSubstr("expected at most 2^20 tensors and keys"));
}

// Wherever a header is cut, that is what the message says.
TEST_F(Gguf, negative_cut) {
  GgufBuilder b;
  b.set("a.text", "word");
  b.set("a.texts", std::vector<std::string>{"x", "yz"});
  b.addTensor("t", {3, 2}, 0, floats(6));
  std::string header = b.header();
  for (size_t size = 24; size < header.size(); ++size)
    EXPECT_THAT(error(llvm::StringRef(header).take_front(size)),
                HasSubstr("in which it does not end"))
        << size;
  std::string whole = b.bytes();
  whole.resize(whole.size() - 9); // with the padding
  EXPECT_THAT(error(whole), HasSubstr("tensor 't': expected 24 bytes of data "
                                      "from byte 0 of the data on, which has "
                                      "23 bytes: the file is cut"));
  // A length that no file can have asks for no memory.
  EXPECT_THAT(error("GGUF" + GgufBuilder::packed(3u) +
                    GgufBuilder::packed(0ull) + GgufBuilder::packed(1ull) +
                    GgufBuilder::packed(~0ull)),
              HasSubstr("in which it does not end"));
}

TEST_F(Gguf, negative_values) {
  GgufBuilder twice;
  twice.set("a", 1u);
  twice.set("a", 2u);
  EXPECT_EQ(error(twice), "key 'a': expected once, got twice");
  GgufBuilder truth;
  truth.add("a", 7, "\2");
  EXPECT_EQ(error(truth), "key 'a': expected a bool of 0 or 1, got 2");
  GgufBuilder type;
  type.add("a", 13, "");
  EXPECT_EQ(error(type), "key 'a': expected one of the types 0 to 12, got 13");
  GgufBuilder nested;
  nested.setNumbers<uint64_t>("a", 9, {0});
  EXPECT_EQ(error(nested), "key 'a': expected an array of numbers, bools or "
                           "strings, got one of type 9");
  GgufBuilder large;
  large.add("a", 10, GgufBuilder::packed(~0ull));
  EXPECT_EQ(error(large), "key 'a': expected a number below 2^63, got "
                          "18446744073709551615");
  GgufBuilder unnamed;
  unnamed.set("", 1u);
  EXPECT_EQ(error(unnamed), "expected keys of 1 to 65536 bytes, got one of 0");
  for (uint32_t alignment : {0u, 24u}) {
    GgufBuilder b;
    b.set("general.alignment", alignment);
    EXPECT_EQ(error(b), "key 'general.alignment': expected a power of two, "
                        "got " +
                            std::to_string(alignment));
  }
}

TEST_F(Gguf, negative_tensors) {
  auto one = [&](const std::vector<uint64_t> &shape, uint32_t type = 0,
                 uint64_t offset = 0) {
    GgufBuilder b;
    b.addTensorAt("t", shape, type, offset);
    return error(b);
  };
  EXPECT_EQ(one({1, 1, 1, 1, 1}),
            "tensor 't': expected at most 4 dimensions, got 5");
  EXPECT_THAT(one({4, 0}), HasSubstr("tensor 't': expected dimensions from 1 "
                                     "on of less than 2^56 elements, got 0"));
  EXPECT_THAT(one({1ull << 40, 1ull << 40}), HasSubstr("of less than 2^56"));
  EXPECT_THAT(one({4}, 0, 5),
              HasSubstr("expected an offset that is a multiple of 32, got 5"));
  EXPECT_THAT(one({4}, 0, 1ull << 63), HasSubstr("the file is cut"));
  EXPECT_THAT(one({48}, 2), HasSubstr("expected rows of whole blocks of 32 "
                                      "elements, as Q4_0 has, got rows of 48"));
  GgufBuilder twice;
  twice.addTensor("t", {1}, 0, floats(1));
  twice.addTensor("t", {1}, 0, floats(1));
  EXPECT_EQ(error(twice), "tensor 't': expected once, got twice");
}

TEST_F(Gguf, negative_part_of_blocks) {
  GgufBuilder b;
  b.addTensor("t", {32}, 8, std::string(34, '\0'));
  b.addTensor("t.codes", {1}, 0, floats(1));
  EXPECT_EQ(error(b), "tensor 't.codes': expected a name that no part of a "
                      "tensor of blocks has, found one");
}

TEST_F(Gguf, reads_files_that_one_was_split_into) {
  GgufBuilder first, second;
  first.set("split.count", 2u);
  first.addTensor("a", {2}, 0, floats(2));
  second.addTensor("b", {3}, 0, floats(3));
  folder.write("m-00002-of-00002.gguf", second.bytes());
  auto file = open(first.bytes(), "m-00001-of-00002.gguf");
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_TRUE(file->tensors.find("a"));
  EXPECT_TRUE(file->tensors.find("b"));
  EXPECT_EQ(error(first), "expected the first file of 2, whose name ends with "
                          "'-00001-of-00002.gguf'");
  GgufBuilder other;
  other.set("split.no", 2u);
  folder.write("m-00002-of-00002.gguf", other.bytes());
  auto wrong = openGguf(folder.path("m-00001-of-00002.gguf"));
  ASSERT_FALSE(bool(wrong));
  EXPECT_THAT(llvm::toString(wrong.takeError()),
              HasSubstr("expected 'split.no' 1 and 'split.count' 2, found 2 "
                        "and nothing"));
  EXPECT_EQ(error(other), "");
  other.set("split.count", 3u);
  EXPECT_EQ(error(other), "key 'split.no': expected 0, the first of the "
                          "files, found 2");
  folder.write("m-00002-of-00002.gguf", first.bytes());
  auto twice = openGguf(folder.path("m-00001-of-00002.gguf"));
  ASSERT_FALSE(bool(twice));
  EXPECT_THAT(llvm::toString(twice.takeError()),
              HasSubstr("tensor 'a': expected in one of the files, got it in "
                        "two"));
}

//===-- blocks ------------------------------------------------------------===//

// s * q - m of all elements of a tensor.
static std::vector<float> decode(const TensorSource &tensors,
                                 const BlockFormat &format) {
  auto read = [&](llvm::StringRef end) {
    const TensorEntry *entry = tensors.find(("t" + end).str());
    std::vector<double> numbers;
    if (!entry)
      return numbers;
    int64_t count = llvm::product_of(entry->shape);
    std::vector<uint8_t> bytes(count * bytesOfElement(*entry->type));
    entry->read(0, count, bytes.data());
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(loadNumber(bytes.data(), *entry->type, i));
    return numbers;
  };
  std::vector<double> codes = read(kCodesEnd), scales = read(kScalesEnd),
                      minimums = read(kMinimumsEnd);
  std::vector<float> values;
  for (auto [i, code] : llvm::enumerate(codes)) {
    int64_t group = int64_t(i) / format.group();
    values.push_back(
        float(scales[group] * code - (minimums.empty() ? 0 : minimums[group])));
    if (format.isHalfByte) {
      bool isSigned = format.codes.type == HEDDLE_TYPE_I8;
      EXPECT_GE(code, isSigned ? -8 : 0);
      EXPECT_LE(code, isSigned ? 7 : 15);
    }
  }
  return values;
}

// Part of a row, from inside of a block on.
TEST_F(Gguf, reads_parts_of_blocks) {
  std::string bytes;
  for (int block = 0; block < 3; ++block) {
    bytes += GgufBuilder::packed(uint16_t(0x3c00));
    for (int i = 0; i < 32; ++i)
      bytes += char(block * 32 + i);
  }
  GgufBuilder b;
  b.addTensor("t", {96}, 8, bytes);
  auto file = open(b.bytes());
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  const TensorEntry *codes = file->tensors.find("t.codes");
  ASSERT_TRUE(codes);
  for (auto [first, count] : {std::pair(0, 96), std::pair(5, 3),
                              std::pair(30, 40), std::pair(64, 32)}) {
    std::vector<uint8_t> read(count);
    codes->read(first, count, read.data());
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(read[i], first + i);
  }
}

// Bytes that ggml's own Python package has quantised or that are random, and
// the numbers that it makes of them: ../shared/realdata.
TEST_F(Gguf, decodes_blocks_as_ggml_does) {
  const char *root = std::getenv("HEDDLE_REALDATA");
  if (!root)
    GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
  std::string vectors = std::string(root) + "/gguf-dequant-vectors/";
  auto read = [](const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    EXPECT_TRUE(bool(buffer)) << path;
    return buffer ? (*buffer)->getBuffer().str() : "";
  };
  for (llvm::StringRef name :
       {"Q4_0", "quantized-Q4_0", "Q4_1", "quantized-Q4_1", "Q5_0",
        "quantized-Q5_0", "Q5_1", "quantized-Q5_1", "Q8_0", "quantized-Q8_0",
        "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS"}) {
    llvm::StringRef kind = name;
    kind.consume_front("quantized-");
    const BlockFormat *format = findBlockFormat(kind);
    ASSERT_TRUE(format && format->isBlocked()) << name.str();
    std::string blocks = read(vectors + name.str() + ".bin"),
                right = read(vectors + name.str() + ".f32");
    GgufBuilder b;
    b.addTensor("t", {right.size() / 4}, format->number, blocks);
    auto file = open(b.bytes());
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    std::vector<float> values = decode(file->tensors, *format);
    ASSERT_EQ(values.size() * 4, right.size());
    for (auto [i, value] : llvm::enumerate(values)) {
      float expected;
      std::memcpy(&expected, right.data() + 4 * i, 4);
      ASSERT_EQ(value, expected) << name.str() << " " << i;
    }
  }
}

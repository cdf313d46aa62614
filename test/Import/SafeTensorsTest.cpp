// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/SafeTensors.h"

#include "test/Import/ImportTesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#ifdef __unix__
#include <unistd.h>
#endif

using namespace llvm;
using namespace heddle;

namespace {

/// The bytes of a safetensors file.
std::string fileOf(StringRef header, size_t dataSize) {
  std::string bytes(8, '\0');
  support::endian::write64le(bytes.data(), header.size());
  bytes += header;
  for (size_t i = 0; i < dataSize; ++i)
    bytes += char('a' + i % 26);
  return bytes;
}

/// Opens the folder, which must fail with a message that holds each of `parts`.
void expectError(const TemporaryFolder &folder,
                 std::initializer_list<StringRef> parts) {
  Expected<SafeTensors> tensors = SafeTensors::openFolder(folder.path());
  ASSERT_FALSE(bool(tensors)) << "expected an error";
  std::string message = toString(tensors.takeError());
  for (StringRef part : parts)
    EXPECT_NE(message.find(part.str()), std::string::npos)
        << "expected: " << part.str() << "\nmessage:  " << message;
}

/// The same with `bytes` as the folder's only file.
void expectFileError(StringRef bytes, std::initializer_list<StringRef> parts) {
  TemporaryFolder folder;
  folder.write("model.safetensors", bytes);
  expectError(folder, parts);
  expectError(folder, {"model.safetensors: "});
}

/// The same with a header of tensors (' for ") and `dataSize` bytes of data.
void expectHeaderError(StringRef header, size_t dataSize,
                       std::initializer_list<StringRef> parts) {
  expectFileError(fileOf(json(header), dataSize), parts);
}

/// The same with one tensor 'x' of these fields.
void expectTensorError(StringRef fields, size_t dataSize, StringRef part) {
  expectHeaderError(("{'x':" + fields + "}").str(), dataSize,
                    {"tensor 'x'", part});
}

const char *oneTensor =
    "{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}";

//===-- what is read ------------------------------------------------------===//

TEST(SafeTensors, readsOneFile) {
  TemporaryFolder folder;
  // The name of one is escaped; an empty tensor lies between two; the header is
  // padded; unsupported dtypes are listed.
  folder.write(
      "model.safetensors",
      fileOf(json("{'__metadata__':{'format':'pt'},"
                  "'b\\u002e1':{'dtype':'BF16','shape':[2,3],"
                  "'data_offsets':[4,16]},"
                  "'scalar':{'dtype':'F32','shape':[],'data_offsets':[0,4]},"
                  "'empty':{'dtype':'F16','shape':[0,7],"
                  "'data_offsets':[16,16]},"
                  "'a':{'dtype':'I64','shape':[1],'data_offsets':[16,24]},"
                  "'z':{'dtype':'F4','shape':[3],'data_offsets':[24,26]}}   "),
             26));
  Expected<SafeTensors> opened = SafeTensors::openFolder(folder.path());
  ASSERT_TRUE(bool(opened)) << toString(opened.takeError());
  // Entries survive a move of their owner.
  SafeTensors tensors = std::move(*opened);

  ASSERT_EQ(tensors.tensors().size(), 5u);
  const char *names[] = {"a", "b.1", "empty", "scalar", "z"};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(tensors.tensors()[i].name, names[i]);

  const TensorEntry *b = tensors.find("b.1");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->type, StorageType::BF16);
  EXPECT_EQ(b->dtype, "BF16");
  EXPECT_EQ(b->shape, (SmallVector<int64_t>{2, 3}));
  EXPECT_EQ(toStringRef(b->data), "efghijklmnop");
  EXPECT_EQ(b->file, folder.path("model.safetensors"));
  EXPECT_EQ(tensors.find("scalar")->type, StorageType::F32);
  EXPECT_EQ(toStringRef(tensors.find("scalar")->data), "abcd");
  EXPECT_TRUE(tensors.find("scalar")->shape.empty());
  EXPECT_EQ(tensors.find("empty")->type, StorageType::F16);
  EXPECT_TRUE(tensors.find("empty")->data.empty());
  EXPECT_EQ(tensors.find("a")->type, StorageType::Unsupported);
  EXPECT_EQ(tensors.find("a")->dtype, "I64");
  EXPECT_EQ(tensors.find("z")->type, StorageType::Unsupported);
  EXPECT_EQ(tensors.find("z")->dtype, "F4");
  EXPECT_EQ(tensors.find("b"), nullptr);
  EXPECT_EQ(tensors.find(""), nullptr);
  EXPECT_EQ(tensors.find("zz"), nullptr);
}

TEST(SafeTensors, readsAFileWithoutTensors) {
  TemporaryFolder folder;
  folder.write("model.safetensors", fileOf("{}", 0));
  Expected<SafeTensors> tensors = SafeTensors::openFolder(folder.path());
  ASSERT_TRUE(bool(tensors)) << toString(tensors.takeError());
  EXPECT_TRUE(tensors->tensors().empty());
  EXPECT_EQ(tensors->find("x"), nullptr);
}

#ifdef __linux__
/// Resident memory that is backed by files, in bytes.
int64_t residentFileBytes() {
  // Files of /proc have no size to read at once.
  auto status = MemoryBuffer::getFileAsStream("/proc/self/status");
  if (!status)
    return -1;
  int64_t kilobytes = -1;
  StringRef text = (*status)->getBuffer();
  text = text.substr(text.find("RssFile:")).drop_front(8).ltrim();
  if (text.consumeInteger(10, kilobytes))
    return -1;
  return kilobytes * 1024;
}

TEST(SafeTensors, releasesMemoryAndKeepsTheData) {
  constexpr int64_t size = 32 << 20;
  TemporaryFolder folder;
  folder.write("model.safetensors",
               fileOf(json("{'x':{'dtype':'F32','shape':[8388608],"
                           "'data_offsets':[0,33554432]}}"),
                      size));
  Expected<SafeTensors> tensors = SafeTensors::openFolder(folder.path());
  ASSERT_TRUE(bool(tensors)) << toString(tensors.takeError());
  const TensorEntry &x = *tensors->find("x");
  auto sum = [&] {
    uint64_t sum = 0;
    for (uint8_t byte : x.data)
      sum += byte;
    return sum;
  };
  int64_t before = residentFileBytes();
  if (before < 0)
    GTEST_SKIP() << "this system does not tell the resident size of files";
  uint64_t expected = sum();
  EXPECT_GT(residentFileBytes() - before, size / 2);
  tensors->release(x);
  EXPECT_LT(residentFileBytes() - before, size / 4);
  EXPECT_EQ(sum(), expected);
}
#endif

//===-- files that are not there or cut -----------------------------------===//

TEST(SafeTensors, negative_emptyFolder) {
  TemporaryFolder folder;
  expectError(folder, {folder.path(), "expected 'model.safetensors' or "
                                      "'model.safetensors.index.json', found "
                                      "neither"});
}

TEST(SafeTensors, negative_notARegularFile) {
  TemporaryFolder folder;
  ASSERT_FALSE(sys::fs::create_directory(folder.path("model.safetensors")));
  expectError(folder, {"model.safetensors: cannot read: expected a regular "
                       "file"});
}

TEST(SafeTensors, negative_unreadableFile) {
#ifdef __unix__
  if (geteuid() == 0)
    GTEST_SKIP() << "the superuser may read every file";
#endif
  TemporaryFolder folder;
  folder.write("model.safetensors", fileOf("{}", 0));
  ASSERT_FALSE(sys::fs::setPermissions(folder.path("model.safetensors"),
                                       sys::fs::perms::no_perms));
  expectError(folder, {"model.safetensors: cannot read: Permission denied"});
}

TEST(SafeTensors, negative_shorterThanTheHeaderLength) {
  expectFileError("", {"expected at least the 8 bytes of the header length, "
                       "got 0 bytes"});
  expectFileError("1234567", {"got 7 bytes"});
}

TEST(SafeTensors, negative_headerLengthPastTheEnd) {
  std::string bytes = fileOf("{}", 0);
  bytes[0] = 3;
  expectFileError(bytes, {"header length: expected at most the 2 bytes that "
                          "follow it in the file, got 3"});
}

TEST(SafeTensors, negative_headerLengthTooLarge) {
  std::string bytes = fileOf("{}", 0);
  support::endian::write64le(bytes.data(), 100'000'001);
  expectFileError(bytes, {"header length: expected at most 100000000 bytes, "
                          "got 100000001"});
  support::endian::write64le(bytes.data(), UINT64_MAX);
  expectFileError(bytes, {"got 18446744073709551615"});
}

//===-- malformed headers -------------------------------------------------===//

TEST(SafeTensors, negative_malformedJson) {
  expectHeaderError(
      "{'x':", 0, {"header: malformed JSON", "[1:5, byte=5]: Unexpected EOF"});
  expectHeaderError("{} x", 0, {"header: malformed JSON"});
  expectHeaderError("{'x", 0, {"header: malformed JSON"});
  expectHeaderError("{'x\\", 0, {"header: malformed JSON"});
  expectHeaderError("{}}", 0, {"header: malformed JSON"});
  expectHeaderError("{'\\q':1}", 0, {"header: malformed JSON"});
  expectHeaderError("{'\xff':1}", 0, {"header: malformed JSON"});
}

TEST(SafeTensors, negative_nestedTooDeep) {
  // json::parse would overflow the stack on enough of these.
  expectHeaderError("{'x':" + std::string(1'000'000, '['), 0,
                    {"header: malformed JSON: expected at most 64 nested "
                     "levels, got more"});
}

TEST(SafeTensors, negative_headerIsNoObject) {
  expectHeaderError("[]", 0,
                    {"header: expected a JSON object, beginning with "
                     "'{'"});
  expectHeaderError("", 0, {"header: expected a JSON object"});
  expectHeaderError(" {}", 0, {"header: expected a JSON object"});
}

TEST(SafeTensors, negative_duplicateNames) {
  std::string x = "{'dtype':'F32','shape':[1],'data_offsets':[0,4]}";
  expectHeaderError("{'x':" + x + ",'x':" + x + "}", 4,
                    {"header: expected each name once, got 'x' twice"});
  // The same name, spelt differently.
  expectHeaderError("{'x':" + x + ",'\\u0078':" + x + "}", 4,
                    {"got 'x' twice"});
  expectHeaderError("{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,4],"
                    "'dtype' : 'I32'}}",
                    4, {"got 'dtype' twice in 'x'"});
  expectHeaderError("{'__metadata__':{'a':'1','a':'2'}}", 0,
                    {"got 'a' twice in '__metadata__'"});
}

TEST(SafeTensors, namesThatOnlyLookEqualAreNoDuplicates) {
  TemporaryFolder folder;
  folder.write("model.safetensors",
               fileOf(json("{'__metadata__':{'x':'x','y':'{\\'x\\':'},"
                           "'x':{'dtype':'U8','shape':[1],'data_offsets':"
                           "[0,1]},"
                           "'y':{'dtype':'U8','shape':[1],'data_offsets':"
                           "[1,2]}}"),
                      2));
  Expected<SafeTensors> tensors = SafeTensors::openFolder(folder.path());
  EXPECT_TRUE(bool(tensors)) << toString(tensors.takeError());
}

TEST(SafeTensors, negative_metadata) {
  expectHeaderError("{'__metadata__':[]}", 0,
                    {"'__metadata__': expected an object, got []"});
  expectHeaderError("{'__metadata__':{'a':1}}", 0,
                    {"'__metadata__': field 'a': expected a string, got 1"});
}

TEST(SafeTensors, negative_missingField) {
  expectTensorError("{'shape':[1],'data_offsets':[0,4]}", 4,
                    "field 'dtype': expected a string, got nothing");
  expectTensorError(
      "{'dtype':'F32','data_offsets':[0,4]}", 4,
      "field 'shape': expected an array of integers, got nothing");
  expectTensorError(
      "{'dtype':'F32','shape':[1]}", 4,
      "field 'data_offsets': expected an array of integers, got nothing");
}

TEST(SafeTensors, negative_mistypedField) {
  expectTensorError("[1]", 4, ": expected an object, got [1]");
  expectTensorError("{'dtype':4,'shape':[1],'data_offsets':[0,4]}", 4,
                    "field 'dtype': expected a string, got 4");
  expectTensorError("{'dtype':'F32','shape':1,'data_offsets':[0,4]}", 4,
                    "field 'shape': expected an array of integers, got 1");
  expectTensorError(
      "{'dtype':'F32','shape':[1],'data_offsets':{}}", 4,
      "field 'data_offsets': expected an array of integers, got {}");
  expectTensorError("{'dtype':'F32','shape':[1],'data_offsets':[0,4,8]}", 4,
                    "field 'data_offsets': expected [begin, end], got [0,4,8]");
  expectTensorError("{'dtype':'F32','shape':[1],'data_offsets':[0,4],'s':0}", 4,
                    "field 's' is not known to this importer");
}

TEST(SafeTensors, negative_integers) {
  auto expectShape = [](StringRef size, StringRef shown) {
    expectTensorError(
        ("{'dtype':'F32','shape':[1," + size + "],'data_offsets':[0,4]}").str(),
        4,
        ("field 'shape[1]': expected a non-negative integer, got " + shown)
            .str());
  };
  expectShape("-1", "-1");
  expectShape("1.0", "1");
  expectShape("1.5", "1.5");
  expectShape("1e300", "1");
  expectShape("'1'", "\"1\"");
  expectShape("null", "null");
  expectShape("9223372036854775808", "9223372036854775808");
  expectTensorError("{'dtype':'F32','shape':[1],'data_offsets':[-4,4]}", 4,
                    "field 'data_offsets[0]': expected a non-negative integer, "
                    "got -4");
  expectTensorError("{'dtype':'F32','shape':[1],'data_offsets':[0,4.0]}", 4,
                    "field 'data_offsets[1]': expected a non-negative integer, "
                    "got 4");
}

//===-- sizes and positions -----------------------------------------------===//

TEST(SafeTensors, negative_shapeOverflows) {
  for (StringRef shape : {"[4294967296,4294967296]", "[2305843009213693952]",
                          "[0,4294967296,4294967296]"})
    expectTensorError(
        ("{'dtype':'F32','shape':" + shape + ",'data_offsets':[0,0]}").str(), 0,
        ("field 'shape': expected a size in bytes that fits 64 bits, got " +
         shape)
            .str());
}

TEST(SafeTensors, negative_sizeMismatch) {
  expectTensorError("{'dtype':'F32','shape':[2,3],'data_offsets':[0,12]}", 12,
                    "field 'data_offsets': expected 24 bytes (F32 [2,3]), got "
                    "12 bytes");
  expectTensorError("{'dtype':'I64','shape':[2],'data_offsets':[0,4]}", 4,
                    "expected 16 bytes (I64 [2]), got 4 bytes");
  expectTensorError("{'dtype':'F16','shape':[],'data_offsets':[0,4]}", 4,
                    "expected 2 bytes (F16 []), got 4 bytes");
}

TEST(SafeTensors, negative_offsets) {
  expectTensorError("{'dtype':'F32','shape':[1],'data_offsets':[4,0]}", 4,
                    "field 'data_offsets': expected begin <= end, got [4,0]");
  expectTensorError("{'dtype':'F32','shape':[2],'data_offsets':[0,8]}", 4,
                    "field 'data_offsets': expected an end within the file's 4 "
                    "bytes of data, got 8");
  expectTensorError("{'dtype':'odd','shape':[2],'data_offsets':[0,8]}", 4,
                    "within the file's 4 bytes of data, got 8");
}

TEST(SafeTensors, negative_overlap) {
  expectHeaderError("{'x':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},"
                    "'y':{'dtype':'F32','shape':[2],'data_offsets':[4,12]}}",
                    12,
                    {"tensor 'y': field 'data_offsets': expected to begin at 8 "
                     "(the end of 'x'), got 4: tensors must not overlap"});
}

TEST(SafeTensors, negative_hole) {
  expectHeaderError("{'y':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},"
                    "'x':{'dtype':'F32','shape':[1],'data_offsets':[8,12]}}",
                    12,
                    {"tensor 'x': field 'data_offsets': expected to begin at 4 "
                     "(the end of 'y'), got 8: bytes between tensors are not "
                     "allowed"});
  expectHeaderError("{'x':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}", 8,
                    {"expected to begin at 0 (the start of the data), got 4"});
}

TEST(SafeTensors, negative_trailingBytes) {
  expectHeaderError(oneTensor, 5,
                    {"expected 4 bytes of data (the end of 'x'), got 5: "
                     "trailing bytes are not allowed"});
  expectHeaderError("{}", 1, {"expected 0 bytes of data", "got 1"});
}

} // namespace

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Import/SafeTensorsTesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#ifdef __unix__
#include <unistd.h>
#endif

using namespace llvm;
using namespace heddle;
using namespace safetensors_testing;

namespace {

//===-- what is read ------------------------------------------------------===//

TEST(SafeTensors, readsOneFile) {
  TemporaryFolder folder;
  // The name of one is escaped; an empty tensor lies between two; the header is
  // padded; unsupported dtypes are listed.
  folder.write(
      "model.safetensors",
      fileOf(
          asJson("{'__metadata__':{'format':'pt'},"
                 "'b\\u002e1':{'dtype':'BF16','shape':[2,3],"
                 "'data_offsets':[4,16]},"
                 "'scalar':{'dtype':'F32','shape':[],'data_offsets':[0,4]},"
                 "'empty':{'dtype':'F16','shape':[0,7],"
                 "'data_offsets':[16,16]},"
                 "'a':{'dtype':'I64','shape':[1],'data_offsets':[16,24]},"
                 "'z':{'dtype':'F4','shape':[3],'data_offsets':[24,26]}}   "),
          26));
  Expected<TensorSource> opened = openSafeTensorsFolder(folder.path());
  ASSERT_TRUE(bool(opened)) << toString(opened.takeError());
  // Entries survive a move of their owner.
  TensorSource tensors = std::move(*opened);

  ASSERT_EQ(tensors.tensors().size(), 5u);
  const char *names[] = {"a", "b.1", "empty", "scalar", "z"};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(tensors.tensors()[i].name, names[i]);

  const TensorEntry *b = tensors.find("b.1");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->type, HEDDLE_TYPE_BF16);
  EXPECT_EQ(b->dtype, "BF16");
  EXPECT_EQ(b->shape, (SmallVector<int64_t>{2, 3}));
  EXPECT_EQ(toStringRef(b->data), "efghijklmnop");
  EXPECT_EQ(b->file, folder.path("model.safetensors"));
  EXPECT_EQ(tensors.find("scalar")->type, HEDDLE_TYPE_F32);
  EXPECT_EQ(toStringRef(tensors.find("scalar")->data), "abcd");
  EXPECT_TRUE(tensors.find("scalar")->shape.empty());
  EXPECT_EQ(tensors.find("empty")->type, HEDDLE_TYPE_F16);
  EXPECT_TRUE(tensors.find("empty")->data.empty());
  EXPECT_EQ(tensors.find("a")->type, HEDDLE_TYPE_I64);
  EXPECT_EQ(tensors.find("a")->dtype, "I64");
  EXPECT_EQ(tensors.find("z")->type, std::nullopt);
  EXPECT_EQ(tensors.find("z")->dtype, "F4");
  EXPECT_EQ(tensors.find("b"), nullptr);
  EXPECT_EQ(tensors.find(""), nullptr);
  EXPECT_EQ(tensors.find("zz"), nullptr);
}

TEST(SafeTensors, readsAFileWithoutTensors) {
  TemporaryFolder folder;
  folder.write("model.safetensors", fileOf("{}", 0));
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder.path());
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
               fileOf(asJson("{'x':{'dtype':'F32','shape':[8388608],"
                             "'data_offsets':[0,33554432]}}"),
                      size));
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder.path());
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

} // namespace

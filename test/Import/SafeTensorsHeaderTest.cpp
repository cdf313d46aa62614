// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Headers of safetensors files that have to be refused.

#include "test/Import/SafeTensorsTesting.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace heddle;
using namespace safetensors_testing;

namespace {

/// The same with a header of tensors (' for ") and `dataSize` bytes of data.
void expectHeaderError(StringRef header, size_t dataSize,
                       std::initializer_list<StringRef> parts) {
  expectFileError(fileOf(asJson(header), dataSize), parts);
}

/// The same with one tensor 'x' of these fields.
void expectTensorError(StringRef fields, size_t dataSize, StringRef part) {
  expectHeaderError(("{'x':" + fields + "}").str(), dataSize,
                    {"tensor 'x'", part});
}

const char *oneTensor =
    "{'x':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}";

//===-- malformed headers -------------------------------------------------===//

TEST(SafeTensorsHeader, negative_malformedJson) {
  expectHeaderError(
      "{'x':", 0, {"header: malformed JSON", "[1:5, byte=5]: Unexpected EOF"});
  expectHeaderError("{} x", 0, {"header: malformed JSON"});
  expectHeaderError("{'x", 0, {"header: malformed JSON"});
  expectHeaderError("{'x\\", 0, {"header: malformed JSON"});
  expectHeaderError("{}}", 0, {"header: malformed JSON"});
  expectHeaderError("{'\\q':1}", 0, {"header: malformed JSON"});
  expectHeaderError("{'\xff':1}", 0, {"header: malformed JSON"});
}

TEST(SafeTensorsHeader, negative_nestedTooDeep) {
  // json::parse would overflow the stack on enough of these.
  expectHeaderError("{'x':" + std::string(1'000'000, '['), 0,
                    {"header: malformed JSON: expected at most 64 nested "
                     "levels, got more"});
}

TEST(SafeTensorsHeader, negative_headerIsNoObject) {
  expectHeaderError("[]", 0,
                    {"header: expected a JSON object, beginning with "
                     "'{'"});
  expectHeaderError("", 0, {"header: expected a JSON object"});
  expectHeaderError(" {}", 0, {"header: expected a JSON object"});
}

TEST(SafeTensorsHeader, negative_duplicateNames) {
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

TEST(SafeTensorsHeader, namesThatOnlyLookEqualAreNoDuplicates) {
  TemporaryFolder folder;
  folder.write("model.safetensors",
               fileOf(asJson("{'__metadata__':{'x':'x','y':'{\\'x\\':'},"
                             "'x':{'dtype':'U8','shape':[1],'data_offsets':"
                             "[0,1]},"
                             "'y':{'dtype':'U8','shape':[1],'data_offsets':"
                             "[1,2]}}"),
                      2));
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder.path());
  EXPECT_TRUE(bool(tensors)) << toString(tensors.takeError());
}

TEST(SafeTensorsHeader, readsNoMetadata) {
  TemporaryFolder folder;
  folder.write("model.safetensors",
               fileOf(asJson("{'__metadata__':null,'x':{'dtype':'U8','shape':"
                             "[1],'data_offsets':[0,1]}}"),
                      1));
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder.path());
  EXPECT_TRUE(bool(tensors)) << toString(tensors.takeError());
}

TEST(SafeTensorsHeader, negative_metadata) {
  expectHeaderError("{'__metadata__':[]}", 0,
                    {"'__metadata__': expected an object, got []"});
  expectHeaderError("{'__metadata__':{'a':1}}", 0,
                    {"'__metadata__': field 'a': expected a string, got 1"});
}

TEST(SafeTensorsHeader, negative_missingField) {
  expectTensorError("{'shape':[1],'data_offsets':[0,4]}", 4,
                    "field 'dtype': expected a string, got nothing");
  expectTensorError(
      "{'dtype':'F32','data_offsets':[0,4]}", 4,
      "field 'shape': expected an array of integers, got nothing");
  expectTensorError(
      "{'dtype':'F32','shape':[1]}", 4,
      "field 'data_offsets': expected an array of integers, got nothing");
}

TEST(SafeTensorsHeader, negative_mistypedField) {
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

TEST(SafeTensorsHeader, negative_integers) {
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

TEST(SafeTensorsHeader, negative_shapeOverflows) {
  for (StringRef shape : {"[4294967296,4294967296]", "[2305843009213693952]",
                          "[0,4294967296,4294967296]"})
    expectTensorError(
        ("{'dtype':'F32','shape':" + shape + ",'data_offsets':[0,0]}").str(), 0,
        ("field 'shape': expected a size in bytes that fits 64 bits, got " +
         shape)
            .str());
}

TEST(SafeTensorsHeader, negative_sizeMismatch) {
  expectTensorError("{'dtype':'F32','shape':[2,3],'data_offsets':[0,12]}", 12,
                    "field 'data_offsets': expected 24 bytes (F32 [2,3]), got "
                    "12 bytes");
  expectTensorError("{'dtype':'I64','shape':[2],'data_offsets':[0,4]}", 4,
                    "expected 16 bytes (I64 [2]), got 4 bytes");
  expectTensorError("{'dtype':'F16','shape':[],'data_offsets':[0,4]}", 4,
                    "expected 2 bytes (F16 []), got 4 bytes");
}

TEST(SafeTensorsHeader, negative_offsets) {
  expectTensorError("{'dtype':'F32','shape':[1],'data_offsets':[4,0]}", 4,
                    "field 'data_offsets': expected begin <= end, got [4,0]");
  expectTensorError("{'dtype':'F32','shape':[2],'data_offsets':[0,8]}", 4,
                    "field 'data_offsets': expected an end within the file's 4 "
                    "bytes of data, got 8");
  expectTensorError("{'dtype':'odd','shape':[2],'data_offsets':[0,8]}", 4,
                    "within the file's 4 bytes of data, got 8");
}

TEST(SafeTensorsHeader, negative_overlap) {
  expectHeaderError("{'x':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},"
                    "'y':{'dtype':'F32','shape':[2],'data_offsets':[4,12]}}",
                    12,
                    {"tensor 'y': field 'data_offsets': expected to begin at 8 "
                     "(the end of 'x'), got 4: tensors must not overlap"});
}

TEST(SafeTensorsHeader, negative_hole) {
  expectHeaderError("{'y':{'dtype':'F32','shape':[1],'data_offsets':[0,4]},"
                    "'x':{'dtype':'F32','shape':[1],'data_offsets':[8,12]}}",
                    12,
                    {"tensor 'x': field 'data_offsets': expected to begin at 4 "
                     "(the end of 'y'), got 8: bytes between tensors are not "
                     "allowed"});
  expectHeaderError("{'x':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}", 8,
                    {"expected to begin at 0 (the start of the data), got 4"});
}

TEST(SafeTensorsHeader, negative_trailingBytes) {
  expectHeaderError(oneTensor, 5,
                    {"expected 4 bytes of data (the end of 'x'), got 5: "
                     "trailing bytes are not allowed"});
  expectHeaderError("{}", 1, {"expected 0 bytes of data", "got 1"});
}

} // namespace

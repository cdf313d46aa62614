// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Npy.h"

#include "test/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>

using namespace llvm;
using namespace heddle;
using testing::ElementsAre;

// A file of `version` whose header is `header`, followed by `data`.
static std::string file(StringRef header, StringRef data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {version, 0};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header.str() + data.str();
}

static std::string message(StringRef bytes, heddle_type type) {
  Expected<NpyArray> array = parseNpy(bytes, "x.npy", type);
  return array ? "no error" : toString(array.takeError());
}

static NpyArray floats(ArrayRef<int64_t> shape, ArrayRef<float> values) {
  NpyArray array{HEDDLE_TYPE_F32, SmallVector<int64_t>(shape),
                 std::vector<char>(values.size() * sizeof(float))};
  if (!values.empty())
    std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

// What numpy.save (1.24) writes for numpy.array([[1, 2, 3]], dtype='<i4').
TEST(NpyTest, ReadsWhatNumPyWrites) {
  std::string header =
      "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 3), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes =
      file(header, StringRef("\1\0\0\0\2\0\0\0\xff\xff\xff\xff", 12));
  NpyArray array = cantFail(parseNpy(bytes, "x.npy", HEDDLE_TYPE_I32));
  EXPECT_THAT(array.shape, ElementsAre(1, 3));
  int32_t values[3];
  ASSERT_EQ(array.data.size(), sizeof(values));
  std::memcpy(values, array.data.data(), sizeof(values));
  EXPECT_THAT(values, ElementsAre(1, 2, -1));
}

TEST(NpyTest, WritesWhatNumPyWrites) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.resize(117, ' ');
  header += '\n';
  EXPECT_EQ(formatNpy(floats({2}, {0, 1})),
            file(header, StringRef("\0\0\0\0\0\0\x80\x3f", 8)));
}

// What numpy.save writes for numpy.float32(1).
TEST(NpyTest, ReadsAndWritesOneElement) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = file(header, StringRef("\0\0\x80\x3f", 4));
  EXPECT_EQ(formatNpy(floats({}, {1})), bytes);
  NpyArray array = cantFail(parseNpy(bytes, "x.npy", HEDDLE_TYPE_F32));
  EXPECT_TRUE(array.shape.empty());
  EXPECT_EQ(array.data.size(), 4u);
}

TEST(NpyTest, ReadsWhatItWrites) {
  const std::vector<SmallVector<int64_t>> shapes = {
      {}, {1}, {0}, {2, 3}, {4, 0, 2}, {1, 2, 1, 3}};
  for (const SmallVector<int64_t> &shape : shapes) {
    std::vector<float> values(*npyDataSize(HEDDLE_TYPE_F32, shape) / 4, 1.5F);
    NpyArray written = floats(shape, values);
    std::string bytes = formatNpy(written);
    EXPECT_EQ((bytes.size() - written.data.size()) % 64, 0U);
    NpyArray array = cantFail(parseNpy(bytes, "x.npy", HEDDLE_TYPE_F32));
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.data, written.data);
  }
}

// What numpy.array([], dtype).dtype.str is; of bf16 that of ml_dtypes.bfloat16.
TEST(NpyTest, EachTypeHasItsOwnName) {
  struct {
    heddle_type type;
    const char *name;
    size_t bytes;
  } types[] = {{HEDDLE_TYPE_F32, "<f4", 12}, {HEDDLE_TYPE_BF16, "<V2", 6},
               {HEDDLE_TYPE_F16, "<f2", 6},  {HEDDLE_TYPE_I32, "<i4", 12},
               {HEDDLE_TYPE_I8, "|i1", 3},   {HEDDLE_TYPE_I64, "<i8", 24},
               {HEDDLE_TYPE_I1, "|b1", 3},   {HEDDLE_TYPE_F64, "<f8", 24},
               {HEDDLE_TYPE_I16, "<i2", 6},  {HEDDLE_TYPE_U8, "|u1", 3},
               {HEDDLE_TYPE_U16, "<u2", 6},  {HEDDLE_TYPE_U32, "<u4", 12},
               {HEDDLE_TYPE_U64, "<u8", 24}};
  for (const auto &[type, name, bytes] : types) {
    EXPECT_EQ(npyType(type), name);
    EXPECT_EQ(npyDataSize(type, {3}), bytes) << name;
    std::string file = formatNpy({type, {3}, std::vector<char>(bytes, 1)});
    EXPECT_NE(file.find("'descr': '" + std::string(name) + "'"),
              std::string::npos);
    NpyArray array = cantFail(parseNpy(file, "x.npy", type));
    EXPECT_EQ(array.data, std::vector<char>(bytes, 1)) << name;
    for (const auto &other : types)
      if (other.type != HEDDLE_TYPE_BF16) // which may be bits
        EXPECT_EQ(isNpyType(other.type, name), other.type == type)
            << other.name;
  }
}

TEST(NpyTest, ReadsBitsOfBF16) {
  for (const char *name : {"<V2", "|V2", "<u2"})
    EXPECT_TRUE(isNpyType(HEDDLE_TYPE_BF16, name)) << name;
  for (const char *name : {"<u2", "|V2", "<V2"})
    EXPECT_FALSE(isNpyType(HEDDLE_TYPE_F16, name)) << name;
  EXPECT_FALSE(isNpyType(HEDDLE_TYPE_BF16, "<i2"));
}

TEST(NpyTest, ReadsBitsOfFloatsOfEightBits) {
  for (heddle_type type : {HEDDLE_TYPE_F8E4M3, HEDDLE_TYPE_F8E5M2}) {
    EXPECT_EQ(npyType(type), "|V1");
    EXPECT_EQ(npyDataSize(type, {3}), 3u);
    for (const char *name : {"<V1", "|V1", "|u1"})
      EXPECT_TRUE(isNpyType(type, name)) << name;
    EXPECT_FALSE(isNpyType(type, "|i1"));
  }
}

TEST(NpyTest, WritesVersion2ForALongHeader) {
  SmallVector<int64_t> shape(30000, 1);
  std::string bytes = formatNpy(floats(shape, {7}));
  EXPECT_EQ(bytes[6], 2);
  NpyArray array = cantFail(parseNpy(bytes, "x.npy", HEDDLE_TYPE_F32));
  EXPECT_EQ(array.shape, shape);
}

TEST(NpyTest, ReadsAnyOrderQuotesAndSpace) {
  std::string bytes =
      file("{\"shape\":(2,1),'fortran_order' : False , 'descr':'<f4'}",
           "12345678", 2);
  NpyArray array = cantFail(parseNpy(bytes, "x.npy", HEDDLE_TYPE_F32));
  EXPECT_THAT(array.shape, ElementsAre(2, 1));
}

TEST(NpyTest, ReadsFiles) {
  test::TemporaryFolder folder;
  folder.write("x.npy", formatNpy(floats({2}, {3, 4})));
  NpyArray array = cantFail(readNpy(folder.file("x.npy"), HEDDLE_TYPE_F32));
  EXPECT_THAT(array.shape, ElementsAre(2));
  EXPECT_EQ(toString(readNpy(folder.file("y"), HEDDLE_TYPE_I32).takeError()),
            folder.file("y") + ": cannot read: No such file or directory");
}

TEST(NpyTest, DescribesShapesAsNumPyDoes) {
  EXPECT_EQ(describeShape({}), "()");
  EXPECT_EQ(describeShape({3}), "(3,)");
  EXPECT_EQ(describeShape({2, 3}), "(2, 3)");
}

TEST(NpyTest, NegativeOtherFiles) {
  EXPECT_EQ(message("", HEDDLE_TYPE_I32), "x.npy is not a .npy file");
  EXPECT_EQ(message("\x93NUMPY\1", HEDDLE_TYPE_I32),
            "x.npy is not a .npy file");
  EXPECT_EQ(message("PK\3\4 an archive", HEDDLE_TYPE_I32),
            "x.npy is not a .npy file");
  EXPECT_EQ(message(file("{}", "", 9), HEDDLE_TYPE_I32),
            "x.npy has .npy version 9.0, expected 1.0 to 3.0");
}

TEST(NpyTest, NegativeTruncated) {
  NpyArray written = floats({2, 2}, {1, 2, 3, 4});
  std::string bytes = formatNpy(written);
  for (size_t size = 8; size < bytes.size(); ++size)
    EXPECT_NE(message(StringRef(bytes).take_front(size), HEDDLE_TYPE_F32),
              "no error");
  EXPECT_EQ(message(StringRef(bytes).take_front(100), HEDDLE_TYPE_F32),
            "x.npy is truncated in its header");
  EXPECT_EQ(message(StringRef(bytes).drop_back(), HEDDLE_TYPE_F32),
            "x.npy has 15 bytes of data, expected 16 for shape (2, 2)");
  EXPECT_EQ(message(bytes + "!", HEDDLE_TYPE_F32),
            "x.npy has 17 bytes of data, expected 16 for shape (2, 2)");
}

TEST(NpyTest, NegativeType) {
  auto typed = [](StringRef type) {
    return file("{'descr': " + type.str() +
                    ", 'fortran_order': False, 'shape': (1,), }",
                "1234");
  };
  EXPECT_EQ(message(typed("'<i8'"), HEDDLE_TYPE_I32),
            "x.npy has elements of type '<i8', expected '<i4'");
  EXPECT_EQ(message(typed("'<i4'"), HEDDLE_TYPE_F32),
            "x.npy has elements of type '<i4', expected '<f4'");
  EXPECT_EQ(message(typed("[('a', '<i4')]"), HEDDLE_TYPE_I32),
            "x.npy has elements of type '[('a', '<i4')]', expected '<i4'");
}

TEST(NpyTest, NegativeOrder) {
  EXPECT_EQ(message(file("{'descr': '<i4', 'fortran_order': True, "
                         "'shape': (1, 1), }",
                         "1234"),
                    HEDDLE_TYPE_I32),
            "x.npy is in Fortran order, expected C order");
}

TEST(NpyTest, NegativeHeader) {
  for (const char *header :
       {"", "{", "{}", "[]", "{'descr': '<i4', 'shape': ()}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': ()} x",
        "{'descr': '<i4', 'fortran_order': 0, 'shape': ()}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (x,)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1",
        "{'descr': '<i4, 'fortran_order': False, 'shape': ()}",
        "{'descr': '<i4', 'descr': '<i4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (), 'more': 1}"})
    EXPECT_EQ(message(file(header, "1234"), HEDDLE_TYPE_I32),
              "x.npy has a header that is not one of NumPy")
        << header;
}

TEST(NpyTest, NegativeSizeThatOverflows) {
  EXPECT_EQ(message(file("{'descr': '<i4', 'fortran_order': False, 'shape': "
                         "(4294967296, 4294967296), }",
                         "1234"),
                    HEDDLE_TYPE_I32),
            "x.npy has 4 bytes of data, expected more than there can be for "
            "shape (4294967296, 4294967296)");
}

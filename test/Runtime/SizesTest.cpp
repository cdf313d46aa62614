// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sizes of a call, and the bytes that follow from them.

#include "test/Runtime/CallTesting.h"

using namespace call_testing;

namespace {

TEST(Sizes, FindEntry) {
  heddle_model model = makeModel("stories");
  EXPECT_EQ(heddle_find_entry(&model, "decode"), &kDecode);
  EXPECT_EQ(heddle_find_entry(&model, "prefill"), &kPrefill);
  EXPECT_EQ(heddle_find_entry(&model, "train"), nullptr);
  EXPECT_EQ(heddle_find_entry(&model, nullptr), nullptr);
  EXPECT_EQ(heddle_find_entry(nullptr, "decode"), nullptr);
  model.abi_version = HEDDLE_ABI_VERSION + 1;
  EXPECT_EQ(heddle_find_entry(&model, "decode"), nullptr);
}

TEST(Sizes, WorkspaceIsMeasured) {
  size_t bytes = 1;
  heddle_error error = {};
  int64_t sizes[] = {2, 4, 32};
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, &bytes, &error), HEDDLE_OK);
  EXPECT_EQ(bytes, size_t(2 * 4 * kBytesOfRow));
  EXPECT_STREQ(error.message, "");
  sizes[0] = 3;
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, &bytes, nullptr),
            HEDDLE_OK);
  EXPECT_EQ(bytes, size_t(3 * 4 * kBytesOfRow));
  EXPECT_EQ(heddle_workspace_size(&kDecode, sizes, &bytes, nullptr), HEDDLE_OK);
  EXPECT_EQ(bytes, 0u);
}

TEST(Sizes, ArgumentsHaveTheirTypesSize) {
  int64_t sizes[] = {3, 20, 33};
  // ids, starts, lengths in i32; cache of 33 -> 64 positions; bf16; f32
  size_t expected[] = {3 * 20 * 4, 3 * 4, 3 * 4, 3 * 64 * 96, 5 * 2, 3 * 3 * 4};
  for (uint32_t a = 0; a < 6; ++a) {
    size_t bytes = 1;
    heddle_error error = {};
    EXPECT_EQ(heddle_argument_size(&kPrefill, a, sizes, &bytes, &error),
              HEDDLE_OK)
        << error.message;
    EXPECT_EQ(bytes, expected[a]) << kPrefillArguments[a].name;
  }
}

TEST(Sizes, TypesHaveNamesAndBytes) {
  struct {
    heddle_type type;
    const char *name;
    size_t bytes;
  } types[] = {{HEDDLE_TYPE_F32, "f32", 4},
               {HEDDLE_TYPE_BF16, "bf16", 2},
               {HEDDLE_TYPE_F16, "f16", 2},
               {HEDDLE_TYPE_I32, "i32", 4},
               {HEDDLE_TYPE_I8, "i8", 1},
               {HEDDLE_TYPE_I64, "i64", 8},
               {HEDDLE_TYPE_I1, "i1", 1},
               {HEDDLE_TYPE_F64, "f64", 8},
               {HEDDLE_TYPE_I16, "i16", 2},
               {HEDDLE_TYPE_U8, "u8", 1},
               {HEDDLE_TYPE_U16, "u16", 2},
               {HEDDLE_TYPE_U32, "u32", 4},
               {HEDDLE_TYPE_U64, "u64", 8},
               {HEDDLE_TYPE_F8E4M3, "f8e4m3", 1},
               {HEDDLE_TYPE_F8E5M2, "f8e5m2", 1},
               {static_cast<heddle_type>(0), "an unknown type", 0}};
  for (const auto &[type, name, bytes] : types) {
    EXPECT_STREQ(heddle_type_name(type), name);
    EXPECT_EQ(heddle_type_size(type), bytes) << name;
  }
}

TEST(Sizes, NegativeOutOfRange) {
  int64_t sizes[] = {2, 4, 2049};
  const char *message = "prefill: size 'capacity' is 2049, expected 1 to 2048";
  heddle_error error = {};
  size_t bytes = 1;
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, message);
  EXPECT_EQ(bytes, 0u);
  bytes = 1;
  EXPECT_EQ(heddle_argument_size(&kPrefill, 0, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, message);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(heddle_argument_size(&kPrefill, 6, sizes, &bytes, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  sizes[2] = 32;
  EXPECT_EQ(heddle_argument_size(&kPrefill, 6, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "prefill: argument is 6, expected less than 6");
}

TEST(Sizes, NegativeTooLarge) {
  heddle_error error = {};
  size_t bytes = 1;
  int64_t sizes[] = {1, 4, 32};
  EXPECT_EQ(heddle_workspace_size(&kWild, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(
      error.message,
      "wild: the workspace for these sizes is larger than memory can be");
  EXPECT_EQ(bytes, 0u);
  sizes[0] = 2;
  EXPECT_EQ(heddle_workspace_size(&kWild, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "wild: sizes batch = 2, length = 4, capacity = 32 are too large "
               "together: what kernels count of them does not fit 32 bits");
  sizes[0] = 5;
  EXPECT_EQ(heddle_workspace_size(&kWild, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "wild: sizes batch = 5, length = 4, capacity = 32 cannot be "
               "broadcast together: expected equal sizes or 1, found 2 and 3");
  EXPECT_EQ(bytes, 0u);
  sizes[0] = 3;
  EXPECT_EQ(heddle_argument_size(&kWild, 0, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "wild: argument 'starts' with these sizes is "
                              "larger than memory can be");
  EXPECT_EQ(bytes, 0u);
}

TEST(Sizes, NegativeDimension) {
  heddle_error error = {};
  size_t bytes = 1;
  const int64_t sizes[] = {4, 4, 32};
  EXPECT_EQ(heddle_argument_size(&kWild, 0, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "wild: dimension 0 of argument 'starts', batch, "
                              "is -1, expected at least 0");
  EXPECT_EQ(bytes, 0u);
}

TEST(Sizes, NegativeNull) {
  int64_t sizes[] = {2, 4, 32};
  size_t bytes = 1;
  heddle_error error = {};
  EXPECT_EQ(heddle_workspace_size(nullptr, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "entry is null");
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "bytes is null");
  EXPECT_EQ(heddle_argument_size(&kPrefill, 0, nullptr, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "prefill: sizes is null");
}

} // namespace

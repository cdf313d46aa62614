// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of memory and sequences of caches change places, compared with a copy.

#include "test/Runtime/CallTesting.h"

#include <random>

using namespace call_testing;

namespace {

using Bytes = std::vector<uint8_t>;
using Parents = std::vector<int32_t>;

Bytes randomBytes(size_t size) {
  std::mt19937 random(size);
  Bytes bytes(size);
  for (uint8_t &byte : bytes)
    byte = random();
  return bytes;
}

Parents randomParents(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Parents parents;
  for (int64_t b = 0; b < count; ++b)
    parents.push_back(random() % count);
  return parents;
}

/// Arrays of rows of so many bytes, behind each other.
Bytes reordered(const Bytes &before, const std::vector<size_t> &rowBytes,
                const Parents &parents) {
  Bytes after;
  auto part = before.begin();
  for (size_t row : rowBytes) {
    for (int32_t parent : parents)
      after.insert(after.end(), part + parent * row, part + (parent + 1) * row);
    part += parents.size() * row;
  }
  return after;
}

void expectReordered(const Parents &parents, size_t rowBytes) {
  Bytes rows = randomBytes(parents.size() * rowBytes);
  Bytes expected = reordered(rows, {rowBytes}, parents);
  heddle_error error = {};
  ASSERT_EQ(heddle_reorder_rows(rows.data(), parents.size(), rowBytes,
                                parents.data(), &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_TRUE(rows == expected) << parents.size() << " rows of " << rowBytes;
}

TEST(Reorder, RowsBecomeTheirParents) {
  expectReordered({0}, 5);
  expectReordered({0, 1, 2}, 5);       // none changes
  expectReordered({1, 2, 0}, 5);       // a cycle
  expectReordered({1, 0, 3, 2}, 5);    // two of them
  expectReordered({2, 2, 2}, 5);       // one parent of all
  expectReordered({1, 2, 0, 0, 3}, 5); // a cycle, and what follows from it
}

// Of 3 rows 16384 / 3 bytes are moved at a time, of 4096 rows 4.
TEST(Reorder, RowsMayBeManyAndLong) {
  for (int64_t count : {2, 3, 7, 64, 4096})
    for (size_t rowBytes : {1, 3, 4, 5, 100, 5461, 5462, 20000})
      if (count * rowBytes < 10000000)
        expectReordered(randomParents(count, rowBytes), rowBytes);
  int32_t parent = 0;
  EXPECT_EQ(heddle_reorder_rows(&parent, 1, 0, &parent, nullptr), HEDDLE_OK);
}

// kCache of kPrefill: parts of [batch][64 positions * 16 or 32 bytes].
constexpr uint32_t kCacheArgument = 3;

TEST(Reorder, EachPartOfACacheChanges) {
  const int64_t sizes[] = {5, 1, 33};
  const std::vector<size_t> rowBytes = {64 * 16, 64 * 32, 64 * 16, 64 * 32};
  Bytes cache = randomBytes(5 * 64 * 96);
  for (unsigned seed = 0; seed < 20; ++seed) {
    Parents parents = randomParents(5, seed);
    Bytes expected = reordered(cache, rowBytes, parents);
    heddle_error error = {};
    ASSERT_EQ(heddle_reorder_cache(&kPrefill, kCacheArgument, sizes,
                                   cache.data(), parents.data(), &error),
              HEDDLE_OK)
        << error.message;
    EXPECT_TRUE(cache == expected);
  }
}

class ReorderErrors : public testing::Test {
protected:
  heddle_error error = {};
  const Bytes before = randomBytes(4 * 2 * 32 * 24);
  Bytes memory = before;
  Parents parents = {1, 0};
  const int64_t sizes[3] = {2, 1, 32};

  void expect(heddle_status status, heddle_status expected,
              const std::string &message) {
    EXPECT_EQ(status, expected);
    EXPECT_EQ(error.status, expected);
    EXPECT_EQ(error.message, message);
    EXPECT_TRUE(memory == before); // nothing is moved
  }
  heddle_status reorderRows(int64_t count = 2) {
    return heddle_reorder_rows(memory.data(), count, 8, parents.data(), &error);
  }
  heddle_status reorderCache(uint32_t argument = kCacheArgument) {
    return heddle_reorder_cache(&kPrefill, argument, sizes, memory.data(),
                                parents.data(), &error);
  }
};

TEST_F(ReorderErrors, NegativeParents) {
  parents = {1, 2};
  std::string message = "parents[1] is 2, expected 0 to 1";
  expect(reorderRows(), HEDDLE_OUT_OF_RANGE, message);
  expect(reorderCache(), HEDDLE_OUT_OF_RANGE, message);
  parents = {-1, 0};
  expect(reorderRows(), HEDDLE_OUT_OF_RANGE,
         "parents[0] is -1, expected 0 to 1");
}

TEST_F(ReorderErrors, NothingToReorder) {
  EXPECT_EQ(reorderRows(0), HEDDLE_OK);
}

TEST_F(ReorderErrors, NegativeCount) {
  for (int64_t count : {-1, 4097})
    expect(reorderRows(count), HEDDLE_INVALID_ARGUMENT,
           "count is " + std::to_string(count) + ", expected 0 to 4096");
}

TEST_F(ReorderErrors, NegativeCache) {
  expect(reorderCache(0), HEDDLE_INVALID_ARGUMENT,
         "prefill: argument 'ids' is no cache");
  expect(reorderCache(6), HEDDLE_INVALID_ARGUMENT,
         "prefill: argument is 6, expected less than 6");
  const int64_t wrong[] = {9, 1, 32};
  expect(heddle_reorder_cache(&kPrefill, kCacheArgument, wrong, memory.data(),
                              parents.data(), &error),
         HEDDLE_INVALID_ARGUMENT,
         "prefill: size 'batch' is 9, expected 1 to 8");
}

// Of pages a number of sequences says nothing.
TEST_F(ReorderErrors, NegativePages) {
  std::vector<heddle_argument> arguments(
      kPrefill.arguments, kPrefill.arguments + kPrefill.argument_count);
  arguments[kCacheArgument].role = HEDDLE_ROLE_POOL;
  heddle_entry entry = kPrefill;
  entry.arguments = arguments.data();
  expect(heddle_reorder_cache(&entry, kCacheArgument, sizes, memory.data(),
                              parents.data(), &error),
         HEDDLE_INVALID_ARGUMENT,
         "prefill: argument 'cache' has pages, expected a cache of sequences; "
         "reorder the rows of its table");
}

TEST_F(ReorderErrors, NegativeNullPointers) {
  expect(heddle_reorder_rows(nullptr, 2, 8, parents.data(), &error),
         HEDDLE_INVALID_ARGUMENT, "rows is null");
  expect(heddle_reorder_rows(memory.data(), 2, 8, nullptr, &error),
         HEDDLE_INVALID_ARGUMENT, "parents is null");
  expect(heddle_reorder_cache(nullptr, kCacheArgument, sizes, memory.data(),
                              parents.data(), &error),
         HEDDLE_INVALID_ARGUMENT, "entry is null");
  expect(heddle_reorder_cache(&kPrefill, kCacheArgument, sizes, nullptr,
                              parents.data(), &error),
         HEDDLE_INVALID_ARGUMENT, "prefill: cache is null");
  expect(heddle_reorder_cache(&kPrefill, kCacheArgument, sizes, memory.data(),
                              nullptr, &error),
         HEDDLE_INVALID_ARGUMENT, "prefill: parents is null");
}

} // namespace

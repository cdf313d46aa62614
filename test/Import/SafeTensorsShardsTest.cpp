// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Import/SafeTensorsTesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace heddle;
using namespace safetensors_testing;

namespace {

class SafeTensorsShards : public testing::Test {
protected:
  /// Writes a shard with one f32 for each name: the name's first letter, four
  /// times.
  void shard(StringRef file, ArrayRef<StringRef> names) {
    std::string header, data;
    raw_string_ostream stream(header);
    for (StringRef name : names) {
      stream << (data.empty() ? "{\"" : ",\"") << name
             << R"(":{"dtype":"F32","shape":[1],"data_offsets":[)"
             << data.size() << "," << data.size() + 4 << "]}";
      data.append(4, name.front());
    }
    stream << "}";
    folder.write(file, fileOf(header, data));
  }

  void index(StringRef text) {
    folder.write("model.safetensors.index.json", text);
  }

  void expectError(std::initializer_list<StringRef> parts) {
    safetensors_testing::expectError(folder, parts);
  }

  TemporaryFolder folder;
};

TEST_F(SafeTensorsShards, readsShards) {
  shard("one.safetensors", {"b", "d"});
  shard("two.safetensors", {"c", "a"});
  index(R"({"metadata": {"total_size": 16}, "weight_map": {
    "a": "two.safetensors", "b": "one.safetensors",
    "c": "two.safetensors", "d": "one.safetensors"}})");
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder.path());
  ASSERT_TRUE(bool(tensors)) << toString(tensors.takeError());
  ASSERT_EQ(tensors->tensors().size(), 4u);
  const char *names[] = {"a", "b", "c", "d"};
  for (size_t i = 0; i < 4; ++i) {
    const TensorEntry &tensor = tensors->tensors()[i];
    EXPECT_EQ(tensor.name, names[i]);
    EXPECT_EQ(tensors->find(names[i]), &tensor);
    EXPECT_EQ(toStringRef(tensor.data), std::string(4, *names[i]));
    EXPECT_EQ(tensor.file,
              folder.path(i % 2 ? "one.safetensors" : "two.safetensors"));
  }
}

TEST_F(SafeTensorsShards, aSingleFileComesFirst) {
  shard("model.safetensors", {"a"});
  index("not JSON");
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder.path());
  ASSERT_TRUE(bool(tensors)) << toString(tensors.takeError());
  EXPECT_NE(tensors->find("a"), nullptr);
}

TEST_F(SafeTensorsShards, negative_index) {
  index("{");
  expectError({"model.safetensors.index.json: malformed JSON"});
  index("[]");
  expectError({"index.json: expected a JSON object, got []"});
  index("{}");
  expectError({"index.json: field 'weight_map': expected an object, got "
               "nothing"});
  index(R"({"weight_map": []})");
  expectError({"index.json: field 'weight_map': expected an object, got []"});
  index(R"({"weight_map": {}})");
  expectError({"field 'weight_map': expected at least one tensor, got none"});
  index(R"({"weight_map": {}, "foo": 1})");
  expectError({"index.json: field 'foo' is not known to this importer"});
  index(R"({"weight_map": {"a": "x", "a": "y"}})");
  expectError({"index.json: expected each name once, got 'a' twice in "
               "'weight_map'"});
}

TEST_F(SafeTensorsShards, negative_indexIsNoFile) {
  ASSERT_FALSE(
      sys::fs::create_directory(folder.path("model.safetensors.index.json")));
  expectError({"index.json: cannot read: expected a regular file"});
}

TEST_F(SafeTensorsShards, negative_shardNames) {
  for (StringRef name :
       {R"("sub/one.safetensors")", R"("/one.safetensors")", R"("..")",
        R"("../one.safetensors")", R"("..\\one.safetensors")", R"("")",
        R"("one.safetensors\u0000")", "1", "null"}) {
    index(("{\"weight_map\": {\"a\": " + name + "}}").str());
    expectError({"index.json: tensor 'a': field 'weight_map': expected the "
                 "name of a file in the same folder, got " +
                 name.str()});
  }
}

TEST_F(SafeTensorsShards, negative_missingShard) {
  shard("one.safetensors", {"a"});
  index(R"({"weight_map": {"a": "one.safetensors",
                           "b": "two.safetensors"}})");
  expectError({"index.json: tensor 'b': expected the shard 'two.safetensors' "
               "in the folder, found no such file"});
}

TEST_F(SafeTensorsShards, negative_malformedShard) {
  folder.write("one.safetensors", "1234");
  index(R"({"weight_map": {"a": "one.safetensors"}})");
  expectError({folder.path("one.safetensors"), "got 4 bytes"});
}

TEST_F(SafeTensorsShards, negative_tensorNotInItsShard) {
  shard("one.safetensors", {"a"});
  index(R"({"weight_map": {"a": "one.safetensors",
                           "b": "one.safetensors"}})");
  expectError({"index.json: tensor 'b': expected in 'one.safetensors', which "
               "does not hold it"});
}

TEST_F(SafeTensorsShards, negative_tensorInAnotherShard) {
  shard("one.safetensors", {"a"});
  shard("two.safetensors", {"b"});
  index(R"({"weight_map": {"a": "two.safetensors",
                           "b": "one.safetensors"}})");
  expectError({"index.json: tensor 'a': expected in 'two.safetensors', got it "
               "in 'one.safetensors'"});
}

TEST_F(SafeTensorsShards, negative_tensorNotListed) {
  shard("one.safetensors", {"a", "b"});
  index(R"({"weight_map": {"a": "one.safetensors"}})");
  expectError({"index.json: tensor 'b': expected in 'weight_map' because "
               "'one.safetensors' holds it, got no such name"});
}

TEST_F(SafeTensorsShards, negative_tensorInTwoShards) {
  shard("one.safetensors", {"a"});
  shard("two.safetensors", {"a", "b"});
  index(R"({"weight_map": {"a": "one.safetensors",
                           "b": "two.safetensors"}})");
  expectError({"index.json: tensor 'a': expected in one shard, got it in both "
               "'one.safetensors' and 'two.safetensors'"});
}

TEST(SafeTensorsRealData, readsStories260K) {
  const char *root = std::getenv("HEDDLE_REALDATA");
  if (!root)
    GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
  SmallString<128> folder(root);
  sys::path::append(folder, "stories260K");
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder);
  ASSERT_TRUE(bool(tensors)) << toString(tensors.takeError());
  // 9 a layer, the embedding and the last norm.
  EXPECT_EQ(tensors->tensors().size(), 5u * 9 + 2);
  const TensorEntry *embedding = tensors->find("model.embed_tokens.weight");
  ASSERT_NE(embedding, nullptr);
  EXPECT_EQ(embedding->shape, (SmallVector<int64_t>{512, 64}));
  EXPECT_EQ(embedding->type, HEDDLE_TYPE_F32);
  int64_t bytes = 0;
  for (const TensorEntry &tensor : tensors->tensors())
    bytes += tensor.data.size();
  EXPECT_EQ(bytes, 1040128);
}

} // namespace

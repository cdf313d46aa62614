// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Npz.h"

#include "test/TemporaryFolder.h"

#include <fstream>
#include <gmock/gmock.h>
#include <zip.h>

using namespace llvm;
using namespace heddle;
using heddle::test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

static NpyArray bytes(StringRef text) {
  return {HEDDLE_TYPE_I8,
          {static_cast<int64_t>(text.size())},
          std::vector<char>(text.begin(), text.end())};
}

namespace {
class Npz : public testing::Test {
protected:
  Expected<NpzFile> open(StringRef content) {
    folder.write("x.npz", std::string_view(content.data(), content.size()));
    return NpzFile::open(folder.file("x.npz"));
  }

  /// The error of opening it or of reading the array 'a', without the folder.
  std::string message(StringRef content) {
    auto file = open(content);
    Error error =
        file ? file->read("a", HEDDLE_TYPE_I8).takeError() : file.takeError();
    std::string text = toString(std::move(error));
    std::string path = folder.file("x.npz");
    return text.compare(0, path.size(), path) == 0 ? text.substr(path.size())
                                                   : text;
  }

  /// An archive of members, compressed by `method`.
  std::string archive(ArrayRef<std::pair<const char *, std::string>> members,
                      int method = ZIP_CM_DEFLATE) {
    std::string path = folder.file("made.npz");
    zip_t *made = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const auto &[name, content] : members) {
      zip_source_t *source =
          zip_source_buffer(made, content.data(), content.size(), 0);
      zip_int64_t index = zip_file_add(made, name, source, 0);
      zip_set_file_compression(made, index, method, 0);
    }
    EXPECT_EQ(zip_close(made), 0);
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder;
};
} // namespace

TEST_F(Npz, reads_what_it_writes) {
  std::string content =
      cantFail(formatNpz({{"b", bytes("two")}, {"a", bytes("one")}}));
  NpzFile file = cantFail(open(content));
  EXPECT_THAT(file.names(), ElementsAre("b", "a"));
  EXPECT_EQ(cantFail(file.read("a", HEDDLE_TYPE_I8)).data, bytes("one").data);
  EXPECT_EQ(cantFail(file.read("b", HEDDLE_TYPE_I8)).data, bytes("two").data);
  EXPECT_EQ(content,
            cantFail(formatNpz({{"b", bytes("two")}, {"a", bytes("one")}})));
}

TEST_F(Npz, compressed_arrays) {
  NpyArray array = bytes(std::string(100'000, 'x'));
  std::string content = archive({{"a.npy", formatNpy(array)}});
  EXPECT_LT(content.size(), 10'000u);
  NpzFile file = cantFail(open(content));
  EXPECT_EQ(cantFail(file.read("a", HEDDLE_TYPE_I8)).data, array.data);
}

TEST_F(Npz, what_is_no_archive) {
  EXPECT_EQ(message(""), " is not a .npz file: it is empty");
  for (std::string text : {"PK", "PK\3\4", "text"})
    EXPECT_THAT(message(text), HasSubstr(" is not a .npz file: ")) << text;
  EXPECT_EQ(message(archive({{"a.txt", "text"}})),
            ": expected .npy files alone, found 'a.txt'");
  EXPECT_EQ(message(archive({{"a.npy", "text"}})), ": a is not a .npy file");
  EXPECT_EQ(message(cantFail(formatNpz({{"b", bytes("x")}}))),
            " has no array 'a'");
}

// A changed byte is found by its checksum, wherever it is.
TEST_F(Npz, damage) {
  for (int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    std::string content =
        archive({{"a.npy", formatNpy(bytes("0123456789abcdef"))}}, method);
    size_t size = content.size();
    for (size_t i = 0; i < size; ++i) {
      std::string changed = content;
      changed[i] ^= 1;
      auto file = open(changed);
      if (!file) {
        consumeError(file.takeError());
        continue;
      }
      auto array = file->read("a", HEDDLE_TYPE_I8);
      if (!array)
        consumeError(array.takeError());
      else // times, versions and the like
        EXPECT_EQ(array->data, bytes("0123456789abcdef").data) << i;
    }
    for (size_t i = 0; i < size; ++i)
      EXPECT_NE(message(content.substr(0, i)), "") << i;
  }
}

// What claims to be a gigabyte in memory, and is a few bytes as a file.
TEST_F(Npz, bombs) {
  std::string content = archive({{"a.npy", std::string(1000, 'x')}});
  std::string size("\x01\0\0\x40", 4);
  content.replace(22, size.size(), size); // in front of it
  content.replace(content.find("PK\1\2") + 24, size.size(),
                  size); // in the list
  EXPECT_EQ(message(content),
            ": a: expected at most 1073741824 bytes, found 1073741825");
}

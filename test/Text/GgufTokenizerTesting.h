// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tokenizer of a GGUF file, or what is wrong with it.

#ifndef HEDDLE_TEST_TEXT_GGUFTOKENIZERTESTING_H
#define HEDDLE_TEST_TEXT_GGUFTOKENIZERTESTING_H

#include "test/GgufBuilder.h"
#include "test/Text/TokenizerTestSupport.h"

namespace heddle::test {

class GgufTokenizerTest : public testing::Test {
protected:
  Result<std::unique_ptr<Tokenizer>> open(const GgufBuilder &builder) {
    folder.write("m.gguf", builder.bytes());
    return Tokenizer::fromFolder(folder.file("m.gguf"));
  }
  std::string error(const GgufBuilder &builder) {
    std::string message = messageOf(open(builder));
    std::string start = folder.file("m.gguf") + ": ";
    EXPECT_TRUE(startsWith(message, start)) << message;
    return message.substr(std::min(start.size(), message.size()));
  }

  TemporaryFolder folder;
};

/// Numbers of `token_type`.
namespace kinds {
enum Kind : int32_t { Normal = 1, Unknown, Control, UserDefined, Unused, Byte };
} // namespace kinds

} // namespace heddle::test

#endif // HEDDLE_TEST_TEXT_GGUFTOKENIZERTESTING_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/Tokenizers.h"

#include "compiler/tools/common/Artifact.h"

using namespace heddle;
using namespace llvm;

Expected<TokenizerHandle>
heddle::openTokenizer(const cl::opt<std::string> &folder) {
  if (!folder.getNumOccurrences())
    return TokenizerHandle();
  heddle_tokenizer *tokenizer = nullptr;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_tokenizer_open(folder.c_str(), &tokenizer, &error), error))
    return createStringError("--" + folder.ArgStr + ": " +
                             toString(std::move(failure)));
  return TokenizerHandle(tokenizer);
}

Expected<std::vector<int32_t>> heddle::encode(const heddle_tokenizer &tokenizer,
                                              StringRef text, bool addSpecial) {
  int32_t *ids = nullptr;
  size_t count = 0;
  heddle_error error = {};
  if (Error failure =
          toError(heddle_tokenizer_encode(&tokenizer, text.data(), text.size(),
                                          addSpecial, &ids, &count, &error),
                  error))
    return failure;
  std::vector<int32_t> result(ids, ids + count);
  heddle_text_free(ids);
  return result;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a tokenizer, in the order of heddle_tokenizer_file_names, and
// text for it. A line of minus signs ends a file and begins the next one; empty
// ones are not there.

#include "runtime/text/heddle_text.h"

#include <string>
#include <string_view>
#include <vector>

static constexpr std::string_view kSeparator = "\n----\n";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view rest(reinterpret_cast<const char *>(data), size);
  std::vector<const char *> names;
  for (auto *name = heddle_tokenizer_file_names(); *name; ++name)
    names.push_back(*name);
  std::vector<std::string_view> parts;
  while (parts.size() < names.size() + 1) {
    size_t end = rest.find(kSeparator);
    parts.push_back(rest.substr(0, end));
    rest = end == rest.npos ? "" : rest.substr(end + kSeparator.size());
  }
  std::vector<heddle_file> files;
  for (size_t i = 0; i < names.size(); ++i)
    if (!parts[i].empty())
      files.push_back({names[i], parts[i].data(), parts[i].size()});
  heddle_error error = {};
  heddle_tokenizer *tokenizer = nullptr;
  if (heddle_tokenizer_open_files(files.data(), files.size(), &tokenizer,
                                  &error))
    return 0;
  std::string_view text = parts.back();
  int32_t *ids = nullptr;
  size_t count = 0;
  if (!heddle_tokenizer_encode(tokenizer, text.data(), text.size(), 1, &ids,
                               &count, &error)) {
    char *again = nullptr;
    size_t length = 0;
    if (!heddle_tokenizer_decode(tokenizer, ids, count, &again, &length,
                                 &error))
      heddle_text_free(again);
    heddle_text_free(ids);
  }
  std::string content(text.substr(0, text.find('\0')));
  heddle_message message = {"user", content.c_str()};
  char *chat = nullptr;
  if (!heddle_tokenizer_apply_chat(tokenizer, &message, 1, 1, &chat, &count,
                                   &error))
    heddle_text_free(chat);
  heddle_tokenizer_close(tokenizer);
  return 0;
}

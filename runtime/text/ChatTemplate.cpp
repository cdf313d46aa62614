// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/ChatTemplate.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Files.h"
#include "runtime/text/TokenizerConfig.h"
#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Jinja.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace heddle::text;

static constexpr uint64_t kLargestTemplate = 1'000'000;

void ChatTemplate::readConfig(const Json &config, const std::string &path) {
  for (const char *name : {"bos_token", "eos_token", "unk_token", "sep_token",
                           "pad_token", "cls_token", "mask_token"})
    if (const Json *token = findField(config, name))
      if (const std::string *text = specialTokenText(*token))
        variables[name] = *text;
  if (!source.empty())
    return;
  where = path + ": chat_template";
  if (const std::string *one = findText(config, "chat_template"))
    source = *one;
  if (const Json *list = findArray(config, "chat_template"))
    for (const Json &named : *list) {
      const std::string *name = findText(named, "name");
      const std::string *text = findText(named, "template");
      if (name && text && *name == "default")
        source = *text;
    }
  if (source.size() > kLargestTemplate)
    throw Failure(where + ": expected at most " +
                  std::to_string(kLargestTemplate) + " bytes, found " +
                  std::to_string(source.size()));
}

ChatTemplate::ChatTemplate(const FileSet &files) {
  constexpr const char *name = "chat_template.jinja";
  if (files.has(name)) {
    where = files.pathOf(name);
    source = files.read(name, kLargestTemplate, "a template");
  }
  constexpr const char *config = "tokenizer_config.json";
  readConfig(readTokenizerConfig(files), files.pathOf(config));
}

/// The current time; or SOURCE_DATE_EPOCH, for texts that are the same again
/// (reproducible-builds.org).
static std::time_t now() {
  const char *fixed = std::getenv("SOURCE_DATE_EPOCH");
  if (!fixed || !*fixed)
    return std::time(nullptr);
  int64_t seconds = 0;
  const char *end = fixed + std::strlen(fixed);
  auto [rest, error] = std::from_chars(fixed, end, seconds);
  if (rest != end || error != std::errc())
    throw Failure(std::string("SOURCE_DATE_EPOCH: expected seconds since 1970, "
                              "got '") +
                  fixed + "'");
  return std::time_t(seconds);
}

std::string ChatTemplate::apply(const heddle_message *messages, size_t count,
                                bool addGenerationPrompt) const {
  if (!isThere())
    throw Failure("the tokenizer has no chat template");
  OrderedJson list = OrderedJson::array();
  for (size_t i = 0; i < count; ++i) {
    std::string place = "messages[" + std::to_string(i) + "]";
    if (!messages[i].role || !messages[i].content)
      throw Failure(place + " has a null " +
                    (messages[i].role ? "content" : "role"));
    checkText(messages[i].role);
    checkText(messages[i].content);
    OrderedJson message;
    message["role"] = messages[i].role;
    message["content"] = messages[i].content;
    list.push_back(std::move(message));
  }
  OrderedJson all = variables;
  all["messages"] = std::move(list);
  all["add_generation_prompt"] = addGenerationPrompt;
  // As transformers has it where there are none.
  all["tools"] = all["documents"] = nullptr;
  return Jinja(source, where).render(all, now());
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Speech.h"

#include "runtime/text/Files.h"
#include "runtime/text/Json.h"

using namespace heddle::text;

static std::map<std::string, int32_t>
readNames(const Json &config, const std::string &path, const char *name) {
  std::map<std::string, int32_t> result;
  const Json *object = findObject(config, name);
  if (!object)
    return result;
  Fields fields(*object, path + ": field '" + name + "'");
  for (const auto &[key, value] : object->items()) {
    // "<|en|>", but "translate".
    std::string word = key;
    if (word.size() > 4 && word.compare(0, 2, "<|") == 0)
      word = word.substr(2, word.size() - 4);
    result[word] = int32_t(fields.integer(key, INT32_MAX));
  }
  return result;
}

static std::string readWord(const Json &config, const char *name) {
  const std::string *word = findText(config, name);
  if (!word)
    return "";
  bool isToken = word->size() > 4 && word->compare(0, 2, "<|") == 0;
  return isToken ? word->substr(2, word->size() - 4) : *word;
}

Speech heddle::text::readSpeech(const FileSet &files) {
  constexpr const char *file = "generation_config.json";
  Speech speech;
  if (!files.has(file))
    return speech;
  Json config = readJsonFile(files, file);
  const std::string path = files.pathOf(file);
  Fields fields(config, path);
  speech.languages = readNames(config, path, "lang_to_id");
  speech.tasks = readNames(config, path, "task_to_id");
  speech.isMultilingual =
      fields.boolean("is_multilingual", !speech.languages.empty());
  if (fields.has("no_timestamps_token_id"))
    speech.noTimestamps =
        int32_t(fields.integer("no_timestamps_token_id", INT32_MAX));
  speech.language = readWord(config, "language");
  speech.task = readWord(config, "task");
  return speech;
}

static int32_t find(const std::map<std::string, int32_t> &known,
                    const std::string &what, const std::string &name) {
  auto found = known.find(name);
  if (found != known.end())
    return found->second;
  std::string expected;
  for (const auto &[word, id] : known)
    expected += (expected.empty() ? "" : ", ") + word;
  throw Failure(
      what + " is '" + name + "', expected " +
      (known.empty() ? "none: the model has but one" : "one of " + expected));
}

int32_t Speech::languageId(const std::string &name) const {
  return find(languages, "language", name);
}

int32_t Speech::taskId(const std::string &name) const {
  return find(tasks, "task", name);
}

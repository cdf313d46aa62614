// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Speech.h"

#include "runtime/text/Files.h"
#include "runtime/text/Json.h"
#include "runtime/text/LanguageNames.h"

using namespace heddle::text;

/// "en" of "<|en|>".
static std::string withoutMarks(const std::string &word) {
  bool isToken = word.size() > 4 && word.compare(0, 2, "<|") == 0 &&
                 word.compare(word.size() - 2, 2, "|>") == 0;
  return isToken ? word.substr(2, word.size() - 4) : word;
}

static std::map<std::string, int32_t>
readNames(const Json &config, const std::string &path, const char *name) {
  std::map<std::string, int32_t> result;
  const Json *object = findObject(config, name);
  if (!object)
    return result;
  Fields fields(*object, path + ": field '" + name + "'");
  for (const auto &[key, value] : object->items())
    result[withoutMarks(key)] = int32_t(fields.integer(key, INT32_MAX));
  return result;
}

static std::string readWord(const Json &config, const char *name) {
  const std::string *word = findText(config, name);
  return word ? *word : "";
}

/// Pairs of a position, from 1 on, and an id, or null.
static std::vector<std::optional<int32_t>> readForced(const Json &config,
                                                      const Fields &fields) {
  constexpr const char *name = "forced_decoder_ids";
  std::vector<std::optional<int32_t>> ids;
  if (!fields.has(name))
    return ids;
  const Json *list = findArray(config, name);
  auto fail = [&] {
    fields.fail(name, "a list of [position, id] with the positions 1, 2, ...");
  };
  if (!list)
    fail();
  for (const Json &pair : *list) {
    bool isPair =
        pair.is_array() && pair.size() == 2 && pair[0] == Json(ids.size() + 1);
    if (!isPair || !(pair[1].is_null() || pair[1].is_number_unsigned()) ||
        (!pair[1].is_null() && pair[1].get<uint64_t>() > INT32_MAX))
      fail();
    ids.push_back(pair[1].is_null() ? std::nullopt
                                    : std::optional(pair[1].get<int32_t>()));
  }
  return ids;
}

Speech heddle::text::readSpeech(const FileSet &files) {
  // Older folders have all in config.json.
  const char *file = files.has("generation_config.json")
                         ? "generation_config.json"
                         : "config.json";
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
  speech.forced = readForced(config, fields);
  speech.language = readWord(config, "language");
  speech.task = readWord(config, "task");
  return speech;
}

static int32_t find(const std::map<std::string, int32_t> &known,
                    const std::string &what, const std::string &field,
                    const std::string &name) {
  auto found = known.find(name);
  if (found != known.end())
    return found->second;
  if (known.empty())
    throw Failure(what + " '" + name +
                  "' has no id: generation_config.json of the tokenizer's "
                  "folder has no '" +
                  field + "'");
  std::string expected;
  for (const auto &[word, id] : known)
    expected += (expected.empty() ? "" : ", ") + word;
  throw Failure(what + " is '" + name + "', expected one of " + expected);
}

int32_t Speech::languageId(const std::string &name) const {
  std::string small = withoutMarks(name);
  for (char &letter : small)
    letter = letter >= 'A' && letter <= 'Z' ? char(letter - 'A' + 'a') : letter;
  std::string code = languageCode(small);
  auto known = languages.find(code.empty() ? small : code);
  return known != languages.end()
             ? known->second
             : find(languages, "language", "lang_to_id", name);
}

int32_t Speech::taskId(const std::string &name) const {
  return find(tasks, "task", "task_to_id", withoutMarks(name));
}

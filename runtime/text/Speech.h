// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ids that tell a model of speech what to write (Whisper,
// transformers/models/whisper/generation_whisper.py).

#ifndef HEDDLE_TEXT_SPEECH_H
#define HEDDLE_TEXT_SPEECH_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::text {

class FileSet;

/// Languages and tasks of a folder: generation_config.json, or else
/// config.json.
struct Speech {
  /// Whether answers begin with a language and a task: `is_multilingual`.
  bool isMultilingual = false;
  std::map<std::string, int32_t> languages; ///< "en", of `lang_to_id`
  std::map<std::string, int32_t> tasks;     ///< "translate", of `task_to_id`
  std::optional<int32_t> noTimestamps;      ///< `no_timestamps_token_id`
  /// What answers begin with where nobody asks for a language or a task,
  /// `forced_decoder_ids`; none stands for the language that is heard.
  std::vector<std::optional<int32_t>> forced;
  std::string language, task; ///< defaults; empty for none

  // Both fail where the folder has no id of that name. A language may be given
  // as "de", "German" or "<|de|>".
  int32_t languageId(const std::string &name) const;
  int32_t taskId(const std::string &name) const;
};

Speech readSpeech(const FileSet &files);

} // namespace heddle::text

#endif // HEDDLE_TEXT_SPEECH_H

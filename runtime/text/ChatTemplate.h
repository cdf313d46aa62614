// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a model wants conversations written.

#ifndef HEDDLE_TEXT_CHATTEMPLATE_H
#define HEDDLE_TEXT_CHATTEMPLATE_H

#include "runtime/text/Json.h"
#include "runtime/text/heddle_text.h"

#include <string>

namespace heddle::text {

/// The chat template beside a tokenizer: chat_template.jinja or, where
/// there is none, the field of tokenizer_config.json, of several the one named
/// "default". It is parsed when it is used: a tokenizer whose template is not
/// understood still encodes and decodes.
class ChatTemplate {
public:
  explicit ChatTemplate(const FileSet &files);

  bool isThere() const { return !source.empty(); }
  std::string apply(const heddle_message *messages, size_t count,
                    bool addGenerationPrompt) const;

private:
  void readConfig(const Json &config, const std::string &path);

  std::string where, source;
  Json variables = Json::object(); ///< bos_token and the like
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_CHATTEMPLATE_H

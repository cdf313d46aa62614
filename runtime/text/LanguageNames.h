// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// English names of languages.

#ifndef HEDDLE_TEXT_LANGUAGENAMES_H
#define HEDDLE_TEXT_LANGUAGENAMES_H

#include <string>
#include <string_view>

namespace heddle::text {

/// The code of a language, "de", by its name in small letters, "german", as
/// Whisper has them (transformers/models/whisper/tokenization_whisper.py);
/// empty where there is none.
std::string languageCode(std::string_view name);

} // namespace heddle::text

#endif // HEDDLE_TEXT_LANGUAGENAMES_H

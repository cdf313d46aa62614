// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/TextNormalizer.h"

#include "compiler/tools/heddle-run/TokenizerJson.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/StringSwitch.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

using namespace llvm;
using namespace heddle;

/// ICU's normal form `type`; null if there is no such form.
static const icu::Normalizer2 *normalForm(StringRef type, UErrorCode &status) {
  using GetInstance = const icu::Normalizer2 *(*)(UErrorCode &);
  GetInstance getInstance = StringSwitch<GetInstance>(type)
                                .Case("NFC", icu::Normalizer2::getNFCInstance)
                                .Case("NFD", icu::Normalizer2::getNFDInstance)
                                .Case("NFKC", icu::Normalizer2::getNFKCInstance)
                                .Case("NFKD", icu::Normalizer2::getNFKDInstance)
                                .Default(nullptr);
  return getInstance ? getInstance(status) : nullptr;
}

static Expected<std::string> toNormalForm(const icu::Normalizer2 &form,
                                          StringRef text) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString units =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), text.size()));
  icu::UnicodeString normalized = form.normalize(units, status);
  if (U_FAILURE(status))
    return createStringError(Twine("cannot normalize the text: ") +
                             u_errorName(status));
  std::string result;
  normalized.toUTF8String(result);
  return result;
}

/// Lower case character by character, as Rust's char::to_lowercase: no final
/// sigma and no locale.
static std::string toLowerCase(StringRef text) {
  std::string lower;
  for (size_t position = 0; position < text.size();) {
    char32_t character = nextCharacter(text, position);
    appendCharacter(lower, u_tolower(character));
    // The only character whose lower case is always two: i with a dot above.
    if (character == 0x130)
      appendCharacter(lower, 0x307);
  }
  return lower;
}

Expected<TextNormalizer> TextNormalizer::fromJson(const json::Value *value,
                                                  const std::string &where) {
  TextNormalizer normalizer;
  auto visit = [&](const TokenizerComponent &component) -> Error {
    JsonFields fields(component.object, component.where);
    auto add = [&](Step step, ArrayRef<StringRef> known) {
      rejectUnknownFields(fields, component.object, known);
      normalizer.steps.push_back(std::move(step));
      return fields.takeError();
    };

    UErrorCode status = U_ZERO_ERROR;
    if (const icu::Normalizer2 *form = normalForm(component.type, status))
      return add([form](StringRef text) { return toNormalForm(*form, text); },
                 {"type"});
    if (U_FAILURE(status))
      return createStringError(
          component.where +
          ": cannot load Unicode data: " + u_errorName(status));
    if (component.type == "Lowercase")
      return add([](StringRef text) { return toLowerCase(text); }, {"type"});
    if (component.type == "Prepend") {
      std::string prefix = fields.text("prepend").str();
      return add(
          [prefix](StringRef text) {
            return text.empty() ? std::string() : prefix + text.str();
          },
          {"type", "prepend"});
    }
    if (component.type == "Replace") {
      std::string content = fields.text("content").str();
      Expected<SplitPattern> pattern = parsePattern(component);
      if (!pattern)
        return pattern.takeError();
      return add([content, pattern = *pattern](
                     StringRef text) { return pattern.replace(text, content); },
                 {"type", "pattern", "content"});
    }
    return component.unknownType(
        "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Sequence");
  };
  if (Error error = forEachComponent(value, where, "normalizers", visit))
    return error;
  return normalizer;
}

Expected<std::string> TextNormalizer::run(StringRef text) const {
  std::string result = text.str();
  for (const Step &step : steps) {
    Expected<std::string> next = step(result);
    if (!next)
      return next.takeError();
    result = std::move(*next);
  }
  return result;
}

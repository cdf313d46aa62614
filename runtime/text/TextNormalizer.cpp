// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/TextNormalizer.h"

#include "runtime/text/Failure.h"
#include "runtime/text/TokenizerJson.h"
#include "runtime/text/UnicodeData.h"
#include "runtime/text/Utf8.h"

#include <memory>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uniset.h>

using namespace heddle::text;

/// The normal form `type` of the characters of Unicode 9, and all others as
/// they are: that is what unicode-normalization-alignments 0.1 does, by which
/// Hugging Face tokenizers normalize. Null if there is no such form.
static std::shared_ptr<const icu::Normalizer2>
normalForm(const std::string &type, UErrorCode &status) {
  const icu::Normalizer2 *newest = nullptr;
  if (type == "NFC")
    newest = icu::Normalizer2::getNFCInstance(status);
  if (type == "NFD")
    newest = icu::Normalizer2::getNFDInstance(status);
  if (type == "NFKC")
    newest = icu::Normalizer2::getNFKCInstance(status);
  if (type == "NFKD")
    newest = icu::Normalizer2::getNFKDInstance(status);
  if (!newest)
    return nullptr;
  static const icu::UnicodeSet known = [] {
    UErrorCode status = U_ZERO_ERROR;
    icu::UnicodeSet set(u"[:Age=9.0:]", status);
    if (U_FAILURE(status))
      throw Failure(std::string("cannot load Unicode data: ") +
                    u_errorName(status));
    set.freeze();
    return set;
  }();
  return std::make_shared<icu::FilteredNormalizer2>(*newest, known);
}

namespace {
/// Keeps what ICU appends as long as it is not too much.
class BoundedSink : public icu::ByteSink {
public:
  explicit BoundedSink(size_t longest) : longest(longest) {}

  void Append(const char *bytes, int32_t count) override {
    size += count;
    if (size <= longest)
      text.append(bytes, count);
  }

  std::string text;
  size_t size = 0;

private:
  size_t longest;
};
} // namespace

static std::string toNormalForm(const icu::Normalizer2 &form,
                                std::string_view text, Budget &budget,
                                GrowingText &grown) {
  UErrorCode status = U_ZERO_ERROR;
  BoundedSink sink(budget.maxBytes());
  form.normalizeUTF8(0, icu::StringPiece(text.data(), int32_t(text.size())),
                     sink, nullptr, status);
  grown.add(sink.size);
  if (U_FAILURE(status))
    throw Failure(std::string("cannot normalize the text: ") +
                  u_errorName(status));
  return std::move(sink.text);
}

/// Lower case character by character, as Rust's char::to_lowercase: no final
/// sigma and no locale.
static std::string lowerCaseOf(std::string_view text) {
  std::string lower;
  for (size_t position = 0; position < text.size();) {
    char32_t character = nextCharacter(text, position);
    appendCharacter(lower, toLowerCase(character));
    // The only character whose lower case is always two: i with a dot above.
    if (character == 0x130)
      appendCharacter(lower, 0x307);
  }
  return lower;
}

TextNormalizer TextNormalizer::fromJson(const Json *value,
                                        const std::string &where) {
  TextNormalizer normalizer;
  auto visit = [&](const TokenizerComponent &component) {
    Fields fields(component.object, component.where);
    auto add = [&](auto run, std::initializer_list<std::string_view> known) {
      fields.rejectOthers(known);
      normalizer.steps.push_back({std::move(run), component.where, nullptr});
    };

    UErrorCode status = U_ZERO_ERROR;
    if (std::shared_ptr<const icu::Normalizer2> form =
            normalForm(component.type, status))
      return add(
          [form](std::string_view text, Budget &budget, GrowingText &grown) {
            return toNormalForm(*form, text, budget, grown);
          },
          {"type"});
    if (U_FAILURE(status))
      throw Failure(component.where +
                    ": cannot load Unicode data: " + u_errorName(status));
    if (component.type == "Lowercase")
      return add(
          [](std::string_view text, Budget &, GrowingText &grown) {
            std::string lower = lowerCaseOf(text);
            grown.add(lower.size());
            return lower;
          },
          {"type"});
    if (component.type == "Prepend")
      return add(
          [prefix = fields.text("prepend")](std::string_view text, Budget &,
                                            GrowingText &grown) {
            if (text.empty())
              return std::string();
            grown.add(prefix.size() + text.size());
            return prefix + std::string(text);
          },
          {"type", "prepend"});
    if (component.type == "Replace") {
      auto pattern =
          std::make_shared<const SplitPattern>(parsePattern(component));
      std::string content = fields.text("content");
      add(
          [content, pattern](std::string_view text, Budget &budget,
                             GrowingText &grown) {
            return pattern->replace(text, content, budget, grown);
          },
          {"type", "pattern", "content"});
      if (content.empty())
        normalizer.steps.back().removed = pattern;
      return;
    }
    component.unknownType(
        "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Sequence");
  };
  forEachComponent(value, where, "normalizers", visit);
  return normalizer;
}

std::string TextNormalizer::run(std::string_view text, Budget &budget,
                                bool *startRemoved) const {
  std::string result(text);
  for (const Step &step : steps) {
    if (startRemoved && step.removed && !result.empty()) {
      SplitRange first = step.removed->split(result, budget).front();
      *startRemoved |= first.matches && !first.empty();
    }
    GrowingText grown(budget, step.where);
    result = step.run(result, budget, grown);
  }
  return result;
}

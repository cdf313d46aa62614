// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/NormalForm.h"

#include "runtime/text/Failure.h"
#include "runtime/text/UnicodeData.h"

#include <unicode/bytestream.h>

using namespace heddle::text;

NormalForm::NormalForm(const icu::Normalizer2 &newest) {
  static const icu::UnicodeSet known = [] {
    icu::UnicodeSet set = charactersOf(unicodeOfNormalForms);
    set.freeze();
    return set;
  }();
  form = std::make_shared<icu::FilteredNormalizer2>(newest, known);
}

std::optional<NormalForm> NormalForm::named(const std::string &name) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2 *newest = nullptr;
  if (name == "NFC")
    newest = icu::Normalizer2::getNFCInstance(status);
  if (name == "NFD")
    newest = icu::Normalizer2::getNFDInstance(status);
  if (name == "NFKC")
    newest = icu::Normalizer2::getNFKCInstance(status);
  if (name == "NFKD")
    newest = icu::Normalizer2::getNFKDInstance(status);
  if (U_FAILURE(status))
    throw Failure(std::string("cannot load Unicode data: ") +
                  u_errorName(status));
  if (!newest)
    return std::nullopt;
  return NormalForm(*newest);
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

std::string NormalForm::of(std::string_view text, Budget &budget,
                           GrowingText &grown) const {
  UErrorCode status = U_ZERO_ERROR;
  BoundedSink sink(budget.maxBytes());
  form->normalizeUTF8(0, icu::StringPiece(text.data(), int32_t(text.size())),
                      sink, nullptr, status);
  grown.add(sink.size);
  if (U_FAILURE(status))
    throw Failure(std::string("cannot normalize the text: ") +
                  u_errorName(status));
  return std::move(sink.text);
}

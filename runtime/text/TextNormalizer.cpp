// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/TextNormalizer.h"

#include "runtime/text/Characters.h"
#include "runtime/text/CharsMap.h"
#include "runtime/text/NormalForm.h"
#include "runtime/text/TokenizerJson.h"
#include "runtime/text/Utf8.h"

#include <memory>

using namespace heddle::text;

/// Makes steps of one component.
class TextNormalizer::Reader {
public:
  Reader(const TokenizerComponent &component, std::vector<Step> &steps)
      : component(component), fields(component.object, component.where),
        steps(steps) {}

  void read();

private:
  using Run = decltype(Step::run);

  void add(Run run) {
    steps.push_back({std::move(run), component.where, nullptr});
  }

  /// A step that needs only the text, and makes it at most 3 times as long.
  template <typename Rewrite> void addRewrite(Rewrite rewrite) {
    add([rewrite](std::string_view text, Budget &, GrowingText &grown) {
      std::string result(rewrite(text));
      grown.add(result.size());
      return result;
    });
  }

  /// The last step takes out first characters that are like this.
  void removesStart(bool (*isRemoved)(char32_t)) {
    steps.back().removesStart = [isRemoved](std::string_view text, Budget &) {
      size_t position = 0;
      return isRemoved(nextCharacter(text, position));
    };
  }

  void addWithout(bool (*isLeftOut)(char32_t)) {
    addRewrite([isLeftOut](std::string_view text) {
      return without(isLeftOut, text);
    });
    removesStart(isLeftOut);
  }

  void addForm(const NormalForm &form) {
    add([form](std::string_view text, Budget &budget, GrowingText &grown) {
      return form.of(text, budget, grown);
    });
  }

  void addLowerCase() {
    addRewrite([](std::string_view text) { return toLowerCase(text); });
  }

  void readBert();
  void readStrip();
  void readReplace();
  void readPrepend();
  void readPrecompiled();

  const TokenizerComponent &component;
  Fields fields;
  std::vector<Step> &steps;
};

void TextNormalizer::Reader::readBert() {
  fields.rejectOthers({"type", "clean_text", "handle_chinese_chars",
                       "strip_accents", "lowercase"});
  bool isLower = fields.boolean("lowercase");
  if (fields.boolean("clean_text")) {
    addRewrite(cleanText);
    removesStart(isCleanedAway);
  }
  if (fields.boolean("handle_chinese_chars"))
    addRewrite(spaceIdeographs);
  if (fields.has("strip_accents") ? fields.boolean("strip_accents") : isLower) {
    addForm(*NormalForm::named("NFD"));
    addWithout(isNonspacingMark);
  }
  if (isLower)
    addLowerCase();
}

void TextNormalizer::Reader::readStrip() {
  fields.rejectOthers({"type", "strip_left", "strip_right"});
  bool left = fields.boolean("strip_left");
  bool right = fields.boolean("strip_right");
  addRewrite([left, right](std::string_view text) {
    if (left)
      text = withoutSpaceAtBegin(text);
    return right ? withoutSpaceAtEnd(text) : text;
  });
  if (left)
    removesStart(isWhiteSpace);
}

void TextNormalizer::Reader::readReplace() {
  fields.rejectOthers({"type", "pattern", "content"});
  auto pattern = std::make_shared<const SplitPattern>(parsePattern(component));
  std::string content = fields.text("content");
  add([content, pattern](std::string_view text, Budget &budget,
                         GrowingText &grown) {
    return pattern->replace(text, content, budget, grown);
  });
  if (content.empty())
    steps.back().removesStart = [pattern](std::string_view text,
                                          Budget &budget) {
      SplitRange first = pattern->split(text, budget).front();
      return first.matches && !first.empty();
    };
}

void TextNormalizer::Reader::readPrepend() {
  fields.rejectOthers({"type", "prepend"});
  add([prefix = fields.text("prepend")](std::string_view text, Budget &,
                                        GrowingText &grown) {
    if (text.empty())
      return std::string();
    grown.add(prefix.size() + text.size());
    return prefix + std::string(text);
  });
}

void TextNormalizer::Reader::readPrecompiled() {
  fields.rejectOthers({"type", "precompiled_charsmap"});
  std::string field = component.where + ": field 'precompiled_charsmap'";
  auto map = std::make_shared<const CharsMap>(
      fields.base64("precompiled_charsmap"), field);
  add([map](std::string_view text, Budget &, GrowingText &grown) {
    return map->run(text, grown);
  });
}

void TextNormalizer::Reader::read() {
  const std::string &type = component.type;
  if (type == "BertNormalizer")
    return readBert();
  if (type == "Strip")
    return readStrip();
  if (type == "Replace")
    return readReplace();
  if (type == "Prepend")
    return readPrepend();
  if (type == "Precompiled")
    return readPrecompiled();

  // The rest has no fields.
  if (std::optional<NormalForm> form = NormalForm::named(type)) {
    addForm(*form);
  } else if (type == "Lowercase") {
    addLowerCase();
  } else if (type == "StripAccents") {
    addWithout(isCombiningMark);
  } else if (type == "Nmt") {
    addRewrite(nmtText);
    removesStart(isNmtControl);
  } else if (type == "ByteLevel") {
    addRewrite(toByteAlphabet);
  } else {
    component.unknownType(
        "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, BertNormalizer, "
        "Strip, StripAccents, Precompiled, Nmt, ByteLevel, Sequence");
  }
  fields.rejectOthers({"type"});
}

TextNormalizer TextNormalizer::fromJson(const Json *value,
                                        const std::string &where) {
  TextNormalizer normalizer;
  forEachComponent(value, where, "normalizers",
                   [&](const TokenizerComponent &component) {
                     Reader(component, normalizer.steps).read();
                   });
  return normalizer;
}

std::string TextNormalizer::run(std::string_view text, Budget &budget,
                                bool *startRemoved) const {
  std::string result(text);
  for (const Step &step : steps) {
    if (startRemoved && step.removesStart && !result.empty())
      *startRemoved |= step.removesStart(result, budget);
    GrowingText grown(budget, step.where);
    result = step.run(result, budget, grown);
  }
  return result;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/PostProcessor.h"

#include "runtime/text/Failure.h"
#include "runtime/text/TokenizerJson.h"

#include <algorithm>

using namespace heddle::text;

PostProcessor::PostProcessor() : PostProcessor(std::nullopt, std::nullopt) {}

PostProcessor::PostProcessor(std::optional<int32_t> start,
                             std::optional<int32_t> end) {
  auto around = [&](Parts &parts, Part::Kind text, int32_t typeId) {
    if (start)
      parts.push_back({Part::Special, typeId, {*start}});
    parts.push_back({text, typeId, {}});
    if (end)
      parts.push_back({Part::Special, typeId, {*end}});
  };
  around(single, Part::First, 0);
  around(pair, Part::First, 0);
  around(pair, Part::Second, 1);
}

PostProcessor::PostProcessor(const Frame &frame) {
  auto special = [](const std::vector<int32_t> &ids, int32_t typeId) {
    return Part{Part::Special, typeId, ids};
  };
  Part first = {Part::First, 0, {}};
  Part second = {Part::Second, frame.secondType, {}};
  single = {special(frame.prefix, 0), first, special(frame.suffix, 0)};
  pair = {special(frame.prefix, 0), first, special(frame.middle, 0), second,
          special(frame.suffix, frame.secondType)};
}

//===-- reading -----------------------------------------------------------===//

/// Reads one component.
class PostProcessor::Reader {
public:
  Reader(const TokenizerComponent &component, int32_t highestId)
      : component(component), fields(component.object, component.where),
        highestId(highestId) {}

  /// Whether the component puts anything around texts.
  bool isFrame() const { return component.type != "ByteLevel"; }
  PostProcessor read() const;

private:
  PostProcessor readBert(bool isRoberta) const;
  PostProcessor readTemplate() const;
  int32_t readSpecial(const char *name) const;
  Parts readParts(const char *name, const Json &specialTokens) const;

  const TokenizerComponent &component;
  Fields fields;
  int32_t highestId;
};

/// "sep": [token, id].
int32_t PostProcessor::Reader::readSpecial(const char *name) const {
  const Json *token = findArray(component.object, name);
  if (!token || token->size() != 2 || !(*token)[0].is_string() ||
      !(*token)[1].is_number_integer() || (*token)[1] < 0 ||
      (*token)[1] > highestId)
    fields.fail(name, "[token, id] with an id <= " + std::to_string(highestId));
  return (*token)[1].get<int32_t>();
}

/// cls A sep, and for pairs B sep, where RoBERTa has a further sep in front and
/// no types.
PostProcessor PostProcessor::Reader::readBert(bool isRoberta) const {
  if (isRoberta)
    // The last two only move offsets into the text, which nothing here reports.
    fields.rejectOthers(
        {"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
  else
    fields.rejectOthers({"type", "sep", "cls"});
  int32_t sep = readSpecial("sep");
  return PostProcessor(isRoberta
                           ? Frame{{readSpecial("cls")}, {sep, sep}, {sep}, 0}
                           : Frame{{readSpecial("cls")}, {sep}, {sep}, 1});
}

/// An array of {"Sequence": {"id": "A"}} and {"SpecialToken": {"id": name}},
/// where "special_tokens" has the ids for each name.
PostProcessor::Parts
PostProcessor::Reader::readParts(const char *name,
                                 const Json &specialTokens) const {
  const Json *list = findArray(component.object, name);
  if (!list)
    fields.fail(name, "an array");
  bool isPair = std::string_view(name) == "pair";
  Parts parts;
  for (size_t index = 0; index < list->size(); ++index) {
    const Json &element = (*list)[index];
    std::string place = name + ("[" + std::to_string(index) + "]");
    auto inside = [&](const char *kind) {
      return element.is_object() ? findObject(element, kind) : nullptr;
    };
    const Json *sequence = inside("Sequence"),
               *special = inside("SpecialToken");
    const Json *either = sequence ? sequence : special;
    const std::string *id = either ? findText(*either, "id") : nullptr;
    const Json *token =
        id && special ? findObject(specialTokens, *id) : nullptr;
    bool isSecond = id && sequence && isPair && *id == "B";
    if (!id || (sequence ? !isSecond && *id != "A" : !token))
      fields.fail(place,
                  std::string("sequence A ") + (isPair ? "or B " : "") +
                      "or a token of 'special_tokens'",
                  describe(element));
    Fields inner(*either, component.where + ": " + place);
    auto typeId =
        int32_t(inner.has("type_id") ? inner.integer("type_id", INT32_MAX) : 0);
    if (sequence) {
      parts.push_back({isSecond ? Part::Second : Part::First, typeId, {}});
      continue;
    }
    Fields tokenFields(*token, component.where + ".special_tokens." + *id);
    parts.push_back(
        {Part::Special, typeId, tokenFields.integers("ids", highestId)});
  }
  return parts;
}

PostProcessor PostProcessor::Reader::readTemplate() const {
  fields.rejectOthers({"type", "single", "pair", "special_tokens"});
  const Json *specialTokens = findObject(component.object, "special_tokens");
  if (!specialTokens)
    fields.fail("special_tokens", "an object");
  PostProcessor result;
  result.single = readParts("single", *specialTokens);
  if (findField(component.object, "pair"))
    result.pair = readParts("pair", *specialTokens);
  else
    result.pair.clear();
  return result;
}

PostProcessor PostProcessor::Reader::read() const {
  if (component.type == "TemplateProcessing")
    return readTemplate();
  if (component.type == "BertProcessing")
    return readBert(/*isRoberta=*/false);
  if (component.type == "RobertaProcessing")
    return readBert(/*isRoberta=*/true);
  if (component.type != "ByteLevel")
    component.unknownType("TemplateProcessing, BertProcessing, "
                          "RobertaProcessing, ByteLevel, Sequence");
  // Only moves offsets into the text, which nothing here reports.
  fields.rejectOthers(
      {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  return {};
}

PostProcessor PostProcessor::fromJson(const Json *value,
                                      const std::string &where,
                                      int32_t highestId) {
  PostProcessor result;
  bool hasFrame = false;
  forEachComponent(
      value, where, "processors", [&](const TokenizerComponent &component) {
        Reader reader(component, highestId);
        PostProcessor read = reader.read();
        if (!reader.isFrame())
          return;
        // There, a second one would see special tokens as texts.
        if (hasFrame)
          throw Failure(component.where +
                        ": expected one component that adds special tokens, "
                        "got another: " +
                        component.type);
        hasFrame = true;
        result = std::move(read);
        result.where = component.where;
      });
  return result;
}

//===-- applying ----------------------------------------------------------===//

size_t PostProcessor::added(bool isPair) const {
  size_t count = 0;
  for (const Part &part : isPair ? pair : single)
    count += part.ids.size();
  return count;
}

Encoding PostProcessor::apply(const std::vector<int32_t> &first,
                              const std::vector<int32_t> *second,
                              bool addSpecial, const Budget &budget) const {
  const Parts &parts = second ? pair : single;
  auto hasPart = [&](Part::Kind kind) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Part &part) { return part.kind == kind; });
  };
  if (second && !(hasPart(Part::First) && hasPart(Part::Second)))
    throw Failure(where + ": field 'pair': expected sequences A and B, as a "
                          "pair of texts is encoded");
  Encoding result;
  for (const Part &part : parts) {
    if (part.kind == Part::Special && !addSpecial)
      continue;
    const std::vector<int32_t> &ids = part.kind == Part::Special ? part.ids
                                      : part.kind == Part::First ? first
                                                                 : *second;
    budget.checkSize(result.ids.size() + ids.size(), where, "ids");
    result.ids.insert(result.ids.end(), ids.begin(), ids.end());
    result.typeIds.resize(result.ids.size(), part.typeId);
  }
  return result;
}

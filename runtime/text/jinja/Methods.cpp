// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Methods of strings and objects.

#include "runtime/text/jinja/Functions.h"

#include "runtime/text/Utf8.h"

#include <algorithm>
#include <cstring>
#include <unicode/uchar.h>

using namespace heddle::text;
using namespace heddle::text::jinja;

const std::string &jinja::stringOf(const Value &value, const std::string &who) {
  if (!value.data().is_string())
    throw Refusal{who + " takes a string, found " + describe(value.data())};
  return value.data().get_ref<const std::string &>();
}

size_t jinja::findPart(std::string_view text, std::string_view part,
                       size_t begin) {
  std::string_view rest = text.substr(begin);
  const void *found =
      memmem(rest.data(), rest.size(), part.data(), part.size());
  return found ? size_t(static_cast<const char *>(found) - text.data())
               : std::string_view::npos;
}

static void expectAscii(const std::string &text, const std::string &who) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) > 127; }))
    throw Refusal{who + " of characters beyond ASCII is not supported"};
}

static std::string changeCase(std::string text, int (*change)(int)) {
  expectAscii(text, "a change of case");
  std::transform(text.begin(), text.end(), text.begin(),
                 [&](char c) { return char(change(c)); });
  return text;
}

/// As Python's str.isspace.
static bool isSpace(char32_t code) {
  return u_isUWhiteSpace(UChar32(code)) || (code >= 0x1c && code <= 0x1f);
}

static std::string stripSpace(const std::string &text, bool atStart,
                              bool atEnd) {
  size_t begin = 0, end = text.size();
  for (size_t next = 0; atStart && begin < end; begin = next)
    if (!isSpace(nextCharacter(text, next)))
      break;
  while (atEnd && end > begin) {
    size_t last = end - 1;
    while (last > begin && (text[last] & 0xc0) == 0x80)
      --last;
    size_t next = last;
    if (!isSpace(nextCharacter(text, next)))
      break;
    end = last;
  }
  return text.substr(begin, end - begin);
}

static std::string strip(const std::string &text, const std::string &set,
                         bool atStart, bool atEnd) {
  size_t begin = atStart ? text.find_first_not_of(set) : 0;
  if (begin == std::string::npos)
    return "";
  size_t end = atEnd ? text.find_last_not_of(set) + 1 : text.size();
  return text.substr(begin, end > begin ? end - begin : 0);
}

static std::string replaceAll(const std::string &text, const std::string &from,
                              const std::string &to) {
  if (from.empty())
    throw Refusal{"replace of an empty string"};
  std::string result;
  size_t at = 0;
  for (size_t found; (found = findPart(text, from, at)) != std::string::npos;
       at = found + from.size()) {
    result += text.substr(at, found - at) + to;
    if (result.size() > kMostBytes)
      throw Refusal{"a value has more than 16 MiB"};
  }
  return result + text.substr(at);
}

static Value split(const std::string &text, const Arguments &arguments) {
  ListBuilder parts;
  auto add = [&](size_t begin, size_t end) {
    parts.add(Value(Json(text.substr(begin, end - begin))));
  };
  if (arguments.values.empty()) {
    expectAscii(text, "split at white space");
    for (size_t at = 0;
         (at = text.find_first_not_of(" \t\r\n", at)) != std::string::npos;) {
      size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
      add(at, end);
      at = end;
    }
    return parts.take();
  }
  const std::string &separator = stringOf(arguments.values[0], "split");
  if (separator.empty())
    throw Refusal{"split at an empty string"};
  size_t at = 0;
  for (size_t found;
       (found = findPart(text, separator, at)) != std::string::npos;
       at = found + separator.size())
    add(at, found);
  add(at, text.size());
  return parts.take();
}

static bool startsOrEnds(const std::string &text, const Value &part,
                         bool atStart) {
  const std::string &other = stringOf(part, "startswith");
  return text.size() >= other.size() &&
         text.compare(atStart ? 0 : text.size() - other.size(), other.size(),
                      other) == 0;
}

void jinja::expectArguments(const std::string &name, const Arguments &arguments,
                            size_t least, size_t most) {
  if (arguments.values.size() < least || arguments.values.size() > most ||
      !arguments.named.empty())
    throw Refusal{"'" + name + "' takes other arguments"};
}

Value jinja::callMethod(const std::string &name, const Value &object,
                        const Arguments &arguments) {
  const Json &data = object.data();
  if (data.is_object() && (name == "items" || name == "keys" ||
                           name == "values" || name == "get")) {
    if (name == "get") {
      expectArguments(name, arguments, 1, 2);
      Value found = object.element(arguments.values[0]);
      if (found.isDefined())
        return found;
      return arguments.values.size() > 1 ? arguments.values[1]
                                         : Value(Json(nullptr));
    }
    expectArguments(name, arguments, 0, 0);
    expectOneOrder(data);
    Json list = Json::array();
    for (const auto &[key, value] : data.items())
      list.push_back(name == "items"  ? Json::array({key, value})
                     : name == "keys" ? Json(key)
                                      : value);
    return Value(std::move(list));
  }
  if (!data.is_string())
    throw Refusal{"the method '" + name + "' of " + describe(data) +
                  " is not supported"};
  const std::string &text = data.get_ref<const std::string &>();
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    expectArguments(name, arguments, 0, 1);
    if (arguments.values.empty())
      return Value(Json(stripSpace(text, name[0] != 'r', name[0] != 'l')));
    const std::string &set = stringOf(arguments.values[0], name);
    expectAscii(set, name);
    return Value(Json(strip(text, set, name[0] != 'r', name[0] != 'l')));
  }
  if (name == "upper" || name == "lower") {
    expectArguments(name, arguments, 0, 0);
    return Value(Json(changeCase(text, name == "upper" ? toupper : tolower)));
  }
  if (name == "startswith" || name == "endswith") {
    expectArguments(name, arguments, 1, 1);
    return Value(
        Json(startsOrEnds(text, arguments.values[0], name == "startswith")));
  }
  if (name == "split") {
    expectArguments(name, arguments, 0, 1);
    return split(text, arguments);
  }
  if (name == "replace") {
    expectArguments(name, arguments, 2, 2);
    return Value(Json(replaceAll(text, stringOf(arguments.values[0], name),
                                 stringOf(arguments.values[1], name))));
  }
  throw Refusal{"the method '" + name + "' of strings is not supported"};
}

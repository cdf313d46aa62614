// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Formats of texts: "%" and str.format().

#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Elements.h"
#include "runtime/text/jinja/Methods.h"
#include "runtime/text/jinja/Numbers.h"
#include "runtime/text/jinja/Operators.h"
#include "runtime/text/jinja/Printing.h"
#include "runtime/text/jinja/Strings.h"

#include <cmath>

using namespace heddle::text;
using namespace heddle::text::jinja;

static std::string representationOf(Context &context, const Value &value) {
  TextBuilder text(context);
  addRepresentation(context, text, value);
  return text.take();
}

/// As ascii(): what is no ASCII becomes an escape.
static std::string asciiOf(Context &context, const Value &value) {
  std::string result;
  for (char32_t code : charactersIn(representationOf(context, value))) {
    if (code < 128) {
      result += char(code);
      continue;
    }
    size_t digits = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
    result += digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
    for (size_t i = digits; i-- > 0;)
      result += "0123456789abcdef"[(code >> (4 * i)) % 16];
  }
  return result;
}

//===-- percent -----------------------------------------------------------===//

namespace {

class PercentFormat {
public:
  PercentFormat(Context &context, const std::string &format,
                const Value &arguments)
      : context(context), format(format), arguments(arguments), text(context) {
    isTuple = arguments.isSequence() && arguments.sequence().isTuple();
  }

  Value run() {
    size_t at = 0;
    while (true) {
      size_t percent = std::min(format.find('%', at), format.size());
      text.add({format.data() + at, percent - at});
      if (percent == format.size())
        break;
      at = convert(percent + 1);
    }
    // An object may stay unused, as its fields may.
    bool isUsed = isTuple ? used == arguments.sequence().elements.size()
                          : used > 0 || arguments.isDictionary() ||
                                arguments.isSequence();
    if (!isUsed)
      throw Refusal{"'%' has more values than its format"};
    return text.takeValue();
  }

private:
  const Value &nextArgument() {
    if (isTuple && used < arguments.sequence().elements.size())
      return arguments.sequence().elements[used++];
    if (isTuple || used++ > 0)
      throw Refusal{"'%' has fewer values than its format"};
    return arguments;
  }

  int64_t number(size_t &at) {
    if (at < format.size() && format[at] == '*') {
      ++at;
      return integerOf(nextArgument(), "'%'");
    }
    int64_t result = 0;
    for (;
         at < format.size() && isdigit(static_cast<unsigned char>(format[at]));
         ++at) {
      result = result * 10 + (format[at] - '0');
      if (result > int64_t(kMostBytes))
        throw Refusal{"a text has more than 16 MiB"};
    }
    return result;
  }

  // A conversion, which begins behind its "%"; gives its end.
  size_t convert(size_t at) {
    const Value *value = nullptr;
    if (at < format.size() && format[at] == '(') {
      size_t end = format.find(')', at);
      if (end == std::string::npos || !arguments.isDictionary())
        throw Refusal{"'%' with a name takes an object"};
      std::string key = format.substr(at + 1, end - at - 1);
      value = arguments.dictionary().find(context, Value(key));
      if (!value)
        throw Refusal{"'%' does not find '" + key + "'"};
      at = end + 1;
      ++used;
    }
    NumberFormat wanted;
    wanted.align = '>';
    bool isZero = false;
    for (; at < format.size(); ++at)
      if (format[at] == '-')
        wanted.align = '<';
      else if (format[at] == '0')
        isZero = true;
      else if (format[at] == '+')
        wanted.sign = '+';
      else if (format[at] == ' ')
        wanted.sign = wanted.sign == '+' ? '+' : ' ';
      else if (format[at] == '#')
        wanted.isAlternate = true;
      else
        break;
    wanted.width = number(at);
    if (wanted.width < 0) {
      wanted.width = -wanted.width;
      wanted.align = '<';
    }
    if (at < format.size() && format[at] == '.') {
      ++at;
      wanted.precision = number(at);
    }
    while (at < format.size() &&
           (format[at] == 'l' || format[at] == 'h' || format[at] == 'L'))
      ++at;
    if (at == format.size())
      throw Refusal{"a format ends in the middle of '%'"};
    char letter = format[at++];
    if (letter == '%') {
      text.add("%");
      return at;
    }
    if (!value)
      value = &nextArgument();
    text.add(converted(letter, *value, wanted, isZero));
    return at;
  }

  std::string converted(char letter, const Value &value, NumberFormat wanted,
                        bool isZero) {
    NumberFormat plain = wanted;
    plain.sign = '-';
    plain.isAlternate = false;
    switch (letter) {
    case 's':
      return formatText(textOfAny(context, value), plain);
    case 'r':
      return formatText(representationOf(context, value), plain);
    case 'a':
      return formatText(asciiOf(context, value), plain);
    case 'c':
      plain.precision.reset();
      if (value.isText() && countCharacters(value.text()) == 1)
        return formatText(value.text(), plain);
      plain.type = 'c';
      return formatInteger(integerOf(value, "'%c'"), plain);
    default:
      break;
    }
    if (!value.isNumber())
      throw Refusal{std::string("'%") + letter + "' takes a number, found " +
                    describe(value)};
    if (isZero && wanted.align == '>') {
      wanted.fill = "0";
      wanted.align = '=';
    }
    static constexpr std::string_view floats = "eEfFgG";
    if (floats.find(letter) != std::string_view::npos) {
      wanted.type = letter;
      return formatFloat(value.number(), wanted);
    }
    return convertedInteger(letter, value, wanted);
  }

  static std::string convertedInteger(char letter, const Value &value,
                                      NumberFormat wanted) {
    bool isDecimal = letter == 'd' || letter == 'i' || letter == 'u';
    if (!isDecimal && letter != 'o' && letter != 'x' && letter != 'X')
      throw Refusal{std::string("the format '%") + letter +
                    "' is not supported"};
    if (!value.isWhole() &&
        (!isDecimal || !(std::fabs(value.number()) < 0x1p63)))
      throw Refusal{std::string("'%") + letter + "' takes an integer, found " +
                    describe(value)};
    int64_t number =
        value.isWhole() ? value.integer() : int64_t(value.number());
    wanted.type = isDecimal ? 'd' : letter;
    int64_t precision = wanted.precision.value_or(0);
    wanted.precision.reset();
    if (precision == 0)
      return formatInteger(number, wanted);
    // The precision counts digits, and the width what is in front, too.
    NumberFormat digits = wanted;
    digits.width = 0;
    std::string text = formatInteger(number, digits);
    size_t begin = 0;
    while (begin < text.size() &&
           !isxdigit(static_cast<unsigned char>(text[begin])))
      ++begin;
    if (digits.isAlternate && !isDecimal)
      begin += 2;
    int64_t missing = precision - int64_t(text.size() - begin);
    if (missing > 0)
      text.insert(begin, size_t(missing), '0');
    NumberFormat outer;
    outer.width = wanted.width;
    outer.align = wanted.align == '<' ? '<' : '>';
    if (wanted.align == '=' && int64_t(text.size()) < wanted.width)
      text.insert(begin, size_t(wanted.width) - text.size(), '0');
    return formatText(text, outer);
  }

  Context &context;
  const std::string &format;
  const Value &arguments;
  TextBuilder text;
  bool isTuple;
  size_t used = 0;
};

} // namespace

Value jinja::formatPercent(Context &context, const Value &format,
                           const Value &arguments) {
  if (format.isMarkup())
    throw Refusal{"'%' of a text that is marked safe is not supported"};
  return PercentFormat(context, format.text(), arguments).run();
}

//===-- braces ------------------------------------------------------------===//

namespace {

class BraceFormat {
public:
  BraceFormat(Context &context, const Arguments &arguments)
      : context(context), arguments(arguments) {}

  // Formats of fields may have fields, but these none.
  std::string run(std::string_view format, int level) {
    if (level > 1)
      throw Refusal{"a format is nested too deeply"};
    TextBuilder text(context);
    for (size_t at = 0; at < format.size();) {
      char c = format[at];
      if (c != '{' && c != '}') {
        size_t end = std::min(format.find_first_of("{}", at), format.size());
        text.add(format.substr(at, end - at));
        at = end;
      } else if (at + 1 < format.size() && format[at + 1] == c) {
        text.add({&c, 1});
        at += 2;
      } else if (c == '}') {
        throw Refusal{"a format has a '}' alone"};
      } else {
        size_t end = endOfField(format, at + 1);
        text.add(field(format.substr(at + 1, end - at - 1), level));
        at = end + 1;
      }
    }
    return text.take();
  }

private:
  static size_t endOfField(std::string_view format, size_t at) {
    for (int depth = 1; at < format.size(); ++at) {
      depth += format[at] == '{' ? 1 : format[at] == '}' ? -1 : 0;
      if (depth == 0)
        return at;
    }
    throw Refusal{"a format has a '{' without its '}'"};
  }

  static bool isNumber(std::string_view text) {
    return !text.empty() && text.size() < 10 &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
  }

  Value argument(std::string_view name) {
    if (name.empty() || isNumber(name)) {
      bool isCounted = name.empty();
      (isCounted ? isCounting : isNumbered) = true;
      if (isCounting && isNumbered)
        throw Refusal{"a format has fields with and without numbers"};
      size_t index = isCounted ? next++ : size_t(std::stoul(std::string(name)));
      if (index < arguments.values.size())
        return arguments.values[index];
      throw Refusal{"a format has no value " + std::to_string(index)};
    }
    context.addWork(arguments.named.size());
    for (const auto &[key, value] : arguments.named)
      if (key == name)
        return value;
    throw Refusal{"a format has no value '" + std::string(name) + "'"};
  }

  // "0.name[key]"
  Value look(std::string_view path) {
    size_t end = std::min(path.find_first_of(".["), path.size());
    Value value = argument(path.substr(0, end));
    while (end < path.size()) {
      bool isElement = path[end] == '[';
      size_t begin = end + 1;
      end = isElement ? path.find(']', begin)
                      : std::min(path.find_first_of(".[", begin), path.size());
      if (end == std::string_view::npos)
        throw Refusal{"a format has a '[' without its ']'"};
      std::string name(path.substr(begin, end - begin));
      if (!isElement)
        value = attributeOf(context, value, name);
      else if (isNumber(name))
        value = elementOf(context, value, Value(int64_t(std::stoll(name))));
      else
        value = elementOf(context, value, Value(name));
      if (!value.isDefined())
        throw Refusal{"a format does not find '" + name + "'"};
      end += isElement;
    }
    return value;
  }

  std::string field(std::string_view whole, int level) {
    size_t bracket = whole.find('[');
    size_t from = bracket == std::string_view::npos ? 0 : whole.find(']');
    size_t colon =
        from == std::string_view::npos ? from : whole.find_first_of("!:", from);
    if (bracket != std::string_view::npos &&
        whole.find_first_of("!:") < bracket)
      colon = whole.find_first_of("!:");
    std::string_view path = whole.substr(0, colon);
    std::string_view rest = colon == std::string_view::npos
                                ? std::string_view()
                                : whole.substr(colon);
    Value value = look(path);
    if (!rest.empty() && rest[0] == '!') {
      char letter = rest.size() > 1 ? rest[1] : ' ';
      if (letter != 'r' && letter != 's' && letter != 'a')
        throw Refusal{"a format has a conversion that is not known"};
      value = Value(letter == 'r'   ? representationOf(context, value)
                    : letter == 's' ? textOfAny(context, value)
                                    : asciiOf(context, value));
      rest.remove_prefix(2);
    }
    if (!rest.empty() && rest[0] != ':')
      throw Refusal{"a format has no ':' behind its conversion"};
    std::string format = rest.empty() ? "" : run(rest.substr(1), level + 1);
    return formatted(value, format);
  }

  std::string formatted(const Value &value, const std::string &format) {
    if (format.empty())
      return textOfAny(context, value);
    NumberFormat wanted = parseNumberFormat(format);
    if (value.isWhole())
      return formatInteger(value.integer(), wanted);
    if (value.isFloat())
      return formatFloat(value.number(), wanted);
    if (!value.isText())
      throw Refusal{"a format of " + describe(value) + " is not supported"};
    if (wanted.fill == "0" && wanted.align == '=')
      wanted.align = '<';
    return formatText(value.text(), wanted);
  }

  Context &context;
  const Arguments &arguments;
  size_t next = 0;
  bool isCounting = false, isNumbered = false;
};

} // namespace

Value jinja::formatBraces(Context &context, const std::string &text,
                          const Arguments &arguments) {
  return Value(BraceFormat(context, arguments).run(text, 0));
}

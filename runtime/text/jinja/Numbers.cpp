// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Numbers.h"

#include "runtime/text/jinja/Context.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- text of numbers ---------------------------------------------------===//

/// Digits of a finite number, whose first stands in front of the point when
/// `exponent` is 0.
struct Digits {
  std::string digits;
  int exponent;
};

/// `count` significant digits; without it, as many as give the number again.
static Digits digitsOf(double number, std::optional<int> count = {}) {
  char text[1100];
  char *end = count ? std::to_chars(text, std::end(text), std::fabs(number),
                                    std::chars_format::scientific, *count - 1)
                          .ptr
                    : std::to_chars(text, std::end(text), std::fabs(number),
                                    std::chars_format::scientific)
                          .ptr;
  std::string all(text, end);
  size_t e = all.find('e');
  Digits result{all.substr(0, 1), std::stoi(all.substr(e + 1))};
  if (e > 2)
    result.digits += all.substr(2, e - 2);
  return result;
}

static std::string exponentText(int exponent, char letter) {
  std::string digits = std::to_string(std::abs(exponent));
  return std::string(1, letter) + (exponent < 0 ? "-" : "+") +
         (digits.size() < 2 ? "0" : "") + digits;
}

static std::string pointed(const Digits &given) {
  auto [digits, exponent] = given;
  if (exponent < 0)
    return "0." + std::string(size_t(-exponent - 1), '0') + digits;
  size_t whole = size_t(exponent) + 1;
  if (digits.size() < whole)
    digits.resize(whole, '0');
  return digits.size() == whole
             ? digits
             : digits.substr(0, whole) + "." + digits.substr(whole);
}

static std::string scientific(const Digits &given, char letter,
                              bool keepsPoint = false) {
  return given.digits.substr(0, 1) +
         (given.digits.size() > 1 || keepsPoint ? "." : "") +
         given.digits.substr(1) + exponentText(given.exponent, letter);
}

static std::string notFinite(double number) {
  return std::isnan(number) ? "nan" : "inf";
}

std::string jinja::floatText(double number) {
  std::string sign = std::signbit(number) && !std::isnan(number) ? "-" : "";
  if (!std::isfinite(number))
    return sign + notFinite(number);
  Digits digits = digitsOf(number);
  if (digits.exponent < -4 || digits.exponent >= 16)
    return sign + scientific(digits, 'e');
  std::string text = pointed(digits);
  return sign + text + (text.find('.') == std::string::npos ? ".0" : "");
}

//===-- numbers of text ---------------------------------------------------===//

/// The text without the underscores that stand between digits, and with
/// digits of other scripts as ASCII's; nothing if it is not so.
static std::optional<std::string> plainDigits(std::string_view text) {
  std::string plain;
  for (char32_t code : charactersIn(stripSpace(text, true, true)))
    if (int digit = decimalValue(code); digit >= 0)
      plain += char('0' + digit);
    else if (code > 127)
      return std::nullopt;
    else
      plain += char(code);
  std::string result;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] != '_') {
      result += plain[i];
      continue;
    }
    auto isDigit = [&](size_t at) {
      return at < plain.size() &&
             isalnum(static_cast<unsigned char>(plain[at]));
    };
    if (i == 0 || !isDigit(i - 1) || !isDigit(i + 1))
      return std::nullopt;
  }
  return result;
}

std::optional<int64_t> jinja::parseInteger(std::string_view given,
                                           int64_t base) {
  if (base != 0 && (base < 2 || base > 36))
    throw Refusal{"expected a base from 2 to 36, or 0, found " +
                  std::to_string(base)};
  std::optional<std::string> plain = plainDigits(given);
  if (!plain)
    return std::nullopt;
  std::string_view text = *plain;
  bool isNegative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    text.remove_prefix(1);
  int64_t prefix = 0;
  if (text.size() > 1 && text[0] == '0')
    prefix = text[1] == 'x' || text[1] == 'X'   ? 16
             : text[1] == 'o' || text[1] == 'O' ? 8
             : text[1] == 'b' || text[1] == 'B' ? 2
                                                : 0;
  if (prefix && (base == 0 || base == prefix)) {
    text.remove_prefix(2);
    base = prefix;
  } else if (base == 0) {
    base = 10;
    // As in Python's source, where 010 is an error and 00 is 0.
    if (text.size() > 1 && text[0] == '0' &&
        text.find_first_not_of('0') != std::string_view::npos)
      return std::nullopt;
  }
  if (text.empty() || text[0] == '-' || text[0] == '+')
    return std::nullopt;
  std::string digits = (isNegative ? "-" : "") + std::string(text);
  int64_t value = 0;
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, int(base));
  if (end != digits.data() + digits.size() ||
      error == std::errc::invalid_argument)
    return std::nullopt;
  if (error == std::errc::result_out_of_range)
    throw Refusal{"a number leaves 64 bits"};
  return value;
}

std::optional<double> jinja::parseFloat(std::string_view given) {
  std::optional<std::string> plain = plainDigits(given);
  if (!plain || plain->empty())
    return std::nullopt;
  std::string_view text = *plain;
  bool isNegative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+')
    text.remove_prefix(1);
  if (text.empty() || text[0] == '-' || text[0] == '+')
    return std::nullopt;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), ::tolower);
  double value = 0;
  if (lower == "inf" || lower == "infinity") {
    value = INFINITY;
  } else if (lower == "nan") {
    value = NAN;
  } else if (lower.find_first_not_of("0123456789.e+-") != std::string::npos) {
    return std::nullopt;
  } else {
    auto [end, error] =
        std::from_chars(lower.data(), lower.data() + lower.size(), value);
    if (end != lower.data() + lower.size())
      return std::nullopt;
    // Too large or too small: strtod tells which.
    if (error == std::errc::result_out_of_range)
      value = lower.find("e-") == std::string::npos ? INFINITY : 0;
    else if (error != std::errc())
      return std::nullopt;
  }
  return isNegative ? -value : value;
}

double jinja::roundFloat(double number, int64_t digits) {
  if (!std::isfinite(number) || number == 0 || digits > 400)
    return number;
  if (digits < -400)
    return std::copysign(0.0, number);
  int64_t significant = digitsOf(number).exponent + 1 + digits;
  double result = 0;
  if (significant > 0) {
    std::string text = scientific(
        digitsOf(number, int(std::min<int64_t>(significant, 800))), 'e');
    std::from_chars(text.data(), text.data() + text.size(), result);
  } else if (significant == 0) {
    // One half of the unit decides; exactly half goes to the even 0.
    Digits exact = digitsOf(number, 800);
    if (exact.digits[0] > '5' ||
        (exact.digits[0] == '5' &&
         exact.digits.find_first_not_of('0', 1) != std::string::npos))
      result = std::pow(10.0, double(-digits));
  }
  return std::copysign(result, number);
}

//===-- formats -----------------------------------------------------------===//

static std::string padded(std::string_view text, const NumberFormat &format,
                          char align) {
  auto width = size_t(std::max<int64_t>(format.width, 0));
  if (width > kMostBytes / 4)
    throw Refusal{"a text has more than 16 MiB"};
  size_t count = countCharacters(text);
  size_t missing = width > count ? width - count : 0;
  size_t front = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  std::string result;
  for (size_t i = 0; i < front; ++i)
    result += format.fill;
  result += text;
  for (size_t i = front; i < missing; ++i)
    result += format.fill;
  return result;
}

static std::string grouped(const std::string &digits, char separator,
                           size_t size) {
  std::string result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % size == 0)
      result += separator;
    result += digits[i];
  }
  return result;
}

/// `whole` are the digits that are grouped, `rest` what follows them.
static std::string assembled(bool isNegative, const std::string &prefix,
                             std::string whole, const std::string &rest,
                             const NumberFormat &format, size_t groupSize) {
  std::string sign = isNegative           ? "-"
                     : format.sign == '-' ? ""
                                          : std::string(1, format.sign);
  char align = format.align ? format.align : '>';
  auto number = [&] {
    return format.grouping ? grouped(whole, format.grouping, groupSize) : whole;
  };
  if (align != '=')
    return padded(sign + prefix + number() + rest, format, align);
  if (format.width > int64_t(kMostBytes / 4))
    throw Refusal{"a text has more than 16 MiB"};
  size_t others = sign.size() + prefix.size() + rest.size();
  if (format.fill == "0" && format.grouping) {
    size_t count = whole.size();
    while (int64_t(others + count + (count ? (count - 1) / groupSize : 0)) <
           format.width)
      ++count;
    whole.insert(0, count - whole.size(), '0');
    return sign + prefix + number() + rest;
  }
  std::string result = sign + prefix;
  for (size_t i = others + number().size(); int64_t(i) < format.width; ++i)
    result += format.fill;
  return result + number() + rest;
}

static Refusal unknownType(char type, const char *of) {
  return Refusal{std::string("the format '") + type + "' of " + of +
                 " is not supported"};
}

std::string jinja::formatInteger(int64_t number, const NumberFormat &format) {
  static constexpr std::string_view floats = "eEfFgG%";
  if (format.type && floats.find(format.type) != std::string_view::npos)
    return formatFloat(double(number), format);
  if (format.precision)
    throw Refusal{"an integer has no precision"};
  if (format.type == 'c') {
    std::string text;
    appendCodePoint(text, number);
    return padded(text, format, format.align ? format.align : '<');
  }
  int base = format.type == 'b'                         ? 2
             : format.type == 'o'                       ? 8
             : format.type == 'x' || format.type == 'X' ? 16
                                                        : 10;
  if (base == 10 && format.type && format.type != 'd' && format.type != 'n')
    throw unknownType(format.type, "integers");
  if (format.grouping && format.type &&
      (format.type == 'n' || (base != 10 && format.grouping == ',')))
    throw Refusal{std::string("the format '") + format.type +
                  "' has no groups with '" + format.grouping + "'"};
  char text[80];
  uint64_t magnitude = number < 0 ? 0 - uint64_t(number) : uint64_t(number);
  std::string digits(text,
                     std::to_chars(text, std::end(text), magnitude, base).ptr);
  if (format.type == 'X')
    std::transform(digits.begin(), digits.end(), digits.begin(), ::toupper);
  std::string prefix;
  if (format.isAlternate && base != 10)
    prefix = std::string("0") + format.type;
  return assembled(number < 0, prefix, digits, "", format, base == 10 ? 3 : 4);
}

static std::string generalText(double number, int precision, bool isUpper,
                               bool isAlternate, bool addsPoint) {
  precision = std::max(precision, 1);
  Digits digits = digitsOf(number, precision);
  if (!isAlternate) {
    size_t end = digits.digits.find_last_not_of('0') + 1;
    digits.digits.resize(std::max<size_t>(end, 1));
  }
  if (digits.exponent < -4 ||
      digits.exponent >= precision - (addsPoint ? 1 : 0))
    return scientific(digits, isUpper ? 'E' : 'e', isAlternate);
  std::string text = pointed(digits);
  bool lacksPoint = text.find('.') == std::string::npos;
  return text + (lacksPoint && addsPoint     ? ".0"
                 : lacksPoint && isAlternate ? "."
                                             : "");
}

static std::string fixedText(double number, int precision) {
  std::string text(400 + size_t(precision), 0);
  text.resize(size_t(std::to_chars(text.data(), text.data() + text.size(),
                                   std::fabs(number), std::chars_format::fixed,
                                   precision)
                         .ptr -
                     text.data()));
  return text;
}

std::string jinja::formatFloat(double number, const NumberFormat &format) {
  int precision = int(std::min<int64_t>(format.precision.value_or(6), 100'001));
  if (precision > 1000)
    throw Refusal{"expected a precision up to 1000, found " +
                  std::to_string(*format.precision)};
  char type = format.type;
  bool isUpper = type == 'E' || type == 'F' || type == 'G';
  std::string text, percent = type == '%' ? "%" : "";
  bool isNegative = std::signbit(number) && !std::isnan(number);
  if (type == '%')
    number *= 100;
  if (!std::isfinite(number)) {
    text = notFinite(number);
    if (isUpper)
      std::transform(text.begin(), text.end(), text.begin(), ::toupper);
  } else {
    switch (type) {
    case 'f':
    case 'F':
    case '%':
      text = fixedText(number, precision);
      if (format.isAlternate && precision == 0)
        text += ".";
      break;
    case 'e':
    case 'E':
      text = scientific(digitsOf(number, precision + 1), isUpper ? 'E' : 'e',
                        format.isAlternate);
      break;
    case 'g':
    case 'G':
    case 'n':
      text = generalText(number, precision, isUpper, format.isAlternate, false);
      break;
    case 0:
      text = format.precision ? generalText(number, precision, false,
                                            format.isAlternate, true)
                              : floatText(std::fabs(number));
      if (format.isAlternate && text.find('.') == std::string::npos)
        text.insert(text.find('e'), ".");
      break;
    default:
      throw unknownType(type, "numbers");
    }
  }
  size_t whole = text.find_first_not_of("0123456789");
  whole = std::min(whole, text.size());
  return assembled(isNegative, "", text.substr(0, whole),
                   text.substr(whole) + percent, format, 3);
}

std::string jinja::formatText(std::string_view text,
                              const NumberFormat &format) {
  if (format.type && format.type != 's')
    throw unknownType(format.type, "texts");
  if (format.sign != '-' || format.isAlternate || format.grouping ||
      format.align == '=')
    throw Refusal{"a format of numbers for a text"};
  if (format.precision && *format.precision >= 0)
    text = firstCharacters(text, size_t(*format.precision));
  return padded(text, format, format.align ? format.align : '<');
}

NumberFormat jinja::parseNumberFormat(std::string_view text) {
  NumberFormat format;
  size_t at = 0;
  auto isAlign = [&](size_t i) {
    return i < text.size() &&
           std::string_view("<>^=").find(text[i]) != std::string_view::npos;
  };
  size_t second = firstCharacters(text, 1).size();
  if (isAlign(second) && second) {
    format.fill = text.substr(0, second);
    format.align = text[second];
    at = second + 1;
  } else if (isAlign(0)) {
    format.align = text[0];
    at = 1;
  }
  auto take = [&](std::string_view set) -> char {
    if (at < text.size() && set.find(text[at]) != std::string_view::npos)
      return text[at++];
    return 0;
  };
  auto number = [&](int64_t &result) {
    size_t begin = at;
    while (char digit = take("0123456789")) {
      result = result * 10 + (digit - '0');
      if (result > int64_t(kMostBytes))
        throw Refusal{"a text has more than 16 MiB"};
    }
    return at > begin;
  };
  if (char sign = take("+- "))
    format.sign = sign;
  format.isAlternate = take("#");
  if (take("0") && !format.align) {
    format.fill = "0";
    format.align = '=';
  }
  number(format.width);
  format.grouping = take(",_");
  if (take(".")) {
    int64_t precision = 0;
    if (!number(precision))
      throw Refusal{"a format has no precision after '.'"};
    format.precision = precision;
  }
  if (at < text.size())
    format.type = text[at++];
  if (at < text.size())
    throw Refusal{"the format '" + std::string(text) + "' is not supported"};
  return format;
}

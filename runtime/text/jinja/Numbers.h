// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers as Python reads and writes them.

#ifndef HEDDLE_TEXT_JINJA_NUMBERS_H
#define HEDDLE_TEXT_JINJA_NUMBERS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::text::jinja {

/// As repr(): the shortest digits that give the number again.
std::string floatText(double number);

/// As int(text, base) and float(text); nothing where Python has an error.
std::optional<int64_t> parseInteger(std::string_view text, int64_t base);
std::optional<double> parseFloat(std::string_view text);

/// As round(): half to even, of the exact decimal value.
double roundFloat(double number, int64_t digits);

/// What follows ":" in format(), and what "%" has in front of its letter.
struct NumberFormat {
  std::string fill = " "; ///< one character
  char align = 0;         ///< '<', '>', '^', '=' or 0
  char sign = '-';        ///< '-', '+' or ' '
  bool isAlternate = false;
  int64_t width = 0;
  char grouping = 0; ///< ',', '_' or 0
  std::optional<int64_t> precision;
  char type = 0;
};

// The number, with sign and grouping, as wide as the format wants. They refuse
// a format for another type.
std::string formatInteger(int64_t number, const NumberFormat &format);
std::string formatFloat(double number, const NumberFormat &format);
std::string formatText(std::string_view text, const NumberFormat &format);

/// The format that `text` describes.
NumberFormat parseNumberFormat(std::string_view text);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_NUMBERS_H

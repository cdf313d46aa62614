// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions that a header of C declares, as its text has them.

#ifndef HEDDLE_TEST_TEXT_HEADERFUNCTIONS_H
#define HEDDLE_TEST_TEXT_HEADERFUNCTIONS_H

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace header_functions {

/// The names of the parameters, by the function's name.
using Functions = std::map<std::string, std::vector<std::string>>;

/// The last word of "const int64_t sizes[3]" is "sizes".
inline std::string nameOf(const std::string &parameter) {
  static const std::regex pattern(R"((\w+)\s*(\[\w*\])?\s*$)");
  std::smatch match;
  EXPECT_TRUE(std::regex_search(parameter, match, pattern)) << parameter;
  return match[1];
}

/// `text` without comments, directives and what is inside of braces, but for
/// those of extern "C".
inline std::string reduce(std::string text) {
  text = std::regex_replace(text, std::regex(R"(/\*([^*]|\*+[^*/])*\*+/)"), "");
  text = std::regex_replace(text, std::regex(R"(#([^\n\\]|\\\n)*\n)"), "");
  text = std::regex_replace(text, std::regex("extern \"C\" \\{"), "");
  std::string reduced;
  int depth = 0;
  for (char c : text) {
    depth += c == '{';
    if (depth == 0)
      reduced += c;
    depth -= c == '}' && depth > 0;
  }
  return reduced;
}

inline Functions read(const std::string &path) {
  std::stringstream content;
  content << std::ifstream(path).rdbuf();
  Functions functions;
  std::stringstream statements(reduce(content.str()));
  static const std::regex pattern(R"((heddle_\w+)\(([^()]*)\)\s*$)");
  for (std::string statement; std::getline(statements, statement, ';');) {
    std::smatch match;
    if (statement.find("typedef") != std::string::npos ||
        !std::regex_search(statement, match, pattern))
      continue;
    std::vector<std::string> &parameters = functions[match[1]];
    std::stringstream list(match[2]);
    for (std::string parameter; std::getline(list, parameter, ',');)
      if (parameter != "void")
        parameters.push_back(nameOf(parameter));
  }
  return functions;
}

} // namespace header_functions

#endif // HEDDLE_TEST_TEXT_HEADERFUNCTIONS_H

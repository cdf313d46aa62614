// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates of conversations, compared with what Jinja2 makes of them
// (Inputs/chat_goldens.py), and what is refused.

#include "runtime/text/jinja/Jinja.h"
#include "runtime/text/Failure.h"

#include <fstream>
#include <gtest/gtest.h>

namespace heddle::text {
namespace {

// 2023-11-14 22:13:20 UTC
constexpr std::time_t kNow = 1'700'000'000;

std::string render(std::string_view source,
                   const OrderedJson &variables = OrderedJson::object()) {
  try {
    return Jinja(source, "t").render(variables, kNow);
  } catch (const Failure &failure) {
    return failure.what();
  }
}

TEST(Jinja, RendersAsJinja2) {
  const char *given = std::getenv("HEDDLE_TEMPLATE_CASES");
  std::string path = given ? given : TEST_INPUTS "/chat_goldens.json";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  OrderedJson cases = OrderedJson::parse(file);
  ASSERT_GE(cases.size(), 60u);
  int refused = 0, failed = 0;
  for (const OrderedJson &one : cases) {
    std::string text =
        render(one["template"].get<std::string>(), one["variables"]);
    if (one.contains("text")) {
      EXPECT_EQ(text, one["text"].get<std::string>())
          << one["name"] << " " << one["template"];
      if (HasFailure() && ++failed == 20)
        FAIL() << "and others";
      continue;
    }
    ++refused;
    // Python's errors have words of their own.
    std::string end = one.value("refusal", "");
    EXPECT_EQ(text.substr(0, 7), "t: line")
        << one["name"] << " " << one["template"] << " "
        << one.value("error", "");
    EXPECT_EQ(text.substr(text.size() - std::min(end.size(), text.size())), end)
        << one["name"];
    if (HasFailure() && ++failed == 20)
      FAIL() << "and others";
  }
  EXPECT_GE(refused, 4);
  std::cout << cases.size() << " renderings, " << refused
            << " of which are refused\n";
}

TEST(Jinja, negative_syntax) {
  EXPECT_EQ(render("a\n{% if x %}"), "t: line 2: 'endif' is missing");
  EXPECT_EQ(render("{% endif %}"), "t: line 1: 'endif' has no beginning");
  EXPECT_EQ(render("\n\n{% include 'a' %}"),
            "t: line 3: the statement 'include' is not supported");
  for (std::string name : {"import", "from", "extends", "block", "do",
                           "autoescape", "trans", "debug"})
    EXPECT_EQ(render("{% " + name + " x %}"),
              "t: line 1: the statement '" + name + "' is not supported");
  EXPECT_EQ(render("{% break %}"), "t: line 1: 'break' is in no loop");
  EXPECT_EQ(render("{% for a in b %}{% macro f() %}{% continue %}"),
            "t: line 1: 'continue' is in no loop");
  EXPECT_EQ(render("{% raw %}{{"), "t: line 1: 'endraw' is missing");
  EXPECT_EQ(render("{{ f(a=1, 2) }}"),
            "t: line 1: an argument without a name follows one with a name");
  EXPECT_EQ(render("{{ 1 +"), "t: line 1: '}}' is missing");
  EXPECT_EQ(render("{{ 1 2 }}"),
            "t: line 1: expected the end of the tag, found '2'");
  EXPECT_EQ(render("{{ 'a }}"), "t: line 1: a string has no end");
  EXPECT_EQ(render("{# a"), "t: line 1: a comment has no end");
  EXPECT_EQ(render("{{ 9999999999999999999 }}"),
            "t: line 1: the number '9999999999999999999' is not supported");
}

TEST(Jinja, SpaceIsUnicodes) {
  EXPECT_EQ(render("[{{ '\u3000\u00a0 hi\u3000'|trim }}]"), "[hi]");
  EXPECT_EQ(render("{{ 'xxhix'.strip('x') }}"), "hi");
  // One newline behind a block goes, whatever it is written as.
  EXPECT_EQ(render("a\r\n{% if true %}\r\nb{% endif %}\rc"), "a\nbc");
  EXPECT_EQ(render("{{ x == none }} {{ x is none }} {{ none == none }}"),
            "False False True");
  EXPECT_EQ(render("{% set a %}{% set b = 1 %}x{% endset %}{{ a }}{{ b }}"),
            "x");
}

TEST(Jinja, negative_values) {
  EXPECT_EQ(render("{{ a.b }}"),
            "t: line 1: an undefined value has no attribute 'b'");
  EXPECT_EQ(render("{{ 'a' + 1 }}"),
            "t: line 1: '+' does not take \"a\" and 1");
  EXPECT_EQ(render("{{ 1 // 0 }}"), "t: line 1: division by 0");
  EXPECT_EQ(render("{{ (0 - 9223372036854775807 - 1) // -1 }}"),
            "t: line 1: a number leaves 64 bits");
  EXPECT_EQ(render("{{ 2 ** 63 }}"), "t: line 1: a number leaves 64 bits");
  EXPECT_EQ(render("{{ lipsum() }}"),
            "t: line 1: the function 'lipsum' is not supported: it is random");
  EXPECT_EQ(render("{{ [1]|random }}"),
            "t: line 1: the filter 'random' is not supported: it is random");
  EXPECT_EQ(render("{{ 'a'|urlize }}"),
            "t: line 1: the filter 'urlize' is not supported");
  EXPECT_EQ(render("{{ 1 is prime }}"),
            "t: line 1: the test 'prime' is not supported");
  EXPECT_EQ(render("{{ 'a'.encode() }}"),
            "t: line 1: the method 'encode' of texts is not supported");
  EXPECT_EQ(render("\n{{ [1].append(2) }}"),
            "t: line 2: the method 'append' changes a list of 1, and templates "
            "change no values");
  EXPECT_EQ(render("{{ f(1) }}"),
            "t: line 1: 'f': expected a function, found an undefined value");
  EXPECT_EQ(render("{{ 'a'.__class__ }}"),
            "t: line 1: the attribute '__class__' is not safe");
  EXPECT_EQ(render("{{ 'a'|center(fill=1) }}"),
            "t: line 1: 'center' has no argument 'fill'");
  EXPECT_EQ(render("{{ x|tojson }}"),
            "t: line 1: tojson does not take an undefined value");
  EXPECT_EQ(render("{% macro f(a) %}{% endmacro %}\n{{ f(1, 2) }}"),
            "t: line 2: the macro 'f' takes at most 1 arguments, found 2");
  EXPECT_EQ(render("{% for x in 5 %}{% endfor %}"),
            "t: line 1: expected something that has elements, found 5");
}

TEST(Jinja, fields_are_found_in_any_order) {
  EXPECT_EQ(render("{% set o = {'a': 1, 'b': none} %}{{ 'a' in o }}"
                   "{{ 'b' in o }}{{ 'c' not in o }}{{ 1 in o }}"),
            "TrueTrueTrueFalse");
}

// What Jinja2 3.1 gives.
TEST(Jinja, means_what_python_means) {
  EXPECT_EQ(render("{{ undef is iterable }} {{ undef is sequence }} "
                   "{{ true == 1 }} {{ false != 1 }} {{ 1 in [true] }} "
                   "{{ true is number }} {{ true is integer }}"),
            "True True True True True True False");
  EXPECT_EQ(render("{{ -1|string|length }} {{ 'text'.0 }} {{ -3.5|string }} "
                   "{{ [1] is eq 1.role }}"),
            "2 t -3.5 False");
  EXPECT_EQ(render("{{ range is defined }} {{ strftime_now is undefined }} "
                   "{{ other is defined }}"),
            "True False False");
  EXPECT_EQ(
      render("{{ 'y' if strftime_now }} {{ range == range.x }} "
             "{{ [true] == [1] }} {{ {'a': 0} == {'a': [] is sequence} }} "
             "{{ {'a': [1]} == {'a': [true]} }} {{ [1] == [true, 2] }} "
             "{{ {'a': 1} == {'b': 1} }} {{ [[1]] in [[[true]]] }}"),
      "y False True False True False False True");
  EXPECT_EQ(render("{{ range }}"),
            "t: line 1: the function 'range' has no text");
  EXPECT_EQ(render("{{ strftime_now('%Y-%m') }} "
                   "{{ strftime_now('')|length }} "
                   "{{ strftime_now('%%z%Z%z.%f%') }}"),
            "2023-11 0 %z.000000%");
}

TEST(Jinja, negative_literals_that_are_too_large) {
  EXPECT_EQ(render("{{ '" + std::string(17 << 20, 'x') + "'|length }}"),
            "t: line 1: a text has more than 16 MiB");
}

TEST(Jinja, negative_text_that_is_no_utf8) {
  EXPECT_EQ(render("a{{ '\xff' }}"),
            "t: expected UTF-8, found another byte at offset 5");
  EXPECT_EQ(render("{{ '\\ud83d' }}"),
            "t: line 1: an escape of d83d is no character");
}

} // namespace
} // namespace heddle::text

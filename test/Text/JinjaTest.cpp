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

std::string render(std::string_view source, const Json &variables = {}) {
  try {
    return Jinja(source, "t")
        .render(variables.is_null() ? Json::object() : variables);
  } catch (const Failure &failure) {
    return failure.what();
  }
}

TEST(Jinja, RendersAsJinja2) {
  std::ifstream file(TEST_INPUTS "/chat_goldens.json");
  ASSERT_TRUE(file) << TEST_INPUTS;
  Json cases = Json::parse(file);
  ASSERT_GE(cases.size(), 60u);
  int refused = 0;
  for (const Json &one : cases) {
    std::string text =
        render(one["template"].get<std::string>(), one["variables"]);
    if (one.contains("text")) {
      EXPECT_EQ(text, one["text"].get<std::string>()) << one["name"];
      continue;
    }
    std::string refusal = ": " + one["refusal"].get<std::string>();
    ASSERT_GE(text.size(), refusal.size());
    EXPECT_EQ(text.substr(text.size() - refusal.size()), refusal);
    ++refused;
  }
  EXPECT_GE(refused, 4);
}

TEST(Jinja, negative_syntax) {
  EXPECT_EQ(render("a\n{% if x %}"), "t: line 2: 'endif' is missing");
  EXPECT_EQ(render("{% endif %}"), "t: line 1: 'endif' has no beginning");
  EXPECT_EQ(render("\n\n{% macro f() %}{% endmacro %}"),
            "t: line 3: the statement 'macro' is not supported");
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
  EXPECT_EQ(render("{{ 1 == 1 == 1 }}"),
            "t: line 1: comparisons in a row are not supported");
  EXPECT_EQ(render("{{ 'a\\x41' }}"),
            "t: line 1: the escape '\\x' is not supported");
  EXPECT_EQ(render("{{ 'é'|upper }}"),
            "t: line 1: a change of case of characters beyond ASCII is not "
            "supported");
  EXPECT_EQ(render("{% for k in {'a': 1, 'b': 2} %}{% endfor %}"),
            "t: line 1: the order of an object's fields is not known; expected "
            "one field, found {\"a\":1,\"b\":2}");
  EXPECT_EQ(render("{{ a.b }}"),
            "t: line 1: an undefined value has no attribute 'b'");
  EXPECT_EQ(render("{{ 'a' + 1 }}"),
            "t: line 1: '+' does not take \"a\" and 1");
  EXPECT_EQ(render("{{ 1 // 0 }}"), "t: line 1: division by 0");
  EXPECT_EQ(render("{{ (0 - 9223372036854775807 - 1) // -1 }}"),
            "t: line 1: the number '9223372036854775807' is not supported");
  EXPECT_EQ(render("{{ 'a'|reverse }}"),
            "t: line 1: the filter 'reverse' is not supported");
  EXPECT_EQ(render("{{ lipsum() }}"),
            "t: line 1: the function 'lipsum' is not supported");
  EXPECT_EQ(render("{% for x in 5 %}{% endfor %}"),
            "t: line 1: expected something that has elements, found 5");
}

// A template may come from anywhere: it takes neither time nor memory.
TEST(Jinja, negative_bounds) {
  EXPECT_EQ(render("{% for a in range(99999) %}{% for b in range(99999) %}"
                   "{% endfor %}{% endfor %}"),
            "t: line 1: the template takes more than a million steps");
  EXPECT_EQ(render("{% for a in range(1000000) %}{% endfor %}"),
            "t: line 1: a list has more than 100000 elements");
  EXPECT_EQ(render("{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}"
                   "{% for a in range(40) %}{% set ns.s = ns.s + ns.s %}"
                   "{% endfor %}"),
            "t: line 1: a value has more than 16 MiB");
  // Lists of lists, which are all the same, would have 10^8 elements.
  EXPECT_EQ(render("{% set ns = namespace(l=[1]) %}"
                   "{% for i in range(8) %}{% set ns.l = "
                   "[ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l] %}"
                   "{% endfor %}"),
            "t: line 1: a value has more than 16 MiB");
  EXPECT_EQ(render("{% set ns = namespace(l=[1]) %}{% for i in range(99) %}"
                   "{% set ns.l = [ns.l] %}{% endfor %}"),
            "t: line 1: a value is nested more than 64 levels deep");
  EXPECT_EQ(render("{% set ns = namespace(s='x') %}{% for i in range(23) %}"
                   "{% set ns.s = ns.s + ns.s %}{% endfor %}"
                   "{% for i in range(9999) %}{% set t = ns.s + 'y' %}"
                   "{% endfor %}"),
            "t: line 1: the template works on more than 256 MiB");
  EXPECT_EQ(render("{% set ns = namespace() %}{% set ns.self = ns %}"),
            "t: line 1: a namespace in a namespace is not supported");
  EXPECT_EQ(render("{{ [x]|join }}"),
            "t: line 1: an undefined value in a list is not supported");
  EXPECT_EQ(render("{{ " + std::string(5000, '(') + "1" +
                   std::string(5000, ')') + " }}"),
            "t: line 1: expressions and blocks are nested too deeply");
  std::string sum = "1", filters = "'a'";
  for (int i = 0; i < 40000; ++i) {
    sum += "+1";
    filters += "|trim";
  }
  EXPECT_EQ(render("{{ " + sum + " }}"),
            "t: line 1: a tag has more than 500 parts");
  EXPECT_EQ(render("{{ " + filters + " }}"),
            "t: line 1: a tag has more than 500 parts");
  EXPECT_EQ(render("{{ [1,2,3][1::999999999999999999*9+223372036854775816]"
                   "|join }}"),
            "2");
  EXPECT_EQ(render("{{ range(0, 9, 999999999999999999*9)|length }}"), "1");
  EXPECT_EQ(render("{{ " + std::string(5000, '-') + "1 }}"),
            "t: line 1: expressions and blocks are nested too deeply");
}

// Each looks at much and makes little, again and again.
TEST(Jinja, negative_work) {
  // 4 MiB of spaces, and 65536 elements.
  const std::string large =
      "{% set ns = namespace(s=' ', l=[1]) %}{% for i in range(22) %}"
      "{% set ns.s = ns.s + ns.s %}{% endfor %}{% for i in range(16) %}"
      "{% set ns.l = ns.l + ns.l %}{% endfor %}{% for i in range(9999) %}";
  for (const char *what :
       {"{% set x = ns.s|length %}", "{% set x = ns.s[0] %}",
        "{% set x = ns.s[0:1] %}", "{% set x = ns.s|trim %}",
        "{% set x = ns.s.strip() %}", "{% if 'ab' in ns.s %}{% endif %}",
        "{% if 2 in ns.l %}{% endif %}", "{% if ns.l == ns.l %}{% endif %}",
        "{% if ns.s is equalto(ns.s) %}{% endif %}",
        "{% if ns.s < ns.s %}{% endif %}",
        "{% set x = ns.s.startswith(ns.s) %}",
        "{% set x %}{{ ns.s }}{% endset %}"}) {
    EXPECT_EQ(render(large + what + "{% endfor %}"),
              "t: line 1: the template works on more than 256 MiB")
        << what;
  }
}

// Going through a conversation is no work that counts.
TEST(Jinja, values_are_counted_once) {
  EXPECT_EQ(render("{% set ns = namespace(s='x') %}{% for i in range(17) %}"
                   "{% set ns.s = ns.s + ns.s %}{% endfor %}"
                   "{% for i in range(20000) %}{% if ns.s %}{% set t = ns.s %}"
                   "{% endif %}{% endfor %}{{ ns.s|length }}"),
            "131072");
}

TEST(Jinja, large_strings_are_searched) {
  EXPECT_EQ(render("{% set ns = namespace(s='a') %}{% for i in range(22) %}"
                   "{% set ns.s = ns.s + ns.s %}{% endfor %}"
                   "{% set half = ns.s[:2097152] + 'b' %}"
                   "{{ half in ns.s }} {{ ns.s.replace(half, '')|length }}"
                   " {{ ns.s.split(half)|length }}"),
            "False 4194304 1");
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
            "t: line 1: a namespace or a function has no text");
  EXPECT_EQ(render("{{ dict is defined }}"),
            "t: line 1: the function 'dict' is not supported");
  EXPECT_EQ(render("{{ strftime_now('%Y')|length }} "
                   "{{ strftime_now('')|length }}"),
            "4 0");
}

TEST(Jinja, negative_literals_that_are_too_large) {
  EXPECT_EQ(render("{{ '" + std::string(17 << 20, 'x') + "'|length }}"),
            "t: line 1: a value has more than 16 MiB");
}

TEST(Jinja, negative_text_that_is_no_utf8) {
  EXPECT_EQ(render("a{{ '\xff' }}"),
            "t: expected UTF-8, found another byte at offset 5");
  EXPECT_EQ(render("{{ '\\ud83d' }}"),
            "t: line 1: \\ud83d is half of a character");
}

} // namespace
} // namespace heddle::text

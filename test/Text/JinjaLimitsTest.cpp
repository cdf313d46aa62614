// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates that would take long, or much memory.

#include "runtime/text/Failure.h"
#include "runtime/text/jinja/Jinja.h"

#include <gtest/gtest.h>

namespace heddle::text {
namespace {

std::string render(std::string_view source) {
  try {
    return Jinja(source, "t").render(OrderedJson::object(), 0);
  } catch (const Failure &failure) {
    return failure.what();
  }
}

// A template may come from anywhere: it takes neither time nor memory.
TEST(JinjaLimits, negative_bounds) {
  EXPECT_EQ(render("{% for a in range(99999) %}{% for b in range(99999) %}"
                   "{% endfor %}{% endfor %}"),
            "t: line 1: the template takes more than a million steps");
  EXPECT_EQ(render("{% for a in range(1000000) %}{% endfor %}"),
            "t: line 1: a list has more than 100000 elements");
  EXPECT_EQ(render("{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}"
                   "{% for a in range(40) %}{% set ns.s = ns.s + ns.s %}"
                   "{% endfor %}"),
            "t: line 1: a text has more than 16 MiB");
  // Lists of lists, which are all the same, would have 10^8 elements.
  EXPECT_EQ(render("{% set ns = namespace(l=[1]) %}"
                   "{% for i in range(8) %}{% set ns.l = "
                   "[ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l,ns.l] %}"
                   "{% endfor %}{{ ns.l }}"),
            "t: line 1: a text has more than 16 MiB");
  EXPECT_EQ(render("{% set ns = namespace(l=[1]) %}{% for i in range(99) %}"
                   "{% set ns.l = [ns.l] %}{% endfor %}"),
            "t: line 1: a value is nested more than 64 levels deep");
  EXPECT_EQ(render("{% set ns = namespace(s='x') %}{% for i in range(23) %}"
                   "{% set ns.s = ns.s + ns.s %}{% endfor %}"
                   "{% for i in range(9999) %}{% set t = ns.s + 'y' %}"
                   "{% endfor %}"),
            "t: line 1: the template works on more than 256 MiB");
  // Circles of objects end with the rendering.
  EXPECT_EQ(render("{% set ns = namespace() %}{% set ns.self = [ns] %}"
                   "{% macro f() %}{% endmacro %}{% set ns.f = f %}"
                   "{{ ns.self[0].self|length }}"),
            "1");
  EXPECT_EQ(render("{{ " + std::string(5000, '(') + "1" +
                   std::string(5000, ')') + " }}"),
            "t: line 1: expressions and blocks are nested too deeply");
  std::string sum = "1", filters = "'a'";
  for (int i = 0; i < 40000; ++i) {
    sum += "+1";
    filters += "|trim";
  }
  EXPECT_EQ(render("{{ " + sum + " }}"),
            "t: line 1: a tag has more than 2000 parts");
  EXPECT_EQ(render("{{ " + filters + " }}"),
            "t: line 1: a tag has more than 2000 parts");
  EXPECT_EQ(render("{{ [1,2,3][1::999999999999999999*9+223372036854775816]"
                   "|join }}"),
            "2");
  EXPECT_EQ(render("{{ range(0, 9, 999999999999999999*9)|length }}"), "1");
  EXPECT_EQ(render("{{ " + std::string(5000, '-') + "1 }}"),
            "t: line 1: expressions and blocks are nested too deeply");
}

TEST(JinjaLimits, negative_recursion) {
  constexpr const char *deep =
      "t: line 1: the template is nested too deeply in itself";
  EXPECT_EQ(render("{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}"),
            deep);
  EXPECT_EQ(render("{% macro f() %}{% call f() %}{% endcall %}"
                   "{{ caller() }}{% endmacro %}{{ f() }}"),
            deep);
  EXPECT_EQ(render("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}"),
            deep);
  std::string filters;
  for (int i = 0; i < 1900; ++i)
    filters += "|trim";
  EXPECT_EQ(
      render("{% macro f() %}{{ f()" + filters + " }}{% endmacro %}{{ f() }}"),
      deep);
  // Each calls two, as often as there are steps.
  EXPECT_EQ(render("{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}"
                   "{% endif %}{% endmacro %}{{ f(40) }}"),
            "t: line 1: the template takes more than a million steps");
  EXPECT_EQ(render("{% macro f(n) %}{% if n %}{{ f(n - 1) }}{% endif %}"
                   "{{ n }},{% endmacro %}{{ f(30) }}")
                .size(),
            83u);
}

TEST(JinjaLimits, negative_sizes) {
  constexpr const char *large = "t: line 1: a text has more than 16 MiB";
  for (const char *what :
       {"'a' * 999999999", "'a'|center(999999999)", "'a'.zfill(999999999)",
        "'%999999999d' % 1", "'%*d' % (999999999, 1)",
        "'{:999999999}'.format(1)", "'a'.ljust(999999999, 'xy'[0])",
        "'\\t'.expandtabs(999999999)", "'a\\nb'|indent(999999999)",
        "('x' * 9999).replace('', 'y' * 9999)",
        "('x' * 9999)|replace('', 'y' * 9999)", "('x' * 9999).join('y' * 9999)",
        "(['x'] * 9999)|join('y' * 9999)"})
    EXPECT_EQ(render(std::string("{{ (") + what + ") }}"), large) << what;
  for (const char *what :
       {"[1] * 999999", "[1]|batch(999999, 0)|list",
        "('x' * 999999).split('x')", "('x ' * 999999).split()",
        "('x' * 999999)|list", "[1]|slice(999999)|list"})
    EXPECT_EQ(render(std::string("{{ (") + what + ")|length }}"),
              "t: line 1: a list has more than 100000 elements")
        << what;
  EXPECT_NE(render("{{ range(999999)|length }}").find("t: line 1: "),
            std::string::npos);
  // Keys of keys of keys
  EXPECT_EQ(render("{% set ns = namespace(t=('abcdefghijkl',)) %}"
                   "{% for i in range(9) %}{% set ns.t = ns.t * 9 %}"
                   "{% set ns.t = (ns.t, ns.t) %}{% endfor %}"
                   "{{ {ns.t: 1} }}"),
            large);
  // What is compared may be much larger than what is there.
  EXPECT_EQ(render("{% set ns = namespace(a=[1], b=[1]) %}"
                   "{% for i in range(40) %}{% set ns.a = [ns.a, ns.a] %}"
                   "{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
                   "{{ ns.a == ns.b }}"),
            "t: line 1: the template works on more than 256 MiB");
}

// Each is as long as what it makes.
TEST(JinjaLimits, long_results) {
  EXPECT_EQ(render("{{ '{:0400000,}'.format(1)|length }}"), "400001");
  EXPECT_EQ(render("{{ ('& ' * 400000)|striptags|length }}"), "799999");
}

// Each looks at much and makes little, again and again.
TEST(JinjaLimits, negative_work) {
  // 4 MiB of spaces, and 65536 elements.
  const std::string large =
      "{% set ns = namespace(s=' ', l=[1]) %}{% for i in range(22) %}"
      "{% set ns.s = ns.s + ns.s %}{% endfor %}{% for i in range(16) %}"
      "{% set ns.l = ns.l + ns.l %}{% endfor %}{% for i in range(9999) %}";
  for (const char *what : {"{% if {}[ns.s] %}{% endif %}",
                           "{% set x = [ns.s]|map('safe')|list %}",
                           "{% set x = []|join(ns.s) %}",
                           "{% set x = ''.split(sep=ns.s) %}",
                           "{% set x = ns.l.copy() %}",
                           "{% set x = ns.s|length %}",
                           "{% set x = ns.s[0] %}",
                           "{% set x = ns.s[0:1] %}",
                           "{% set x = ns.s|trim %}",
                           "{% set x = ns.s.strip() %}",
                           "{% if 'ab' in ns.s %}{% endif %}",
                           "{% if 2 in ns.l %}{% endif %}",
                           "{% if ns.l + [1] == ns.l + [2] %}{% endif %}",
                           "{% set x = ns.s|upper %}",
                           "{% set x = ns.s|wordcount %}",
                           "{% set x = ns.s.rsplit('x', 1) %}",
                           "{% set x = ns.s.find('x') %}",
                           "{% set x = ns.l|sort %}",
                           "{% set x = ns.l|tojson %}",
                           "{% set x = ns.s|replace('x', '') %}",
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
TEST(JinjaLimits, values_are_counted_once) {
  EXPECT_EQ(render("{% set ns = namespace(s='x') %}{% for i in range(17) %}"
                   "{% set ns.s = ns.s + ns.s %}{% endfor %}"
                   "{% for i in range(20000) %}{% if ns.s %}{% set t = ns.s %}"
                   "{% endif %}{% endfor %}{{ ns.s|length }}"),
            "131072");
}

TEST(JinjaLimits, large_strings_are_searched) {
  EXPECT_EQ(render("{% set ns = namespace(s='a') %}{% for i in range(22) %}"
                   "{% set ns.s = ns.s + ns.s %}{% endfor %}"
                   "{% set half = ns.s[:2097152] + 'b' %}"
                   "{{ half in ns.s }} {{ ns.s.replace(half, '')|length }}"
                   " {{ ns.s.split(half)|length }}"),
            "False 4194304 1");
}

} // namespace
} // namespace heddle::text

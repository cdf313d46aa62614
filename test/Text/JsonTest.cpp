// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// JSON that others wrote: the same object that any reader gives, or an error.

#include "test/Text/TokenizerTestSupport.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Json.h"

using namespace heddle::text;

/// What a text is refused with; "" if it is not.
static std::string refused(const std::string &json) {
  try {
    parseJsonObject(json, "f");
    return "";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.status(), HEDDLE_INVALID_ARGUMENT);
    return failure.what();
  }
}

static std::string nested(unsigned levels) {
  return "{\"a\": " + std::string(levels - 1, '[') +
         std::string(levels - 1, ']') + "}";
}

TEST(TextJson, keys_are_unique) {
  EXPECT_EQ(refused(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 1}]})"),
            "");
  EXPECT_EQ(refused(R"({"a": 1, "a": 1})"),
            "f: expected each name once, got 'a' twice");
  EXPECT_EQ(refused(R"({"x": {"a": 1, "\u0061": 1}})"),
            "f: expected each name once, got 'a' twice in 'x'");
  EXPECT_EQ(refused(R"({"x": [{"a": 1, "a": 1}]})"),
            "f: expected each name once, got 'a' twice");
}

TEST(TextJson, nesting_is_limited) {
  EXPECT_EQ(refused(nested(64)), "");
  std::string message = "f: malformed JSON: expected at most 64 nested levels, "
                        "got more";
  EXPECT_EQ(refused(nested(65)), message);
  EXPECT_EQ(refused(std::string(10'000'000, '[')), message);
}

TEST(TextJson, negative_malformed_text) {
  using namespace std::string_literals;
  for (const std::string &json :
       {""s, " "s, "{"s, "{}x"s, "{} {}"s, "{\"a\":}"s, "{\"a\": 01}"s,
        "{\"a\": NaN}"s, "{'a': 1}"s, "{\"a\": 1,}"s, "{\"a\": \"\xFF\"}"s,
        "{\"a\": \"\xED\xA0\x80\"}"s, "{\"a\": \"\n\"}"s, "\xEF\xBB\xBF{}"s,
        "{}\0"s, "{\"a\0\": 1}"s, "{/**/}"s, "{\"a\": 1e999}"s,
        "{\"a\": \"\\ud800\"}"s})
    EXPECT_TRUE(heddle::test::startsWith(refused(json), "f: malformed JSON: "))
        << json << refused(json);
  EXPECT_EQ(refused("[1, \"é\"]"), "f: expected a JSON object, got [1,\"é\"]");
}

TEST(TextJson, integers_are_written_as_such) {
  Json object = parseJsonObject(R"({"a": 5, "b": 5.0, "c": 5e0, "d": -5,
      "e": 18446744073709551615, "f": 99999999999999999999, "g": "5",
      "h": -0})",
                                "f");
  Fields fields(object, "f");
  EXPECT_EQ(fields.integer("a", 5), 5);
  EXPECT_EQ(fields.integer("h", 5), 0);
  for (const char *name : {"a", "b", "c", "d", "e", "f", "g", "z"})
    EXPECT_THROW(fields.integer(name, 4), Failure) << name;
  for (const char *name : {"b", "c", "d", "e", "f", "g", "z"})
    EXPECT_THROW(fields.integer(name, INT64_MAX), Failure) << name;
  EXPECT_THROW(fields.integer("h", -1), Failure);
}

TEST(TextJson, descriptions_are_short) {
  EXPECT_EQ(describe(Json::parse(R"({"b": [1, 2.5, null], "a": "é\n"})")),
            R"({"a":"é\n","b":[1,2.5,null]})");
  EXPECT_EQ(describe(std::string(58, 'x')), '"' + std::string(58, 'x') + '"');
  // The 60th byte is the first of é.
  EXPECT_EQ(describe(std::string(58, 'x') + "é"),
            '"' + std::string(58, 'x') + "...");
}

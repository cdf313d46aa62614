// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps that cut and rewrite text before byte pair encoding and after it.

#include "test/Text/TokenizerTestSupport.h"

#include "runtime/text/Failure.h"
#include "runtime/text/PreTokenizer.h"
#include "runtime/text/SplitPattern.h"
#include "runtime/text/TextNormalizer.h"
#include "runtime/text/TokenDecoder.h"

using namespace heddle::test;
using namespace heddle::text;

/// What `body` returns, or the message that it fails with.
template <typename Body> static auto valueOrMessage(const Body &body) {
  using Value = decltype(body());
  try {
    return body();
  } catch (const Failure &failure) {
    return Value{failure.what()};
  }
}

//===-- regular expressions -----------------------------------------------===//

/// The matches of an expression in Oniguruma's syntax; its error if it has one.
static Texts matches(std::string_view expression, std::string_view text) {
  return valueOrMessage([&] {
    Budget budget(text.size());
    Texts result;
    for (const SplitRange &range :
         SplitPattern::fromRegex(expression, "test").split(text, budget))
      if (range.matches)
        result.emplace_back(range.of(text));
    return result;
  });
}

TEST(SplitPattern, classes_are_unicode) {
  EXPECT_EQ(matches("\\p{L}+", "aé字1²"), Texts{"aé字"});
  EXPECT_EQ(matches("\\p{N}", "1²٣x"), (Texts{"1", "²", "٣"}));
  EXPECT_EQ(matches("\\d+", "1²٣"), (Texts{"1", "٣"}));
  EXPECT_EQ(matches("[^\\s\\p{L}]+", "a !\u3000b"), Texts{"!"});
  EXPECT_EQ(matches("\\p{^L}|\\P{Ll}", "aB1"), (Texts{"B", "1"}));
  EXPECT_EQ(matches("[\\p{Han}a-c]+", "字ad"), Texts{"字a"});
  // White_Space, with vertical tab and next line; no zero-width space.
  EXPECT_EQ(matches("\\s+", "a\v\u0085\u00A0\u200Bb"), Texts{"\v\u0085\u00A0"});
  // Word characters, but no joiners.
  EXPECT_EQ(matches("\\w+", "aé_1\u0301\u200D"), Texts{"aé_1\u0301"});
}

TEST(SplitPattern, case_is_ignored_inside_of_a_group) {
  EXPECT_EQ(matches("(?i:'s|'ll)|x", "'S'Ll'tX"), (Texts{"'S", "'Ll"}));
  EXPECT_EQ(matches("(?i)'s|x", "'SX"), (Texts{"'S", "X"}));
}

TEST(SplitPattern, means_what_oniguruma_means) {
  // A vertical tab, where ICU means any line end.
  EXPECT_EQ(matches("\\v", "\n\v"), Texts{"\v"});
  // Line ends and begins, where ICU means those of the text.
  EXPECT_EQ(matches("\\s+$", "a \nb "), (Texts{" ", " "}));
  EXPECT_EQ(matches("a$", "a\na"), (Texts{"a", "a"}));
  EXPECT_EQ(matches("^a", "a\nab\n"), (Texts{"a", "a"}));
  EXPECT_EQ(matches(".+", "a\r\u2028\nb"), (Texts{"a\r\u2028", "b"}));
  // A further repetition, where ICU means a possessive one.
  EXPECT_EQ(matches("\\p{N}{1,3}+", "12345"), Texts{"12345"});
  EXPECT_EQ(matches("\\p{N}{1,3}", "12345"), (Texts{"123", "45"}));
  EXPECT_EQ(matches("a++a|b", "aaab"), Texts{"b"});
  EXPECT_EQ(matches("ab{1,3}+b", "abbb"), Texts{"abbb"});
  // && binds less than the union beside it: (a-w) and (not c-g, or z).
  EXPECT_EQ(matches("[a-w&&[^c-g]z]", "abchwz"), (Texts{"a", "b", "h", "w"}));
  EXPECT_EQ(matches("[^a-w&&[^c-g]z]", "abchwz"), (Texts{"c", "z"}));
  // Literal characters that ICU would take for operators.
  EXPECT_EQ(matches("[(|)&~-]+", "a(|)&~-b"), Texts{"(|)&~-"});
  EXPECT_EQ(matches("\\bé\\b", "é né é"), (Texts{"é", "é"}));
  EXPECT_EQ(matches("\\x41\\u0042\\x{43}", "ABC"), Texts{"ABC"});
}

TEST(SplitPattern, empty_matches_follow_no_other_match) {
  SplitPattern pattern = SplitPattern::fromRegex("b*", "test");
  Budget budget(4);
  std::string where = "test";
  GrowingText grown(budget, where);
  EXPECT_EQ(pattern.replace("abbc", "-", budget, grown), "-a-c-");
  EXPECT_EQ(pattern.replace("", "-", budget, grown), "");
}

TEST(SplitPattern, negative_unsupported_expressions_are_named) {
  auto reason = [](const std::string &expression) {
    return valueOrMessage([&] {
      SplitPattern::fromRegex(expression, "test");
      return std::string();
    });
  };
  EXPECT_EQ(reason("a\\K"),
            "test: cannot use the expression 'a\\K': \\K is not supported");
  EXPECT_NE(reason("(a)\\1").find("\\1 is not supported"), std::string::npos);
  EXPECT_NE(reason("a(?<n>b)").find("'(?<n>b)' is"), std::string::npos);
  EXPECT_NE(reason("a(?i)b|c").find("'(?i)b|c' is"), std::string::npos);
  EXPECT_NE(reason("[[:letter:]]").find("bracket [:letter:] is not"),
            std::string::npos);
  EXPECT_NE(reason("\\p{Emoji}").find("'Emoji' is not"), std::string::npos);
  std::string sets;
  for (int i = 0; i < 1000; ++i)
    sets += "\\w";
  EXPECT_NE(reason(sets).find("expected fewer sets"), std::string::npos);
  EXPECT_NE(reason("\\xE9").find("byte \\xE9"), std::string::npos);
  for (const char *malformed :
       {"(",      ")",       "[",           "[]",      "[a",    "a{",
        "a{2,1}", "a{,2}",   "*",           "a**",     "\\",    "\\p",
        "\\pL",   "\\p{L",   "\\x{110000}", "\\uD800", "[b-a]", "[a-\\d]",
        "[a&&]",  "[a-c-e]", "(?<=a+)b"})
    EXPECT_NE(reason(malformed), "") << malformed;
  EXPECT_NE(reason(std::string(100000, '[')), "");
  EXPECT_NE(reason(std::string(100000, '(')), "");
}

//===-- pre-tokenizers ----------------------------------------------------===//

static Texts pieces(const std::string &json, std::string_view text,
                    bool atStart = true) {
  Json value = Json::parse(json);
  return valueOrMessage([&] {
    Budget budget(text.size());
    return PreTokenizer::fromJson(&value, "test").run(text, atStart, budget);
  });
}

static std::string split(const std::string &pattern,
                         const std::string &behavior,
                         const std::string &invert = "false") {
  return R"({"type": "Split", "pattern": )" + pattern + R"(, "behavior": ")" +
         behavior + R"(", "invert": )" + invert + "}";
}

TEST(PreTokenizer, split_behaviors) {
  std::string dash = R"({"String": "-"})";
  std::string text = "the-final--countdown";
  EXPECT_EQ(pieces(split(dash, "Removed"), text),
            (Texts{"the", "final", "countdown"}));
  EXPECT_EQ(pieces(split(dash, "Isolated"), text),
            (Texts{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(pieces(split(dash, "MergedWithPrevious"), text),
            (Texts{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(pieces(split(dash, "MergedWithNext"), text),
            (Texts{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(pieces(split(dash, "Contiguous"), text),
            (Texts{"the", "-", "final", "--", "countdown"}));
  EXPECT_EQ(pieces(split(R"({"Regex": "[a-z]+"})", "Removed", "true"), text),
            (Texts{"the", "final", "countdown"}));
}

TEST(PreTokenizer, llama3_words) {
  std::string llama3 = split(R"({"Regex": "(?i:'s|'t|'re|'ve|'m|'ll|'d))"
                             R"(|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3})"
                             R"(| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+)"
                             R"(|\\s+(?!\\S)|\\s+"})",
                             "Isolated");
  EXPECT_EQ(pieces(llama3, "I'LL pay 12345 ...\n\n  x \n"),
            (Texts{"I", "'LL", " pay", " ", "123", "45", " ...\n\n", " ", " x",
                   " \n"}));
}

TEST(PreTokenizer, digits) {
  EXPECT_EQ(
      pieces(R"({"type": "Digits", "individual_digits": true})", "12a²bc3"),
      (Texts{"1", "2", "a", "²", "bc", "3"}));
  EXPECT_EQ(
      pieces(R"({"type": "Digits", "individual_digits": false})", "12a²bc3"),
      (Texts{"12", "a", "²", "bc", "3"}));
}

TEST(PreTokenizer, byte_level) {
  auto byteLevel = [](const std::string &prefix, const std::string &regex) {
    return R"({"type": "ByteLevel", "trim_offsets": true,
                "add_prefix_space": )" +
           prefix + R"(, "use_regex": )" + regex + "}";
  };
  EXPECT_EQ(pieces(byteLevel("true", "true"), "it's 5\n é"),
            (Texts{"Ġit", "'s", "Ġ5", "Ċ", "ĠÃ©"}));
  EXPECT_EQ(pieces(byteLevel("true", "false"), " a b"), Texts{"ĠaĠb"});
  EXPECT_EQ(pieces(byteLevel("false", "false"), "a\u007F\u00AD"),
            Texts{"aġÂŃ"});
}

TEST(PreTokenizer, metaspace) {
  auto metaspace = [](const std::string &scheme, const std::string &split) {
    return R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": ")" +
           scheme + R"(", "split": )" + split + "}";
  };
  EXPECT_EQ(pieces(metaspace("always", "true"), "a  b", false),
            (Texts{"▁a", "▁", "▁b"}));
  EXPECT_EQ(pieces(metaspace("always", "true"), " a"), Texts{"▁a"});
  EXPECT_EQ(pieces(metaspace("first", "false"), "a b"), Texts{"▁a▁b"});
  EXPECT_EQ(pieces(metaspace("first", "false"), "a b", false), Texts{"a▁b"});
  EXPECT_EQ(pieces(metaspace("never", "true"), "a b"), (Texts{"a", "▁b"}));
}

TEST(PreTokenizer, sequence) {
  EXPECT_EQ(pieces(R"({"type": "Sequence", "pretokenizers": [
                 {"type": "Digits", "individual_digits": true},
                 {"type": "Sequence", "pretokenizers": [
                   {"type": "ByteLevel", "add_prefix_space": false,
                    "trim_offsets": true}]}]})",
                   "a b12"),
            (Texts{"a", "Ġb", "1", "2"}));
  EXPECT_EQ(pieces("null", "a b"), Texts{"a b"});
}

TEST(PreTokenizer, kinds_of_characters) {
  EXPECT_EQ(pieces(R"({"type": "BertPreTokenizer"})", " a,b!? c\u3000d$\u0661"),
            (Texts{"a", ",", "b", "!", "?", "c", "d", "$", "\u0661"}));
  // Of Unicode 8's punctuation, which lacks newer signs.
  EXPECT_EQ(pieces(R"({"type": "BertPreTokenizer"})", "a\u2E42b\u2E43b"),
            (Texts{"a", "\u2E42", "b\u2E43b"}));
  EXPECT_EQ(
      pieces(R"({"type": "Whitespace"})", "a_1,.b \u200D c!\u00A0é\u0301?"),
      (Texts{"a_1", ",.", "b", "\u200D", "c", "!", "é\u0301", "?"}));
  EXPECT_EQ(pieces(R"({"type": "WhitespaceSplit"})", " a,b\v\u2003c "),
            (Texts{"a,b", "c"}));
  EXPECT_EQ(pieces(R"({"type": "Punctuation"})", "a,,b"),
            (Texts{"a", ",", ",", "b"}));
  EXPECT_EQ(
      pieces(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a,,b+c"),
      (Texts{"a", ",,", "b", "+", "c"}));
  EXPECT_EQ(
      pieces(R"({"type": "CharDelimiterSplit", "delimiter": "é"})", "aéébé"),
      (Texts{"a", "b"}));
}

//===-- normalizers and decoders ------------------------------------------===//

static std::string normalized(const std::string &json, std::string_view text) {
  Json value = Json::parse(json);
  return valueOrMessage([&] {
    Budget budget(text.size());
    return TextNormalizer::fromJson(&value, "test").run(text, budget);
  });
}

TEST(TextNormalizer, normal_forms) {
  std::string text = "e\u0301\u00E9\uFB01";
  EXPECT_EQ(normalized(R"({"type": "NFC"})", text), "\u00E9\u00E9\uFB01");
  EXPECT_EQ(normalized(R"({"type": "NFD"})", text), "e\u0301e\u0301\uFB01");
  EXPECT_EQ(normalized(R"({"type": "NFKC"})", text), "\u00E9\u00E9fi");
  EXPECT_EQ(normalized(R"({"type": "NFKD"})", text), "e\u0301e\u0301fi");
  // Neither a final sigma nor a Turkish i.
  EXPECT_EQ(normalized(R"({"type": "Lowercase"})", "ÄΑΣ \u0130I"),
            "äασ i\u0307i");
}

TEST(TextNormalizer, replacements) {
  EXPECT_EQ(normalized(R"({"type": "Sequence", "normalizers": [
                           {"type": "Prepend", "prepend": "_"},
                           {"type": "Replace", "pattern": {"Regex": " +"},
                            "content": "$1"},
                           {"type": "Replace", "pattern": {"String": "."},
                            "content": ""}]})",
                       "a  b.c"),
            "_a$1bc");
  EXPECT_EQ(normalized(R"({"type": "Prepend", "prepend": "_"})", ""), "");
}

TEST(TextNormalizer, kinds_of_characters) {
  // Marks of all kinds, by Unicode 9: not of a character that is newer.
  EXPECT_EQ(normalized(R"({"type": "StripAccents"})",
                       "e\u0301\u00E9\u0903\u20DD\u1ABF"),
            "e\u00E9\u1ABF");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": true,
                           "strip_right": false})",
                       "\u3000\v a \n"),
            "a \n");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": true,
                           "strip_right": true})",
                       " \u2003 "),
            "");
  EXPECT_EQ(normalized(R"({"type": "Strip", "strip_left": false,
                           "strip_right": true})",
                       " a\u2003\u00A0"),
            " a");
  EXPECT_EQ(normalized(R"({"type": "Nmt"})",
                       "a\u0001\tb\u200B\u2581c\uFEFF\u007F\u0085"),
            "a b  c \u0085");
  EXPECT_EQ(normalized(R"({"type": "ByteLevel"})", "é a"), "Ã©Ġa");
}

static std::string decoded(const std::string &json, const Texts &tokens) {
  Json value = Json::parse(json);
  return valueOrMessage(
      [&] { return TokenDecoder::fromJson(&value, "test").run(tokens); });
}

TEST(TokenDecoder, steps) {
  EXPECT_EQ(decoded("null", {"a", "b"}), "a b");
  EXPECT_EQ(
      decoded(R"({"type": "Metaspace", "replacement": "▁"})", {"▁a", "▁b▁"}),
      "a b ");
  EXPECT_EQ(decoded(R"({"type": "Metaspace", "replacement": "▁",
                        "prepend_scheme": "never", "split": false})",
                    {"▁a", "▁b"}),
            " a b");
  EXPECT_EQ(decoded(R"({"type": "Strip", "content": "x", "start": 1,
                        "stop": 2})",
                    {"xxa", "axxx", "x"}),
            "xaax");
  EXPECT_EQ(decoded(R"({"type": "BPEDecoder", "suffix": "</w>"})",
                    {"a", "b</w>", "</w>c</w>"}),
            "ab c");
  EXPECT_EQ(decoded(R"({"type": "WordPiece", "prefix": "##",
                        "cleanup": false})",
                    {"##a", "##b", ".", "n't"}),
            "##ab . n't");
  EXPECT_EQ(decoded(R"({"type": "WordPiece", "prefix": "##",
                        "cleanup": true})",
                    {"do", "n't", "x ' y", "do not", "##."}),
            "don't x'y don't.");
  // A token that is not in the byte alphabet stands for itself.
  EXPECT_EQ(decoded(R"({"type": "ByteLevel"})", {"ĠaÃ", "©", "字Ġ", "Ã"}),
            " aé字Ġ\uFFFD");
  EXPECT_EQ(decoded(R"({"type": "Sequence", "decoders": [
                        {"type": "ByteFallback"},
                        {"type": "Replace", "pattern": {"String": "é"},
                         "content": "e"}]})",
                    {"<0xC3>", "<0xA9>", "<0xC3>a", "<0xG0>"}),
            "e<0xC3>a<0xG0>");
}

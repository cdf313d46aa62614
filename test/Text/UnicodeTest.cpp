// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which characters belong to the sets of Oniguruma's expressions, and what the
// versions of Unicode of Hugging Face tokenizers 0.22.2, which gave the
// expected values, say about characters that ICU's does not have.

#include "test/Text/TokenizerTestSupport.h"

#include "runtime/text/SplitPattern.h"
#include "runtime/text/TextNormalizer.h"
#include "runtime/text/UnicodeData.h"

#include <unicode/utf8.h>

using namespace heddle::test;
using namespace heddle::text;

/// What the expression matches in the text.
static Texts matches(std::string_view expression, std::string_view text) {
  Budget budget(text.size());
  Texts result;
  for (const SplitRange &range :
       SplitPattern::fromRegex(expression, "test").split(text, budget))
    if (range.matches)
      result.emplace_back(range.of(text));
  return result;
}

/// How many characters, but for the first one, the expression matches.
static size_t size(std::string_view expression) {
  std::string text;
  for (UChar32 character = 1; character <= UCHAR_MAX_VALUE; ++character) {
    char bytes[U8_MAX_LENGTH];
    int32_t length = 0;
    if (U_IS_SURROGATE(character))
      continue;
    U8_APPEND_UNSAFE(bytes, length, character);
    text.append(bytes, length);
  }
  Budget budget(text.size());
  size_t count = 0;
  for (const SplitRange &range :
       SplitPattern::fromRegex(expression, "test").split(text, budget))
    count += range.matches;
  return count;
}

TEST(OnigurumaSets, have_the_characters_of_unicode_16) {
  EXPECT_EQ(size("\\p{L}"), 141028u);
  EXPECT_EQ(size("\\p{C}"), 957235u);
  EXPECT_EQ(size("\\w"), 144671u);
  EXPECT_EQ(size("[[:print:]]"), 292464u);
  EXPECT_EQ(size("(?i)[[:lower:]]"), 4028u);
}

TEST(OnigurumaSets, superscripts_are_in_words_outside_of_classes) {
  EXPECT_EQ(matches("\\w+", "m² 1½a ⁴"), (Texts{"m²", "1½a"}));
  EXPECT_EQ(matches("\\p{Word}+", "m²"), Texts{"m²"});
  EXPECT_EQ(matches("\\W+", "m² ⁴"), Texts{" ⁴"});
  EXPECT_EQ(matches("\\b.+?\\b", "m²x ³"), (Texts{"m²x", " ", "³"}));
  EXPECT_EQ(matches("a\\B.", "a² a!"), Texts{"a²"});
  EXPECT_EQ(matches("[\\w]+", "m²"), Texts{"m"});
  EXPECT_EQ(matches("[\\p{Word}]+", "m²"), Texts{"m"});
  EXPECT_EQ(matches("[^\\w]+", "m² "), Texts{"² "});
  EXPECT_EQ(matches("\\d+", "1²٣"), (Texts{"1", "٣"}));
}

TEST(OnigurumaSets, posix_brackets) {
  EXPECT_EQ(matches("[[:alpha:]_]+", "aé_1"), Texts{"aé_"});
  EXPECT_EQ(matches("[[:^alpha:]]+", "aé_1"), Texts{"_1"});
  EXPECT_EQ(matches("[^[:space:]]+", "a \u00A0b"), (Texts{"a", "b"}));
  // With symbols, which \p{Punct} does not have.
  EXPECT_EQ(matches("[[:punct:]]+", "a!+€b"), Texts{"!+€"});
  EXPECT_EQ(matches("\\p{Punct}+", "a!+€b"), Texts{"!"});
  EXPECT_EQ(matches("[[:xdigit:]]+|\\h+", "fFgg"), Texts{"fF"});
  EXPECT_EQ(matches("[[:word:]&&[:ascii:]]+", "aé1²"), (Texts{"a", "1"}));
  EXPECT_EQ(matches("\\p{Uppercase_Letter}|\\p{Latin}", "aÉд"),
            (Texts{"a", "É"}));
  // No bracket: a class of a colon and letters, as there is no end of one.
  EXPECT_EQ(matches("[[:a]]+", "a:b"), Texts{"a:"});
  EXPECT_EQ(matches("[[:a]]+[[:digit:]]", "a:1"), Texts{"a:1"});
}

TEST(OnigurumaSets, case_is_ignored_in_classes_alone) {
  EXPECT_EQ(matches("(?i)\\p{Lu}", "abAB"), (Texts{"A", "B"}));
  EXPECT_EQ(matches("(?i:\\p{Lu}+)x?", "abAX"), Texts{"AX"});
  EXPECT_EQ(matches("(?i)[\\p{Lu}]+", "abAB"), Texts{"abAB"});
  EXPECT_EQ(matches("(?i)[^\\p{Lu}]+", "a1B"), Texts{"1"});
  EXPECT_EQ(matches("(?i:[A-C])", "aBd"), (Texts{"a", "B"}));
  EXPECT_EQ(matches("(?i:a(?-i:b)c)", "aBc Abc abC"), (Texts{"Abc", "abC"}));
  // Characters that fold to others, or to several.
  EXPECT_EQ(matches("(?i:'s|'k)", "'ſ'\u212A"), (Texts{"'ſ", "'\u212A"}));
  EXPECT_EQ(matches("(?i)ss", "ßSs"), (Texts{"ß", "Ss"}));
  EXPECT_EQ(matches("(?i)[ß]", "ẞSs"), (Texts{"ẞ", "Ss"}));
  EXPECT_EQ(matches("(?i)xss+", "xsSSx"), Texts{"xsSS"});
  // Garay, of Unicode 16.
  EXPECT_EQ(matches("(?i)\U00010D50", "\U00010D70"), Texts{"\U00010D70"});
  EXPECT_EQ(matches("(?i)[\U00010D50]", "\U00010D70"), Texts{"\U00010D70"});
}

static std::string normalized(const std::string &type, std::string_view text) {
  Json value = {{"type", type}};
  Budget budget(text.size());
  return TextNormalizer::fromJson(&value, "test").run(text, budget);
}

TEST(TextNormalizer, normal_forms_are_of_unicode_9) {
  // U+32FF is of Unicode 12.1, U+10781 of 14.
  EXPECT_EQ(normalized("NFKC", "\u32FE\u32FF\U00010781"),
            "\u30F2\u32FF\U00010781");
  // Newer marks, such as U+1DF6 of Unicode 10, are not sorted.
  EXPECT_EQ(normalized("NFD", "é\u0323"), "e\u0323\u0301");
  EXPECT_EQ(normalized("NFD", "é\u1DF6\u0323"), "e\u0301\u1DF6\u0323");
  EXPECT_EQ(normalized("NFC", "e\u1ACB\u0301"), "e\u1ACB\u0301");
}

TEST(UnicodeData, lower_case_and_numbers_are_of_unicode_17) {
  EXPECT_EQ(normalized("Lowercase", "Éẞ\uA7CB\U00016EA0"),
            "éß\u0264\U00016EBB");
  EXPECT_TRUE(isNumeric(0xBD));
  EXPECT_TRUE(isNumeric(0x11DE0));
  EXPECT_FALSE(isNumeric('a'));
}

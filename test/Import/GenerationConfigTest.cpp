// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/GenerationConfig.h"

#include "test/Import/ImportLlamaTesting.h"

using namespace llvm;
using namespace heddle;

namespace {

constexpr int64_t vocabulary = 100;

/// The attribute of the file that has these fields; "null" for none.
std::string read(StringRef fields) {
  mlir::MLIRContext context;
  Expected<GenerationConfig> config = parseGenerationConfig(
      asJson(("{" + fields + "}").str()), "generation_config.json", vocabulary);
  if (!config)
    return toString(config.takeError());
  std::string text;
  mlir::DictionaryAttr attribute = config->defaults.toAttribute(&context);
  raw_string_ostream stream(text);
  if (attribute)
    stream << attribute;
  else
    stream << "null";
  return text;
}

/// The error's text behind the file's name.
std::string failure(StringRef fields) {
  std::string text = read(fields);
  StringRef rest = text;
  EXPECT_TRUE(rest.consume_front("generation_config.json: field ")) << text;
  return rest.str();
}

TEST(GenerationConfig, readsSampling) {
  EXPECT_EQ(read(""), "null");
  // Llama 3.1 Instruct's; transformers' top_k is 50 where a file says nothing.
  EXPECT_EQ(read("'bos_token_id': 1, 'do_sample': true, 'temperature': 0.5, "
                 "'top_p': 0.75, 'transformers_version': '4.42.3'"),
            "{temperature = 5.000000e-01 : f64, top_k = 50 : i64, top_p = "
            "7.500000e-01 : f64}");
  EXPECT_EQ(read("'do_sample': true, 'top_k': null"),
            "{temperature = 1.000000e+00 : f64}");
  EXPECT_EQ(read("'do_sample': true, 'top_k': 20, 'min_p': 0.5, "
                 "'repetition_penalty': 1.5"),
            "{min_p = 5.000000e-01 : f64, repetition_penalty = 1.500000e+00 : "
            "f64, temperature = 1.000000e+00 : f64, top_k = 20 : i64}");
}

TEST(GenerationConfig, isGreedyWithoutSampling) {
  EXPECT_EQ(read("'temperature': 0.5"), "null");
  EXPECT_EQ(read("'do_sample': false, 'temperature': 0.0, 'top_k': 5"),
            "{top_k = 5 : i64}");
  EXPECT_EQ(read("'repetition_penalty': 2"),
            "{repetition_penalty = 2.000000e+00 : f64}");
}

TEST(GenerationConfig, readsSearchesAndLengths) {
  EXPECT_EQ(read("'num_beams': 1, 'length_penalty': 1.0"), "null");
  EXPECT_EQ(read("'num_beams': 4, 'early_stopping': true, 'top_k': 50, "
                 "'length_penalty': 0.5"),
            "{beams = 4 : i64, early_stopping = true, length_penalty = "
            "5.000000e-01 : f64}");
  EXPECT_EQ(read("'early_stopping': 'never', 'max_new_tokens': 7, "
                 "'max_length': 4096"),
            "{limit = 7 : i64}");
  EXPECT_EQ(read("'max_length': 4096"), "{maximum_length = 4096 : i64}");
}

TEST(GenerationConfig, negative_waysToChooseThatThereAreNot) {
  struct Field {
    StringRef name, neutral, other;
  };
  for (const Field &field : std::initializer_list<Field>{
           {"constraints", "[]", "[1]"},
           {"diversity_penalty", "0.0", "1.0"},
           {"dola_layers", "null", "'low'"},
           {"encoder_no_repeat_ngram_size", "0", "1"},
           {"encoder_repetition_penalty", "1.0", "1.5"},
           {"epsilon_cutoff", "0.0", "0.5"},
           {"eta_cutoff", "0.0", "0.5"},
           {"exponential_decay_length_penalty", "null", "[2, 1.5]"},
           {"force_words_ids", "[]", "[[3]]"},
           {"forced_bos_token_id", "null", "3"},
           {"generation_kwargs", "{}", "{'a': 1}"},
           {"guidance_scale", "1.0", "2.0"},
           {"max_time", "null", "1.5"},
           {"num_beam_groups", "1", "2"},
           {"num_return_sequences", "1", "2"},
           {"penalty_alpha", "0.0", "0.5"},
           {"remove_invalid_values", "false", "true"},
           {"sequence_bias", "null", "{'a': 1}"},
           {"stop_strings", "[]", "['a']"},
           {"token_healing", "false", "true"},
           {"top_h", "null", "0.5"},
           {"typical_p", "1.0", "0.5"},
           {"watermarking_config", "null", "{'a': 1}"}}) {
    std::string name = ("'" + field.name + "'").str();
    EXPECT_EQ(read(name + ": " + field.neutral.str()), "null") << name;
    EXPECT_EQ(StringRef(failure(name + ": " + field.other.str()))
                  .starts_with(name + ": expected "),
              true)
        << name;
  }
}

TEST(GenerationConfig, takesWhatChangesNothing) {
  EXPECT_EQ(read("'_from_model_config': true, 'pad_token_id': 0, 'use_cache': "
                 "false, 'no_repeat_ngram_size': 0, 'typical_p': 1.0, "
                 "'bad_words_ids': null, 'num_return_sequences': 1"),
            "null");
}

TEST(GenerationConfig, negative_fields) {
  EXPECT_EQ(failure("'typical_p': 0.5"),
            "'typical_p': expected 1 (nothing else is supported), got 0.5");
  EXPECT_EQ(failure("'stop_strings': ['x']"),
            "'stop_strings': expected null (nothing else is supported), got "
            "[\"x\"]");
  EXPECT_EQ(failure("'shiny': 3"),
            "'shiny' is not known to this importer; it may change the result");
  EXPECT_EQ(failure("'temperature': -1"),
            "'temperature': expected a finite number of at least 0, got -1");
  EXPECT_EQ(failure("'top_p': 0"),
            "'top_p': expected a number above 0 and up to 1, got 0");
  EXPECT_EQ(failure("'top_k': -1"),
            "'top_k': expected a non-negative integer, got -1");
  EXPECT_EQ(failure("'do_sample': 1"),
            "'do_sample': expected true or false, got 1");
  EXPECT_EQ(failure("'num_beams': 2, 'do_sample': true"),
            "'num_beams': expected 1 (with 'do_sample', as a search draws no "
            "ids), got 2");
  EXPECT_EQ(failure("'num_beams': 2, 'repetition_penalty': 2"),
            "'repetition_penalty': expected 1 (with 'num_beams', nothing else "
            "is supported), got 2");
  EXPECT_EQ(failure("'eos_token_id': [2, 100]"),
            "'eos_token_id[1]': expected a non-negative integer <= 99, got "
            "100");
}

TEST_F(ImportLlama, endsAsGenerationConfigSays) {
  mlir::Builder builder(&context);
  EXPECT_EQ((*import().module)->getAttr("heddle.eos"),
            builder.getDenseI64ArrayAttr({2, 3}));
  EXPECT_FALSE((*import().module)->hasAttr("heddle.generation"));
  folder.write("generation_config.json",
               asJson("{'eos_token_id': 4, 'max_new_tokens': 7}"));
  ImportedModel model = import();
  EXPECT_EQ((*model.module)->getAttr("heddle.eos"),
            builder.getDenseI64ArrayAttr({4}));
  EXPECT_EQ((*model.module)->getAttr("heddle.generation"),
            builder.getDictionaryAttr(
                builder.getNamedAttr("limit", builder.getI64IntegerAttr(7))));
  folder.write("generation_config.json", asJson("{'eos_token_id': 5}"));
  EXPECT_EQ(toString(tryImport(tied).takeError()),
            folder.path("generation_config.json") +
                ": field 'eos_token_id': expected a non-negative integer <= "
                "4, got 5");
}

// Where there is no generation_config.json.
TEST(GenerationConfig, readsOlderFolders) {
  TemporaryFolder folder;
  auto defaults = [&](StringRef fields) {
    folder.write("config.json", asJson(("{" + fields + "}").str()));
    auto config = readGenerationConfig(folder.path(), vocabulary);
    if (!config)
      return toString(config.takeError());
    EXPECT_FALSE(config->eosTokens);
    return std::to_string(config->defaults.beams) + " beams, " +
           std::to_string(config->defaults.maximumLength) + " ids";
  };
  EXPECT_EQ(defaults("'model_type': 'x', 'eos_token_id': 1, 'num_beams': 4, "
                     "'max_length': 142"),
            "4 beams, 142 ids");
  EXPECT_EQ(defaults("'num_beams': 1, 'max_length': 20"), "0 beams, 0 ids");
  EXPECT_EQ(defaults("'typical_p': 0.5"),
            folder.path("config.json") +
                ": field 'typical_p': expected 1 (nothing else is supported), "
                "got 0.5");
  folder.write("generation_config.json", "{}");
  EXPECT_EQ(defaults("'num_beams': 4"), "0 beams, 0 ids");
}

TEST(GenerationConfig, readsRules) {
  EXPECT_EQ(read("'suppress_tokens': [1, 2, 500], 'bad_words_ids': [[9], "
                 "[300]], 'begin_suppress_tokens': [7], 'min_length': 3, "
                 "'min_new_tokens': 2, 'no_repeat_ngram_size': 4, "
                 "'forced_eos_token_id': 0"),
            "{forced_last = 0 : i64, minimum_new = 2 : i64, suppressed_first = "
            "array<i64: 7>, suppressed_ids = "
            "array<i64: 1, 2>, unique_run = 4 : i64}");
  EXPECT_EQ(read("'min_length': 3"), "{minimum_length = 3 : i64}");
  EXPECT_EQ(read("'renormalize_logits': true"), "{renormalizes = true}");
  EXPECT_EQ(read("'suppress_tokens': null, 'bad_words_ids': [], "
                 "'begin_suppress_tokens': [], 'min_length': 0, "
                 "'forced_eos_token_id': null"),
            "null");
}

TEST(GenerationConfig, negative_rules) {
  EXPECT_EQ(failure("'bad_words_ids': [[9, 8]]"),
            "'bad_words_ids': expected a list of lists of one id each, got "
            "[[9,8]]");
  EXPECT_EQ(failure("'bad_words_ids': 9"),
            "'bad_words_ids': expected a list of lists of one id each, got 9");
  EXPECT_EQ(failure("'suppress_tokens': [-1]"),
            "'suppress_tokens[0]': expected a non-negative integer <= "
            "2147483647, got -1");
  EXPECT_EQ(failure("'forced_eos_token_id': 100"),
            "'forced_eos_token_id': expected a non-negative integer <= 99, got "
            "100");
}

// Marian's, BART's and Whisper's: languages and tasks are the program's.
TEST(GenerationConfig, ofEncoderDecoders) {
  std::string text =
      asJson("{'bad_words_ids': [[9]], 'decoder_start_token_id': 9, "
             "'forced_bos_token_id': 4, 'lang_to_id': {'<|de|>': 5}, "
             "'alignment_heads': [[0, 1]], 'is_multilingual': true}");
  auto config = parseGenerationConfig(text, "generation_config.json",
                                      vocabulary, ModelAnswers::Recordings);
  ASSERT_TRUE(bool(config)) << toString(config.takeError());
  EXPECT_EQ(config->decoderStart, 9);
  EXPECT_EQ(config->defaults.forcedFirst, 4);
  EXPECT_EQ(config->badWords, SmallVector<int64_t>({9}));
  EXPECT_TRUE(config->defaults.suppressedIds.empty());
}

// What is about recordings is no text's.
TEST(GenerationConfig, negative_ofTexts) {
  for (StringRef field :
       {"'lang_to_id': {'<|de|>': 5}", "'forced_decoder_ids': [[1, 5]]"}) {
    std::string text = asJson(("{" + field + "}").str());
    auto config = parseGenerationConfig(text, "generation_config.json",
                                        vocabulary, ModelAnswers::Texts);
    ASSERT_FALSE(bool(config));
    EXPECT_NE(
        toString(config.takeError()).find("is not known to this importer"),
        std::string::npos);
  }
}

TEST(GenerationConfig, negative_transcripts) {
  auto expect = [](StringRef fields, const std::string &message) {
    auto config = parseGenerationConfig(asJson(("{" + fields + "}").str()),
                                        "generation_config.json", vocabulary,
                                        ModelAnswers::Recordings);
    EXPECT_EQ(toString(config.takeError()),
              "generation_config.json: field " + message);
  };
  expect("'return_timestamps': true",
         "'return_timestamps': expected false (nothing else is supported), got "
         "true");
  expect("'language': 5", "'language': expected a string, got 5");
  expect("'lang_to_id': [1]", "'lang_to_id': expected an object, got [1]");
  expect("'task_to_id': {'sing': -1}",
         "'task_to_id': field 'sing': expected a non-negative integer <= "
         "2147483647, got -1");
}

} // namespace

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/SentenceTransformers.h"
#include "test/Import/FamiliesTesting.h"
#include "test/Import/ImportTesting.h"

using namespace llvm;
using namespace heddle;

namespace {

TEST(EncodersErrors, negative_positionsThatPaddingTakes) {
  expectError("RobertaModel", "roberta", "'max_position_embeddings': 2",
              "field 'max_position_embeddings': expected more than the 2 rows "
              "up to that of padding, got 2");
}

TEST(EncodersErrors, negative_labels) {
  expectError("BertForSequenceClassification", "bert", "'id2label': {}",
              "field 'id2label': expected an object with a label, got {}");
  expectError("BertForSequenceClassification", "bert",
              "'id2label': {'0': 'a'}, 'num_labels': 2",
              "field 'num_labels': expected as many as 'id2label' has, 1, "
              "got 2");
}

TEST(EncodersErrors, negative_relativePositions) {
  expectError("BertModel", "bert", "'position_embedding_type': 'relative_key'",
              "field 'position_embedding_type': expected \"absolute\" (nothing "
              "else is supported), got \"relative_key\"");
}

TEST(EncodersErrors, negative_rotaryOfOneKindOfLayers) {
  expectError("ModernBertModel", "modernbert",
              "'rope_parameters': {'full_attention': {'rope_theta': 5}}",
              "field 'rope_parameters': expected an object for "
              "'sliding_attention', got "
              "{\"full_attention\":{\"rope_theta\":5}}");
  expectError("ModernBertForSequenceClassification", "modernbert",
              "'classifier_pooling': 'max'",
              "field 'classifier_pooling': expected \"cls\" or \"mean\", got "
              "\"max\"");
}

TEST(EncodersErrors, negative_images) {
  expectError("ViTModel", "vit", "'image_size': [8, 8, 8]",
              "field 'image_size': expected a number, or a height and a width, "
              "got [8,8,8]");
  expectError("ViTModel", "vit", "'image_size': 8, 'patch_size': 16",
              "field 'patch_size': expected patches that an image of 8 x 8 "
              "has, got 16");
  expectError("ViTModel", "vit", "'patch_size': [4, 8]",
              "field 'patch_size': expected square patches (nothing else is "
              "supported), got [4,8]");
}

TEST(EncodersErrors, negative_recordings) {
  expectError("WhisperForConditionalGeneration", "whisper",
              "'max_source_positions': 1073739776",
              "field 'max_source_positions': expected at most 6710886, got "
              "1073739776");
  expectError("WhisperForConditionalGeneration", "whisper",
              "'num_mel_bins': 2147483647",
              "field 'num_mel_bins': expected a positive integer <= 201, got "
              "2147483647");
}

TEST(EncodersErrors, negative_fieldsOfATower) {
  expectError("CLIPModel", "clip",
              "'text_config': {}, 'text_config_dict': {'depth': 3}",
              "field 'text_config_dict': field 'depth' is not known to this "
              "importer; it may change the result");
  expectError("SiglipModel", "siglip", "'text_config_dict': {}",
              "field 'text_config_dict' is not known to this importer; it may "
              "change the result");
  expectError("CLIPModel", "clip", "'text_config': {'depth': 3}",
              "field 'text_config': field 'depth' is not known to this "
              "importer; it may change the result");
}

TEST(EncodersErrors, negative_gatesThatDisagree) {
  expectError("T5ForConditionalGeneration", "t5",
              "'feed_forward_proj': 'gated-gelu', 'is_gated_act': false",
              "field 'is_gated_act': expected true (nothing else is "
              "supported), got false");
  expectError("T5ForConditionalGeneration", "t5",
              "'feed_forward_proj': 'gated-gelu', 'dense_act_fn': 'relu'",
              "field 'dense_act_fn': expected what 'feed_forward_proj' has, "
              "got \"relu\"");
}

TEST(EncodersErrors, negative_buckets) {
  expectError("T5ForConditionalGeneration", "t5",
              "'relative_attention_num_buckets': 5",
              "field 'relative_attention_num_buckets': expected an even number "
              "from 4 to 256, got 5");
  expectError("T5ForConditionalGeneration", "t5",
              "'relative_attention_max_distance': 16",
              "field 'relative_attention_max_distance': expected more than "
              "half of 'relative_attention_num_buckets', and at most 65536, "
              "got 16");
}

TEST(EncodersErrors, negative_tableOfSines) {
  expectError("MarianMTModel", "marian",
              "'max_position_embeddings': 30000000, "
              "'is_encoder_decoder': true",
              "field 'max_position_embeddings': expected positions whose table "
              "takes at most 268435456 bytes, got 30000000");
}

TEST(EncodersErrors, negative_vocabularyOfItsOwn) {
  expectError("MarianMTModel", "marian",
              "'vocab_size': 50, 'decoder_vocab_size': 60, "
              "'is_encoder_decoder': true",
              "field 'decoder_vocab_size': expected 50 (nothing else is "
              "supported), got 60");
}

//===-- modules.json ------------------------------------------------------===//

class ModulesErrors : public testing::Test {
protected:
  TemporaryFolder folder;

  // A list of modules after a transformer, with the configs of their folders.
  void expectModulesError(StringRef modules, StringRef expected,
                          StringRef pooling = "{}") {
    ASSERT_FALSE(sys::fs::create_directories(folder.path("1_Pooling")));
    folder.write("1_Pooling/config.json", asJson(pooling.str()));
    folder.write("modules.json", asJson(modules.str()));
    auto read = readSentenceModules(folder.path());
    ASSERT_FALSE(bool(read)) << "expected: " << expected.str();
    EXPECT_NE(toString(read.takeError()).find(expected), std::string::npos);
  }

  static std::string after(StringRef modules) {
    return ("[{'type': 'sentence_transformers.models.Transformer', 'path': "
            "''}" +
            modules + "]")
        .str();
  }
};

const char pooling[] =
    ", {'type': 'sentence_transformers.models.Pooling', 'path': '1_Pooling'}";

TEST_F(ModulesErrors, negative_order) {
  expectModulesError("{}", "expected a JSON array");
  expectModulesError(after(""), "expected a Transformer, then a Pooling");
  expectModulesError(after(std::string(pooling) + pooling),
                     "no other Pooling after that");
  expectModulesError("[" + std::string(pooling + 2) + "]",
                     "field 'type': expected the Transformer as the first "
                     "module");
}

TEST_F(ModulesErrors, negative_kinds) {
  expectModulesError(
      after(", {'type': 'sentence_transformers.models.LSTM', 'path': 'x'}"),
      "expected one of the modules Transformer, Pooling, Dense, Normalize, "
      "Dropout");
  expectModulesError(after(", {'type': 'mine.Pooling', 'path': '1_Pooling'}"),
                     "field 'type': expected a class of sentence_transformers");
  expectModulesError(
      after(", {'type': 'sentence_transformers.models.Pooling', 'path': "
            "'../x'}"),
      "field 'path': expected a folder inside of this one");
}

TEST_F(ModulesErrors, negative_pooling) {
  expectModulesError(after(pooling),
                     "field 'pooling_mode': expected one of \"cls\"",
                     "{'pooling_mode': 'median'}");
  expectModulesError(after(pooling),
                     "field 'pooling_mode': expected at least one mode",
                     "{'pooling_mode_mean_tokens': false}");
  expectModulesError(after(pooling), "field 'include_prompt': expected true",
                     "{'include_prompt': false}");
}

TEST_F(ModulesErrors, negative_channelsOfDenseLayers) {
  ASSERT_FALSE(sys::fs::create_directories(folder.path("2_Dense")));
  folder.write("2_Dense/config.json",
               asJson("{'in_features': 6, 'out_features': 4}"));
  expectModulesError(
      after(std::string(pooling) +
            ", {'type': 'sentence_transformers.models.Dense', 'path': "
            "'2_Dense'}"),
      "field 'in_features': expected 16, the channels of the stage before, got "
      "6",
      "{'word_embedding_dimension': 8, 'pooling_mode_cls_token': true, "
      "'pooling_mode_mean_tokens': true}");
}

TEST_F(ModulesErrors, negative_channelsSaidTwice) {
  expectModulesError(after(pooling),
                     "field 'embedding_dimension': expected the same as "
                     "'word_embedding_dimension', 8, got 9",
                     "{'word_embedding_dimension': 8, 'embedding_dimension': "
                     "9, 'pooling_mode_cls_token': true}");
}

TEST_F(ModulesErrors, negative_textsThatAreChanged) {
  folder.write("sentence_bert_config.json", asJson("{'do_lower_case': true}"));
  expectModulesError(after(pooling), "field 'do_lower_case': expected false");
}

TEST_F(ModulesErrors, negative_prompts) {
  folder.write("config_sentence_transformers.json",
               asJson("{'default_prompt_name': 'query'}"));
  expectModulesError(after(pooling),
                     "field 'default_prompt_name': expected null");
}

} // namespace

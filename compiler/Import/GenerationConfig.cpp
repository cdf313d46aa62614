// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/GenerationConfig.h"

#include "compiler/Import/GenerationRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

//===-- fields ------------------------------------------------------------===//

/// Fields that are read below.
static constexpr StringLiteral honoured[] = {
    "decoder_start_token_id",
    "do_sample",
    "early_stopping",
    "eos_token_id",
    "length_penalty",
    "max_length",
    "max_new_tokens",
    "min_p",
    "num_beams",
    "repetition_penalty",
    "temperature",
    "top_k",
    "top_p",
};

/// Fields that do not change which ids an answer has.
static constexpr StringLiteral harmless[] = {
    // Where the file comes from.
    "_commit_hash",
    "_from_model_config",
    "_name_or_path",
    "transformers.js_config",
    "transformers_version",
    // Tokens that the tokenizer adds, or that fill up batches.
    "bos_token_id",
    "pad_token_id",
    // Results beside the ids.
    "output_attentions",
    "output_hidden_states",
    "output_logits",
    "output_scores",
    "return_dict_in_generate",
    "return_legacy_cache",
    // How other software computes the same.
    "cache_config",
    "cache_implementation",
    "compile_config",
    "disable_compile",
    "low_memory",
    "max_matching_ngram_size",
    "prefill_chunk_size",
    "prompt_lookup_num_tokens",
    "use_cache",
    // A smaller model may guess ids, which this one has to confirm.
    "assistant_confidence_threshold",
    "assistant_early_exit",
    "assistant_lookbehind",
    "is_assistant",
    "num_assistant_tokens",
    "num_assistant_tokens_schedule",
    "speculation_threshold",
    "target_lookbehind",
};

namespace {
struct UnsupportedField {
  StringLiteral name;
  /// The one value, as JSON text, that changes nothing. Null does so, too, and
  /// a list of none.
  StringLiteral neutral;
};
} // namespace

/// Fields about transcripts, whose first ids are those of a language and a
/// task: the text library reads them.
static constexpr StringLiteral ofTranscripts[] = {
    "alignment_heads",
    "forced_decoder_ids",
    "is_multilingual",
    "lang_to_id",
    "language",
    "max_initial_timestamp_index",
    "median_filter_width",
    "no_timestamps_token_id",
    "prev_sot_token_id",
    "return_timestamps",
    "task",
    "task_to_id",
};

/// Ways to choose ids that there are not here.
static constexpr UnsupportedField unsupported[] = {
    {"constraints", "null"},
    {"diversity_penalty", "0"},
    {"dola_layers", "null"},
    {"encoder_no_repeat_ngram_size", "0"},
    {"encoder_repetition_penalty", "1"},
    {"epsilon_cutoff", "0"},
    {"eta_cutoff", "0"},
    {"exponential_decay_length_penalty", "null"},
    {"force_words_ids", "null"},
    {"generation_kwargs", "{}"},
    {"guidance_scale", "1"},
    {"max_time", "null"},
    {"num_beam_groups", "1"},
    {"num_return_sequences", "1"},
    {"penalty_alpha", "0"},
    {"remove_invalid_values", "false"},
    {"sequence_bias", "null"},
    {"stop_strings", "null"},
    {"token_healing", "false"},
    {"top_h", "null"},
    {"typical_p", "1"},
    {"watermarking_config", "null"},
};

/// Fields about answers of `config.json`, where older folders have them. The
/// model's description reads the ends and the starts.
static json::Object answersOf(const json::Object &config) {
  json::Object fields;
  for (const auto &[key, value] : config) {
    StringRef name = key;
    bool isAbout =
        is_contained(honoured, name) ||
        is_contained(generationRuleFields(), name) ||
        any_of(unsupported, [&](const auto &f) { return f.name == name; });
    // Files that have all fields, chosen or not, have this.
    bool isDefault = name == "max_length" && value == json::Value(20);
    if (isAbout && !isDefault && name != "eos_token_id" &&
        name != "decoder_start_token_id")
      fields[name] = value;
  }
  return fields;
}

static bool isEmptyArray(const json::Value &value) {
  return value.getAsArray() && value.getAsArray()->empty();
}

static void checkFields(JsonFields &fields, const json::Object &object,
                        ModelAnswers answers) {
  for (StringRef name : sortedKeys(object)) {
    if (is_contained(honoured, name) || is_contained(harmless, name) ||
        is_contained(generationRuleFields(), name) ||
        (answers == ModelAnswers::Recordings &&
         is_contained(ofTranscripts, name)))
      continue;
    const UnsupportedField *known = find_if(
        unsupported, [&](const UnsupportedField &f) { return f.name == name; });
    if (known == std::end(unsupported))
      fields.rejectUnknown(name);
    // The table's text is well-formed.
    else if (fields.has(name) && !isEmptyArray(*object.get(name)) &&
             *object.get(name) != cantFail(json::parse(known->neutral)))
      fields.fail(name, known->neutral + " (nothing else is supported)");
  }
}

//===-- values ------------------------------------------------------------===//

/// The number of a field of GenerationDefaults; `fallback` where there is none.
static float readNumber(JsonFields &fields, const json::Object &object,
                        StringRef name, float GenerationDefaults::*field,
                        float fallback) {
  if (!fields.has(name))
    return fallback;
  const GenerationDefaults::Range &range = GenerationDefaults::rangeOf(field);
  std::optional<double> number = object.get(name)->getAsNumber();
  float value = number ? float(*number) : 0;
  if (number && value >= range.least && value <= range.most)
    return value;
  fields.fail(name, range.expected);
  return fallback;
}

static int64_t readCount(JsonFields &fields, StringRef name, int64_t least,
                         int64_t most, int64_t fallback) {
  return fields.has(name) ? fields.integer(name, least, most) : fallback;
}

static void readSampling(JsonFields &fields, const json::Object &object,
                         GenerationDefaults &defaults) {
  const bool samples =
      fields.has("do_sample") && fields.boolean("do_sample", false);
  auto number = [&](StringRef name, float GenerationDefaults::*field,
                    float fallback) {
    return readNumber(fields, object, name, field, fallback);
  };
  float temperature =
      number("temperature", &GenerationDefaults::temperature, 1);
  defaults.temperature = samples ? temperature : 0;
  defaults.topP = number("top_p", &GenerationDefaults::topP, 1);
  defaults.minP = number("min_p", &GenerationDefaults::minP, 0);
  defaults.repetitionPenalty =
      number("repetition_penalty", &GenerationDefaults::repetitionPenalty, 1);
  // Null asks for all.
  bool hasDefault = samples && !object.get("top_k");
  defaults.topK = readCount(fields, "top_k", 0, INT64_MAX, hasDefault ? 50 : 0);
}

/// After readSampling.
static void readSearch(JsonFields &fields, const json::Object &object,
                       GenerationDefaults &defaults) {
  int64_t beams =
      readCount(fields, "num_beams", 1, GenerationDefaults::kMostBeams, 1);
  defaults.lengthPenalty =
      readNumber(fields, object, "length_penalty",
                 &GenerationDefaults::lengthPenalty, defaults.lengthPenalty);
  const json::Value *stopping = object.get("early_stopping");
  if (fields.has("early_stopping") && *stopping != json::Value("never"))
    defaults.earlyStopping = fields.boolean("early_stopping");
  if (beams == 1)
    return;
  if (defaults.temperature != 0)
    fields.fail("num_beams", "1 (with 'do_sample', as a search draws no ids)");
  if (defaults.repetitionPenalty != 1)
    fields.fail("repetition_penalty",
                "1 (with 'num_beams', nothing else is supported)");
  defaults.beams = beams;
  // They are of samples alone.
  defaults.topK = 0;
  defaults.topP = 1;
  defaults.minP = 0;
}

static void readEnds(JsonFields &fields, const json::Object &object,
                     int64_t vocabularySize, GenerationConfig &config) {
  constexpr StringLiteral name = "eos_token_id";
  if (object.getArray(name))
    config.eosTokens = fields.integers(name, 0, vocabularySize - 1);
  else if (fields.has(name))
    config.eosTokens = {fields.integer(name, 0, vocabularySize - 1)};
}

static void readStart(JsonFields &fields, int64_t vocabularySize,
                      GenerationConfig &config) {
  constexpr StringLiteral name = "decoder_start_token_id";
  if (fields.has(name))
    config.decoderStart = fields.integer(name, 0, vocabularySize - 1);
}

/// Values that the text library reads: whether they are well-formed shows here.
static void checkTranscripts(JsonFields &fields, StringRef file) {
  for (StringRef name : {"lang_to_id", "task_to_id"}) {
    if (!fields.has(name))
      continue;
    const json::Object &ids = fields.object(name);
    JsonFields inner(ids, (file + ": field '" + name + "'").str());
    for (StringRef key : sortedKeys(ids))
      inner.integer(key, 0, INT32_MAX);
    fields.merge(inner);
  }
  for (StringRef name : {"language", "task"})
    if (fields.has(name))
      fields.text(name);
  if (fields.has("no_timestamps_token_id"))
    fields.integer("no_timestamps_token_id", 0, INT32_MAX);
  if (fields.has("is_multilingual"))
    fields.boolean("is_multilingual");
  if (fields.has("return_timestamps") && fields.boolean("return_timestamps"))
    fields.fail("return_timestamps", "false (nothing else is supported)");
}

//===-- the file ----------------------------------------------------------===//

static Expected<GenerationConfig> readConfig(const json::Object &object,
                                             StringRef file,
                                             int64_t vocabularySize,
                                             ModelAnswers answers) {
  GenerationConfig config;
  JsonFields fields(object, file.str());
  checkFields(fields, object, answers);
  if (answers != ModelAnswers::Prompts)
    readStart(fields, vocabularySize, config);
  readSampling(fields, object, config.defaults);
  readSearch(fields, object, config.defaults);
  readEnds(fields, object, vocabularySize, config);
  readGenerationRules(fields, object, vocabularySize,
                      answers != ModelAnswers::Prompts, config.defaults,
                      config.badWords);
  if (answers == ModelAnswers::Recordings)
    checkTranscripts(fields, file);
  config.defaults.limit = readCount(fields, "max_new_tokens", 1, INT32_MAX, 0);
  int64_t length = readCount(fields, "max_length", 1, INT32_MAX, 0);
  // transformers, too, takes the first where both are there.
  if (!config.defaults.limit)
    config.defaults.maximumLength = length;
  if (Error error = fields.takeError())
    return error;
  return config;
}

Expected<GenerationConfig> heddle::parseGenerationConfig(StringRef text,
                                                         StringRef file,
                                                         int64_t vocabularySize,
                                                         ModelAnswers answers) {
  Expected<json::Object> object = parseJsonObject(text, file);
  if (!object)
    return object.takeError();
  return readConfig(*object, file, vocabularySize, answers);
}

Expected<GenerationConfig> heddle::readGenerationConfig(StringRef folder,
                                                        int64_t vocabularySize,
                                                        ModelAnswers answers) {
  SmallString<128> path(folder);
  sys::path::append(path, "generation_config.json");
  // A link that leads nowhere is there, and is found to be no file.
  sys::fs::file_status status;
  const bool isMissing = bool(sys::fs::status(path, status, /*follow=*/false));
  if (isMissing) {
    sys::path::remove_filename(path);
    sys::path::append(path, "config.json");
  }
  Expected<json::Object> object = readJsonFile(path);
  if (!object)
    return object.takeError();
  return readConfig(isMissing ? answersOf(*object) : *object, path,
                    vocabularySize, answers);
}

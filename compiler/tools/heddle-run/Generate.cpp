// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run generate: continues text, or token ids.

#include "compiler/tools/heddle-run/AnswerOutput.h"
#include "compiler/tools/heddle-run/AnswerText.h"
#include "compiler/tools/heddle-run/Tokenizers.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand command("generate", "Continues text or token ids");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
// What is not given is as the model's folder wants it
// (generation_config.json), and as its description says where that is silent.
static cl::opt<std::string> prompt("prompt", cl::value_desc("text"),
                                   cl::sub(command),
                                   cl::desc("Text to continue"));
static cl::list<int> promptIds("ids", cl::CommaSeparated,
                               cl::value_desc("1,2,..."), cl::sub(command),
                               cl::desc("Token ids to continue"));
static cl::opt<std::string>
    tokenizerFolder("tokenizer", cl::value_desc("path"), cl::sub(command),
                    cl::desc("Folder of tokenizer.json or tokenizer.model, or "
                             "a .gguf file; without one, ids are printed"));
static cl::opt<int64_t>
    tokens("tokens", cl::value_desc("count"), cl::sub(command),
           cl::desc("Tokens to generate (default: the model's, or 128)"));
static cl::opt<float> temperature(
    "temperature", cl::sub(command),
    cl::desc("Divides the logits; 0 takes the likeliest (default: the "
             "model's, or 0)"));
static cl::opt<int64_t> topK("top-k", cl::sub(command),
                             cl::desc("Draw from so many of the likeliest; 0 "
                                      "is all (default: the model's, or 0)"));
static cl::opt<float>
    topP("top-p", cl::sub(command),
         cl::desc("Draw from the likeliest whose probabilities reach this "
                  "(default: the model's, or 1)"));
static cl::opt<float>
    minP("min-p", cl::sub(command),
         cl::desc("Draw from those that have this share of the largest "
                  "probability (default: the model's, or 0)"));
static cl::opt<float> repetitionPenalty(
    "repetition-penalty", cl::sub(command),
    cl::desc("Above 1, makes ids less likely that the prompt or the "
             "continuation has (default: the model's, or 1)"));
static cl::opt<uint64_t> seed("seed", cl::sub(command),
                              cl::desc("Seed of the draws (default 0)"));
static cl::opt<int64_t>
    beams("beams", cl::value_desc("count"), cl::sub(command),
          cl::desc("Search with so many beams and show the best continuation, "
                   "instead of choosing id by id (default: the model's)"));
static cl::opt<float> lengthPenalty(
    "length-penalty", cl::sub(command),
    cl::desc("With --beams: scores are divided by length to this power "
             "(default: the model's, or 1)"));
static cl::list<int>
    endIds("eos", cl::CommaSeparated, cl::value_desc("id,..."),
           cl::sub(command),
           cl::desc("Ids to stop at (default: those that the tokenizer folder "
                    "says, or else the model)"));
static cl::list<int> startIds(
    "start", cl::CommaSeparated, cl::value_desc("id,..."), cl::sub(command),
    cl::desc("Of an encoder-decoder: ids that answers begin with, such as that "
             "of a language (default: the model's)"));
static cl::list<std::string>
    stopStrings("stop", cl::value_desc("text"), cl::sub(command),
                cl::desc("Text to stop at, which is not shown; may be given "
                         "several times"));
static cl::opt<bool>
    chat("chat", cl::sub(command),
         cl::desc("Write the prompt as a user's message, as the chat template "
                  "of the tokenizer folder does"));
static cl::opt<std::string>
    systemMessage("system", cl::value_desc("text"), cl::sub(command),
                  cl::desc("With --chat: the message of the system before it"));
static cl::opt<bool> echo("echo", cl::sub(command),
                          cl::desc("Show the prompt before what follows it"));
static cl::opt<bool>
    stats("stats", cl::sub(command),
          cl::desc("Print the speed on standard error at the end"));

// --prompt as the words of a user, and what follows them the assistant's.
static Expected<std::string> applyChat(const heddle_tokenizer &tokenizer) {
  std::vector<heddle_message> messages;
  if (systemMessage.getNumOccurrences())
    messages.push_back({"system", systemMessage.c_str()});
  messages.push_back({"user", prompt.c_str()});
  char *text = nullptr;
  size_t size = 0;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_tokenizer_apply_chat(&tokenizer, messages.data(),
                                      messages.size(), 1, &text, &size, &error),
          error))
    return failure;
  std::string result(text, size);
  heddle_text_free(text);
  return result;
}

static Expected<std::vector<int32_t>>
findPrompt(const heddle_tokenizer *tokenizer) {
  bool hasText = prompt.getNumOccurrences() > 0;
  bool hasIds = promptIds.getNumOccurrences() > 0;
  if (hasText == hasIds)
    return createStringError(
        hasText ? "--prompt and --ids are given, expected one of them"
                : "there is nothing to continue: expected --prompt or --ids");
  std::vector<int32_t> ids(promptIds.begin(), promptIds.end());
  if (hasText) {
    if (!tokenizer)
      return createStringError("--prompt needs --tokenizer=FOLDER");
    Expected<std::string> text =
        chat ? applyChat(*tokenizer) : Expected<std::string>(prompt);
    if (!text)
      return text.takeError();
    // A chat template writes special tokens itself.
    auto encoded = encode(*tokenizer, *text, /*addSpecial=*/!chat);
    if (!encoded)
      return encoded;
    ids = std::move(*encoded);
  }
  if (ids.empty())
    return createStringError("the prompt has no token");
  return ids;
}

// Replaces what an option is given for.
template <typename Option, typename Value>
static void override(const Option &option, Value &value) {
  if (option.getNumOccurrences())
    value = static_cast<Value>(option);
}

// --beams asks for a search in place of draws, --temperature for the contrary.
static void overrideSampling(heddle_generator_options &generation) {
  if (beams.getNumOccurrences())
    generation.sampling = HEDDLE_GREEDY;
  else if (temperature.getNumOccurrences())
    generation.beams = 0;
  heddle_sampling &sampling = generation.sampling;
  override(temperature, sampling.temperature);
  override(topK, sampling.top_k);
  override(topP, sampling.top_p);
  override(minP, sampling.min_p);
  override(repetitionPenalty, sampling.repetition_penalty);
}

// What is wrong with options, before a model is loaded.
static Error checkOptions() {
  if (tokens.getNumOccurrences() && tokens < 1)
    return createStringError("--tokens is %lld, expected at least 1",
                             static_cast<long long>(tokens));
  bool hasBeams = beams.getNumOccurrences() > 0;
  if (hasBeams && beams < 1)
    return createStringError("--beams is %lld, expected at least 1",
                             static_cast<long long>(beams));
  const cl::Option *const choices[] = {&temperature,       &topK, &topP, &minP,
                                       &repetitionPenalty, &seed};
  for (const cl::Option *choice : choices)
    if (hasBeams && choice->getNumOccurrences())
      return createStringError("--beams and --" + choice->ArgStr +
                               " are given, expected one of them");
  bool hasTokenizer = tokenizerFolder.getNumOccurrences() > 0;
  const cl::Option *const ofText[] = {std::addressof(stopStrings), &chat,
                                      &echo};
  for (const cl::Option *choice : ofText)
    if (choice->getNumOccurrences() && !hasTokenizer)
      return createStringError("--" + choice->ArgStr +
                               " needs --tokenizer=FOLDER");
  if (systemMessage.getNumOccurrences() && !chat)
    return createStringError("--system needs --chat");
  if ((chat || echo) && !prompt.getNumOccurrences())
    return createStringError(Twine(chat ? "--chat" : "--echo") +
                             " needs --prompt=TEXT");
  heddle_generator_options given = HEDDLE_GENERATOR_OPTIONS;
  overrideSampling(given);
  heddle_error error = {};
  return toError(heddle_check_sampling(&given.sampling, &error), error);
}

// What the model's folder asks for, and in its place what is given.
static Expected<heddle_generator_options>
generationOptions(const heddle_model &model,
                  const heddle_tokenizer *tokenizer) {
  auto generation = defaultGeneration(model, tokenizer);
  if (!generation)
    return generation;
  overrideSampling(*generation);
  override(seed, generation->seed);
  override(beams, generation->beams);
  override(lengthPenalty, generation->length_penalty);
  if (tokens.getNumOccurrences()) {
    generation->limit = tokens;
    generation->maximum_length = 0;
  }
  if (!generation->beams && lengthPenalty.getNumOccurrences())
    return createStringError("--length-penalty needs --beams=COUNT");
  const cl::Option *const ofDraws[] = {&topK, &topP, &minP, &seed};
  for (const cl::Option *choice : ofDraws)
    if (generation->sampling.temperature == 0 && choice->getNumOccurrences())
      return createStringError("--" + choice->ArgStr +
                               " needs --temperature above 0, without which "
                               "the likeliest id is chosen");
  return generation;
}

// Names the defaults of the model's folder that no option has replaced.
static void noteDefaults(const heddle_model &model,
                         const heddle_generator_options &generation) {
  heddle_generator_options asked = HEDDLE_GENERATOR_OPTIONS;
  (void)heddle_generator_default_options(&model, nullptr, &asked, nullptr);
  heddle_generator_options kept = HEDDLE_GENERATOR_OPTIONS;
  auto keep = [](const cl::Option &option, auto used, auto asked, auto &kept) {
    if (!option.getNumOccurrences() && used == asked)
      kept = used;
  };
  const heddle_sampling &used = generation.sampling, &folder = asked.sampling;
  keep(temperature, used.temperature, folder.temperature,
       kept.sampling.temperature);
  keep(repetitionPenalty, used.repetition_penalty, folder.repetition_penalty,
       kept.sampling.repetition_penalty);
  if (used.temperature != 0) { // otherwise nothing is drawn
    keep(topK, used.top_k, folder.top_k, kept.sampling.top_k);
    keep(topP, used.top_p, folder.top_p, kept.sampling.top_p);
    keep(minP, used.min_p, folder.min_p, kept.sampling.min_p);
  }
  keep(beams, generation.beams, asked.beams, kept.beams);
  if (generation.beams) {
    keep(lengthPenalty, generation.length_penalty, asked.length_penalty,
         kept.length_penalty);
    kept.early_stopping = generation.early_stopping;
  }
  kept.rules = generation.rules; // for which there are no options
  keep(tokens, generation.limit, asked.limit, kept.limit);
  keep(tokens, generation.maximum_length, asked.maximum_length,
       kept.maximum_length);
  std::string text = describeAnswers(kept);
  if (!text.empty())
    WithColor::note(errs(), "heddle-run")
        << "with the model's own defaults: " << text << "\n";
}

// Ids that no model gives are a slip of the pen; those of a folder's
// config.json may be another model's.
static Error checkIds(const cl::list<int> &ids, int64_t vocabulary) {
  for (int32_t id : ids)
    if (id < 0 || id >= vocabulary)
      return createStringError("--" + ids.ArgStr + ": expected ids from 0 to " +
                               Twine(vocabulary - 1) + ", found " + Twine(id));
  return Error::success();
}

// Replaces ids that are an option's, and gives the session the room that it
// needs for a prompt of `length` ids.
static Error finishOptions(const heddle_decoder &decoder, int64_t length,
                           ArrayRef<int32_t> starts, ArrayRef<int32_t> ends,
                           heddle_generator_options &generation) {
  if (!ends.empty()) {
    generation.end_ids = ends.data();
    generation.end_count = ends.size();
  }
  if (!starts.empty()) {
    generation.start_ids = starts.data();
    generation.start_count = starts.size();
  }
  if (!decoder.encode.entry) {
    if (!starts.empty())
      return createStringError("--start needs an encoder-decoder");
    int64_t positions = LoadedModel::positionsOf(decoder);
    generation.capacity =
        std::min(positions, length + std::min(generation.limit, positions));
    generation.prefill_length = std::min(length, generation.capacity);
  }
  if (Error error = checkIds(startIds, decoder.prefill.vocabulary))
    return error;
  return checkIds(endIds, decoder.prefill.vocabulary);
}

static Error generate() {
  if (Error error = checkOptions())
    return error;
  Expected<TokenizerHandle> tokenizer = openTokenizer(tokenizerFolder);
  if (!tokenizer)
    return tokenizer.takeError();
  Expected<std::vector<int32_t>> ids = findPrompt(tokenizer->get());
  if (!ids)
    return ids.takeError();
  int64_t length = static_cast<int64_t>(ids->size());
  heddle_generator_options generation = HEDDLE_GENERATOR_OPTIONS;
  std::vector<int32_t> starts(startIds.begin(), startIds.end());
  std::vector<int32_t> ends(endIds.begin(), endIds.end());
  auto check = [&](const heddle_model &model,
                   const heddle_decoder &decoder) -> Error {
    auto found = generationOptions(model, tokenizer->get());
    if (!found)
      return found.takeError();
    generation = *found;
    return finishOptions(decoder, length, starts, ends, generation);
  };
  Expected<LoadedModel> model =
      LoadedModel::openDecoder(options.names(), threadOptions, check);
  if (!model)
    return model.takeError();
  noteDefaults(model->artifact.model(), generation);

  auto stops = map_to_vector(
      stopStrings, [](const std::string &text) { return text.c_str(); });
  generation.stops = stops.data();
  generation.stop_count = stops.size();
  heddle_context context = model->context();
  auto generator =
      createGenerator(*model, context, tokenizer->get(), generation);
  if (!generator)
    return generator.takeError();
  heddle_error error = {};
  if (Error failure =
          toError(heddle_generator_prompt(generator->get(), ids->data(),
                                          ids->size(), &error),
                  error))
    return failure;
  if (echo)
    outs() << prompt;
  if (Error failure = showAnswer(**generator, bool(*tokenizer), generation))
    return failure;
  if (stats)
    printStats(**generator);
  return Error::success();
}

Command heddle::generateCommand() {
  return {&command, generate, [](OptionValues &values) {
            values.addText(prompt)
                .addText(systemMessage)
                .add(promptIds)
                .add(tokens)
                .add(temperature)
                .add(topK);
            values.add(topP).add(minP).add(repetitionPenalty).add(seed);
            values.add(beams).add(lengthPenalty).add(endIds).add(startIds);
            values.add(threadOptions.threads);
          }};
}

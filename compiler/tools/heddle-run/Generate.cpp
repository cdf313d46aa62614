// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run generate: continues text, or token ids.

#include "compiler/Import/JsonFields.h"
#include "compiler/tools/heddle-run/Continuation.h"
#include "compiler/tools/heddle-run/Session.h"
#include "compiler/tools/heddle-run/Tokenizer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand command("generate", "Continues text or token ids");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
static cl::opt<std::string> prompt("prompt", cl::value_desc("text"),
                                   cl::sub(command),
                                   cl::desc("Text to continue"));
static cl::list<int> promptIds("ids", cl::CommaSeparated,
                               cl::value_desc("1,2,..."), cl::sub(command),
                               cl::desc("Token ids to continue"));
static cl::opt<std::string>
    tokenizerFolder("tokenizer", cl::value_desc("folder"), cl::sub(command),
                    cl::desc("Folder of tokenizer.json or tokenizer.model; "
                             "without one, ids are printed"));
static cl::opt<int64_t> tokens("tokens", cl::init(128), cl::value_desc("count"),
                               cl::sub(command),
                               cl::desc("Tokens to generate (default 128)"));
static cl::opt<float> temperature(
    "temperature", cl::init(0), cl::sub(command),
    cl::desc("Divides the logits; 0 takes the likeliest (default)"));
static cl::opt<int64_t> topK("top-k", cl::init(0), cl::sub(command),
                             cl::desc("Draw from so many of the likeliest; 0 "
                                      "is all (default)"));
static cl::opt<float>
    topP("top-p", cl::init(1), cl::sub(command),
         cl::desc("Draw from the likeliest whose probabilities reach this "
                  "(default 1)"));
static cl::opt<float>
    minP("min-p", cl::init(0), cl::sub(command),
         cl::desc("Draw from those that have this share of the largest "
                  "probability (default 0)"));
static cl::opt<float> repetitionPenalty(
    "repetition-penalty", cl::init(1), cl::sub(command),
    cl::desc("Above 1, makes ids less likely that the prompt or the "
             "continuation has (default 1)"));
static cl::opt<uint64_t> seed("seed", cl::init(0), cl::sub(command),
                              cl::desc("Seed of the draws (default 0)"));
static cl::opt<int64_t>
    beams("beams", cl::init(1), cl::value_desc("count"), cl::sub(command),
          cl::desc("Search with so many beams and show the best continuation, "
                   "instead of choosing id by id"));
static cl::opt<float> lengthPenalty(
    "length-penalty", cl::init(1), cl::sub(command),
    cl::desc("With --beams: scores are divided by length to this power "
             "(default 1)"));
static cl::list<int>
    endIds("eos", cl::CommaSeparated, cl::value_desc("id,..."),
           cl::sub(command),
           cl::desc("Ids to stop at (default: eos_token_id of the tokenizer "
                    "folder's config.json)"));
static cl::opt<bool>
    stats("stats", cl::sub(command),
          cl::desc("Print the speed on standard error at the end"));

// --eos, or what config.json says: an id, a list of ids or nothing.
static Expected<std::vector<int32_t>> findEndIds() {
  if (endIds.getNumOccurrences())
    return std::vector<int32_t>(endIds.begin(), endIds.end());
  SmallString<128> path(tokenizerFolder);
  sys::path::append(path, "config.json");
  std::vector<int32_t> ids;
  if (tokenizerFolder.empty() || !sys::fs::exists(path))
    return ids;
  Expected<json::Object> config = readJsonFile(path);
  if (!config)
    return config.takeError();
  JsonFields fields(*config, std::string(path));
  constexpr StringLiteral name = "eos_token_id";
  if (!fields.has(name))
    return ids;
  if (config->getArray(name))
    append_range(ids, fields.integers(name, 0, INT32_MAX));
  else
    ids.push_back(fields.integer(name, 0, INT32_MAX));
  if (Error error = fields.takeError())
    return error;
  return ids;
}

static Expected<std::vector<int32_t>> findPrompt(const Tokenizer *tokenizer) {
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
    Expected<std::vector<int32_t>> encoded = tokenizer->encode(prompt);
    if (!encoded)
      return encoded;
    ids = std::move(*encoded);
  }
  if (ids.empty())
    return createStringError("the prompt has no token");
  return ids;
}

namespace {

/// Shows what is generated at once: as text where there is a tokenizer.
class Output {
public:
  Output(const Tokenizer *tokenizer, ArrayRef<int32_t> prompt) {
    if (tokenizer)
      stream.emplace(*tokenizer, prompt);
  }

  Error show(int32_t id) {
    if (!stream) {
      outs() << (isFirst ? "" : ",") << id;
      isFirst = false;
    } else {
      Expected<std::string> text = stream->push(id);
      if (!text)
        return text.takeError();
      outs() << *text;
    }
    outs().flush();
    return Error::success();
  }

  Error finish() {
    if (stream) {
      Expected<std::string> text = stream->finish();
      if (!text)
        return text.takeError();
      outs() << *text;
    }
    outs() << "\n";
    outs().flush();
    return Error::success();
  }

private:
  std::optional<TokenStream> stream;
  bool isFirst = true;
};

} // namespace

static heddle_sampling samplingOptions() {
  heddle_sampling sampling = HEDDLE_GREEDY;
  sampling.temperature = temperature;
  sampling.top_k = topK;
  sampling.top_p = topP;
  sampling.min_p = minP;
  sampling.repetition_penalty = repetitionPenalty;
  return sampling;
}

// What is wrong with options, before a model is loaded.
static Error checkOptions() {
  if (tokens < 1)
    return createStringError("--tokens is %lld, expected at least 1",
                             static_cast<long long>(tokens));
  bool hasBeams = beams.getNumOccurrences() > 0;
  if (hasBeams && beams < 1)
    return createStringError("--beams is %lld, expected at least 1",
                             static_cast<long long>(beams));
  if (!hasBeams && lengthPenalty.getNumOccurrences())
    return createStringError("--length-penalty needs --beams=COUNT");
  const cl::Option *const choices[] = {&temperature,       &topK, &topP, &minP,
                                       &repetitionPenalty, &seed};
  for (const cl::Option *choice : choices)
    if (hasBeams && choice->getNumOccurrences())
      return createStringError("--beams and --" + choice->ArgStr +
                               " are given, expected one of them");
  heddle_sampling sampling = samplingOptions();
  heddle_error error = {};
  if (Error wrong = toError(heddle_check_sampling(&sampling, &error), error))
    return wrong;
  const cl::Option *const ofDraws[] = {&topK, &topP, &minP, &seed};
  for (const cl::Option *choice : ofDraws)
    if (temperature == 0 && choice->getNumOccurrences())
      return createStringError("--" + choice->ArgStr +
                               " needs --temperature above 0, without which "
                               "the likeliest id is chosen");
  return Error::success();
}

static void printStats(const LanguageModel &model, size_t promptSize,
                       const ContinuationResult &result) {
  int64_t prefilled = static_cast<int64_t>(promptSize) * model.batch();
  int64_t decoded = result.steps * model.batch();
  errs() << format("prefill: %lld tokens, %.1f tokens/s\n",
                   static_cast<long long>(prefilled),
                   prefilled / result.prefillSeconds);
  if (decoded > 0)
    errs() << format("decode: %lld tokens, %.1f tokens/s\n",
                     static_cast<long long>(decoded),
                     decoded / result.decodeSeconds);
}

// Ids that no model gives are a slip of the pen; those of a folder's
// config.json may be another model's.
static Error checkEndIds(const LanguageModel &model) {
  for (int32_t id : endIds)
    if (id < 0 || id >= model.vocabularySize())
      return createStringError("--eos: expected ids from 0 to " +
                               Twine(model.vocabularySize() - 1) + ", found " +
                               Twine(id));
  return Error::success();
}

// Until `tokens`, an end id, or the last position.
static Error continueSequence(LanguageModel &model, Output &output,
                              ContinuationTask task) {
  // What follows the last position is known, though it has none itself.
  int64_t room =
      model.capacity() - static_cast<int64_t>(task.prompt.size()) + 1;
  task.limit = std::min<int64_t>(tokens, room);
  auto show = [&](int32_t id) { return output.show(id); };
  Expected<ContinuationResult> result =
      beams.getNumOccurrences()
          ? searchContinuation(model, task, lengthPenalty, show)
          : drawContinuation(model, task, samplingOptions(), seed, show);
  if (!result)
    return result.takeError();
  if (Error error = output.finish())
    return error;
  if (!result->hasEnd && result->length < tokens)
    WithColor::note(errs(), "heddle-run") << format(
        "the model's %lld positions are full after %lld of %lld "
        "tokens\n",
        static_cast<long long>(model.capacity()),
        static_cast<long long>(result->length), static_cast<long long>(tokens));
  if (stats)
    printStats(model, task.prompt.size(), *result);
  return Error::success();
}

static Error generate() {
  if (Error error = checkOptions())
    return error;
  std::unique_ptr<Tokenizer> tokenizer;
  if (tokenizerFolder.getNumOccurrences()) {
    auto loaded = Tokenizer::fromFolder(tokenizerFolder);
    if (!loaded)
      return createStringError("--tokenizer: " + toString(loaded.takeError()));
    tokenizer = std::move(*loaded);
  }
  Expected<std::vector<int32_t>> ids = findPrompt(tokenizer.get());
  if (!ids)
    return ids.takeError();
  Expected<std::vector<int32_t>> ends = findEndIds();
  if (!ends)
    return ends.takeError();

  int64_t length = static_cast<int64_t>(ids->size());
  auto chooseSizes = [&](int64_t positions) {
    int64_t capacity =
        std::min(positions, length + std::min<int64_t>(tokens, positions));
    return LanguageModel::Sizes{beams, length, capacity};
  };
  Expected<Session> session =
      Session::open(options, threadOptions, chooseSizes);
  if (!session)
    return session.takeError();
  if (Error error = checkEndIds(session->model))
    return error;
  Output output(tokenizer.get(), *ids);
  return continueSequence(session->model, output, {*ids, *ends, tokens});
}

Command heddle::generateCommand() {
  return {&command, generate, [](OptionValues &values) {
            values.addText(prompt)
                .add(promptIds)
                .add(tokens)
                .add(temperature)
                .add(topK);
            values.add(topP).add(minP).add(repetitionPenalty).add(seed);
            values.add(beams).add(lengthPenalty).add(endIds);
            values.add(threadOptions.threads);
          }};
}

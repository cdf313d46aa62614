// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run bench: how fast a model reads a prompt and continues it.

#include "compiler/tools/common/KernelTimes.h"
#include "compiler/tools/heddle-run/BenchEntry.h"
#include "compiler/tools/heddle-run/LoadedModel.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand command("bench", "Measures tokens per second, or the "
                                       "time of a call");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
static cl::opt<int64_t> prompt("prompt", cl::init(128), cl::value_desc("count"),
                               cl::sub(command),
                               cl::desc("Tokens of a prompt (default 128)"));
static cl::opt<int64_t>
    tokens("tokens", cl::init(64), cl::value_desc("count"), cl::sub(command),
           cl::desc("Tokens to decode after it (default 64)"));
static cl::opt<int64_t> batch("batch", cl::init(1), cl::value_desc("count"),
                              cl::sub(command),
                              cl::desc("Sequences (default 1)"));
static cl::opt<int64_t>
    runs("runs", cl::init(5), cl::value_desc("count"), cl::sub(command),
         cl::desc("Runs, of which the median counts, after one to warm up "
                  "(default 5)"));
static cl::opt<std::string>
    entryName("entry", cl::value_desc("name"), cl::sub(command),
              cl::desc("Call this entry point alone, of any model, on inputs "
                       "that are made up"));
static SizeOptions sizeOptions(command);
static cl::opt<bool> perKernel("per-kernel", cl::sub(command),
                               cl::desc("Also show the time of each kernel"));

namespace {

/// Token ids that differ from step to step; which ones does not matter.
class Ids {
public:
  explicit Ids(int64_t vocabulary) : vocabulary(vocabulary) {}

  ArrayRef<int32_t> next(int64_t count) {
    values.clear();
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<int32_t>(++counter * 7919 % vocabulary));
    return values;
  }

private:
  int64_t vocabulary;
  int64_t counter = 0;
  std::vector<int32_t> values;
};

struct Seconds {
  double prefill;
  double decode;
};

/// Measures time from its construction.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
};

struct DestroySession {
  void operator()(heddle_session *session) const {
    heddle_session_destroy(session);
  }
};

} // namespace

/// The step that reads the sources of an encoder-decoder. Its entry is null
/// where the model is none.
static heddle_source_step source;
/// A source that is no text: all zeros.
static std::vector<char> silence;

static Error append(heddle_session &session, Ids &ids, int64_t length) {
  heddle_error error = {};
  return toError(heddle_session_append(
                     &session, ids.next(batch * length).data(), length, &error),
                 error);
}

// Chooses what follows, as whoever generates does. What is appended next are
// other ids: models that end up in a loop would read what is in caches.
static Error choose(heddle_session &session) {
  heddle_error error = {};
  heddle_sampling greedy = HEDDLE_GREEDY;
  std::vector<int32_t> chosen(batch);
  return toError(
      heddle_session_sample(&session, &greedy, nullptr, chosen.data(), &error),
      error);
}

// The begin of sequences: the prompt, or, of an encoder-decoder, a source and
// an id.
static Error prefillAll(heddle_session &session, Ids &ids) {
  heddle_session_restart(&session);
  if (!source.entry)
    return append(session, ids, prompt);
  heddle_error error = {};
  heddle_status status =
      source.lengths != HEDDLE_NO_ARGUMENT
          ? heddle_session_encode(&session, ids.next(batch * prompt).data(),
                                  /*lengths=*/nullptr, prompt, &error)
          : heddle_session_encode_tensor(&session, silence.data(), &error);
  if (Error failure = toError(status, error))
    return failure;
  return append(session, ids, 1);
}

static Error decodeAll(heddle_session &session, Ids &ids, bool isChosen) {
  for (int64_t step = 0; step < tokens; ++step) {
    if (Error error = append(session, ids, 1))
      return error;
    if (Error error = isChosen ? choose(session) : Error::success())
      return error;
  }
  return Error::success();
}

static Expected<Seconds> measure(heddle_session &session, Ids &ids) {
  Stopwatch prefill;
  if (Error error = prefillAll(session, ids))
    return error;
  if (Error error = choose(session))
    return error;
  double prefillSeconds = prefill.seconds();
  Stopwatch decode;
  if (Error error = decodeAll(session, ids, /*isChosen=*/true))
    return error;
  return Seconds{prefillSeconds, decode.seconds()};
}

static Error printKernels(heddle_session &session, Ids &ids,
                          KernelTimes::Observed &observed, double stepSeconds) {
  {
    KernelTimes times(observed);
    for (int64_t run = 0; run < runs; ++run)
      if (Error error = prefillAll(session, ids))
        return error;
    outs() << (source.entry ? "\nencode, per kernel:\n"
                            : "\nprefill, per kernel:\n");
    times.print(outs());
  }
  KernelTimes times(observed);
  if (Error error = decodeAll(session, ids, /*isChosen=*/false))
    return error;
  outs() << "\ndecode, per kernel:\n";
  times.print(outs());
  uint64_t bytes = times.weightBytes();
  outs() << "\n"
         << format("weights read by a decode step: %llu bytes\n",
                   static_cast<unsigned long long>(bytes))
         << format("weights read while decoding: %.2f GB/s\n",
                   bytes / stepSeconds / 1e9);
  return Error::success();
}

static Error run(heddle_session &session, KernelTimes::Observed &observed) {
  Ids ids(observed.vocabulary);
  if (Expected<Seconds> warmUp = measure(session, ids); !warmUp)
    return warmUp.takeError();
  std::vector<double> prefill, decode;
  for (int64_t i = 0; i < runs; ++i) {
    Expected<Seconds> seconds = measure(session, ids);
    if (!seconds)
      return seconds.takeError();
    prefill.push_back(seconds->prefill);
    decode.push_back(seconds->decode);
  }
  double decodeSeconds = median(decode);
  if (source.entry && !silence.empty())
    outs() << format("encode: %.3f s\n", median(prefill));
  else
    outs() << format("%s: %.1f tokens/s\n", source.entry ? "encode" : "prefill",
                     batch * prompt / median(prefill));
  outs() << format("decode: %.1f tokens/s\n", batch * tokens / decodeSeconds);
  return perKernel
             ? printKernels(session, ids, observed, decodeSeconds / tokens)
             : Error::success();
}

// Defaults may be more than a small model's positions: then two thirds of them
// are the prompt. What is given stays, and is refused where it does not fit.
static void clampDefaults(int64_t positions) {
  bool promptGiven = prompt.getNumOccurrences();
  bool tokensGiven = tokens.getNumOccurrences();
  if ((promptGiven && tokensGiven) || tokens <= positions - prompt)
    return;
  int64_t promptLimit = tokensGiven ? positions - tokens : positions * 2 / 3;
  int64_t newPrompt = promptGiven ? prompt : std::min(+prompt, promptLimit);
  int64_t newTokens =
      tokensGiven ? tokens : std::min(+tokens, positions - newPrompt);
  if (newPrompt < 1 || newTokens < 1)
    return;
  prompt = newPrompt;
  tokens = newTokens;
  WithColor::note(errs(), "heddle-run") << format(
      "the model has %lld positions: a prompt of %lld and %lld tokens after "
      "it\n",
      static_cast<long long>(positions), static_cast<long long>(prompt),
      static_cast<long long>(tokens));
}

// Sources have positions of their own, and answers begin with one id.
static Error checkSource(int64_t positions) {
  if (!tokens.getNumOccurrences())
    tokens = std::min(+tokens, positions - 1);
  if (tokens > positions - 1)
    return createStringError(
        "%lld tokens behind the first are more than the model's %lld positions",
        static_cast<long long>(tokens), static_cast<long long>(positions));
  if (source.lengths != HEDDLE_NO_ARGUMENT) {
    int64_t longest = source.entry->symbols[source.length].maximum;
    if (!prompt.getNumOccurrences())
      prompt = std::min(+prompt, longest);
    if (prompt > longest)
      return createStringError(
          "a prompt of %lld tokens is more than the model's %lld positions",
          static_cast<long long>(prompt), static_cast<long long>(longest));
    return Error::success();
  }
  if (prompt.getNumOccurrences())
    return createStringError("--prompt is given, and the model reads no texts");
  int64_t sizes[HEDDLE_STEP_SIZES] = {};
  sizes[source.batch] = batch;
  size_t bytes = 0;
  heddle_error error = {};
  heddle_status status =
      heddle_argument_size(source.entry, source.input, sizes, &bytes, &error);
  silence.resize(bytes);
  return toError(status, error);
}

static Error benchNamed() {
  for (const cl::opt<int64_t> *option : {&prompt, &tokens, &batch})
    if (option->getNumOccurrences())
      return createStringError("--" + option->ArgStr +
                               " is of a decoder's generation; expected "
                               "--size beside --entry");
  auto artifact = options.load();
  if (!artifact)
    return artifact.takeError();
  auto sizes = sizeOptions.parse(artifact->model());
  if (!sizes)
    return sizes.takeError();
  auto weights = artifact->openWeights(options.weights);
  if (!weights)
    return weights.takeError();
  auto threads = threadOptions.create();
  if (!threads)
    return threads.takeError();
  return benchEntry(*artifact, **weights, **threads, entryName, *sizes, runs,
                    perKernel);
}

static Error bench() {
  for (const cl::opt<int64_t> *option : {&prompt, &tokens, &batch, &runs})
    if (*option < 1)
      return createStringError("--" + option->ArgStr + " is " +
                               std::to_string(*option) +
                               ", expected at least 1");
  if (!entryName.empty())
    return benchNamed();
  if (!sizeOptions.sizes.empty())
    return createStringError("--size: expected --entry, whose sizes they are");
  int64_t vocabularySize = 0;
  auto check = [&](const heddle_model &,
                   const heddle_decoder &decoder) -> Error {
    const int64_t positions = LoadedModel::positionsOf(decoder);
    vocabularySize = decoder.prefill.vocabulary;
    source = decoder.encode;
    if (source.entry)
      return checkSource(positions);
    clampDefaults(positions);
    if (prompt > positions || tokens > positions - prompt)
      return createStringError(
          "a prompt of %lld and %lld tokens after it are more than the model's "
          "%lld positions",
          static_cast<long long>(prompt), static_cast<long long>(tokens),
          static_cast<long long>(positions));
    return Error::success();
  };
  Expected<LoadedModel> model =
      LoadedModel::openDecoder(options.names(), threadOptions, check);
  if (!model)
    return model.takeError();
  heddle_context context = model->context();
  KernelTimes::Observed observed = {model->callWeights(), vocabularySize, batch,
                                    context.stream};
  if (perKernel) {
    context.observer = KernelTimes::onEvent;
    context.observer_data = &observed;
  }
  heddle_session *created = nullptr;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_session_create(&model->artifact.model(), &model->callWeights(),
                                &context, batch, source.entry ? 1 : +prompt,
                                tokens + (source.entry ? 1 : +prompt),
                                /*allocator=*/nullptr, &created, &error),
          error))
    return failure;
  std::unique_ptr<heddle_session, DestroySession> session(created);
  return run(*session, observed);
}

Command heddle::benchCommand() {
  return {&command, bench, [](OptionValues &values) {
            values.add(prompt).add(tokens).add(batch).add(runs);
            values.add(threadOptions.threads);
          }};
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run perplexity: how well a decoder expects a text, and with a second
// model, how far it is from that.

#include "compiler/Support/Files.h"
#include "compiler/tools/heddle-run/LoadedModel.h"
#include "compiler/tools/heddle-run/LogitScores.h"
#include "compiler/tools/heddle-run/Tokenizers.h"

#include "runtime/heddle_generation.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand
    command("perplexity",
            "Tells how well a decoder expects a text, and how far its logits "
            "are from another's");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
static cl::opt<std::string> textFile("text", cl::value_desc("file"),
                                     cl::sub(command), cl::desc("The text"));
static cl::list<int> textIds("ids", cl::CommaSeparated,
                             cl::value_desc("1,2,..."), cl::sub(command),
                             cl::desc("Its token ids, in place of --text"));
static cl::opt<std::string>
    tokenizerFolder("tokenizer", cl::value_desc("path"), cl::sub(command),
                    cl::desc("Folder of tokenizer.json or tokenizer.model, or "
                             "a .gguf file"));
static cl::opt<int64_t>
    window("window", cl::value_desc("count"), cl::init(256), cl::sub(command),
           cl::desc("Ids that are read without what came before (default "
                    "256, or as many as the model takes)"));
static cl::opt<int64_t>
    batch("batch", cl::value_desc("count"), cl::init(8), cl::sub(command),
          cl::desc("Windows that are read at a time (default 8)"));
static cl::opt<std::string>
    referenceFile("reference", cl::value_desc("artifact"), cl::sub(command),
                  cl::desc("Another model of the same ids, such as the one "
                           "that was not quantised"));
static cl::opt<std::string>
    referenceWeights("reference-weights", cl::value_desc("file"),
                     cl::sub(command),
                     cl::desc("Its weights (default: its name with .weights)"));

namespace {

/// A text as ids. Windows begin with `begin`, an id that the tokenizer puts
/// before texts, where it has one.
struct TextIds {
  std::vector<int32_t> ids;
  std::optional<int32_t> begin;
};

struct DestroySession {
  void operator()(heddle_session *session) const {
    heddle_session_destroy(session);
  }
};

/// A model that reads windows, id by id.
class Reader {
public:
  static Expected<Reader> open(LoadedModel model, int64_t batch,
                               int64_t capacity) {
    heddle_session *session = nullptr;
    heddle_error error = {};
    heddle_context context = model.context();
    if (Error failure = toError(
            heddle_session_create(&model.artifact.model(), &model.callWeights(),
                                  &context, batch, /*length=*/1, capacity,
                                  /*allocator=*/nullptr, &session, &error),
            error))
      return failure;
    return Reader(std::move(model), session);
  }

  void restart() { heddle_session_restart(session.get()); }
  int64_t vocabulary() const {
    return heddle_session_vocabulary(session.get());
  }

  /// The logits [batch, vocabulary] of what follows `ids` [batch].
  Expected<const float *> append(ArrayRef<int32_t> ids) {
    heddle_error error = {};
    const float *logits = nullptr;
    heddle_status status =
        heddle_session_append(session.get(), ids.data(), 1, &error);
    if (status == HEDDLE_OK)
      status = heddle_session_logits(session.get(), &logits, &error);
    if (Error failure = toError(status, error))
      return failure;
    return logits;
  }

private:
  Reader(LoadedModel model, heddle_session *session)
      : model(std::move(model)), session(session) {}

  LoadedModel model; // which the session needs
  std::unique_ptr<heddle_session, DestroySession> session;
};

/// Measures of one or two models by a text.
struct Scores {
  Perplexity model, reference;
  LogitDistance distance;
};

} // namespace

static Expected<TextIds> readText() {
  bool hasText = textFile.getNumOccurrences() > 0;
  bool hasIds = textIds.getNumOccurrences() > 0;
  if (hasText == hasIds)
    return createStringError(
        hasText ? "--text and --ids are given, expected one of them"
                : "there is nothing to read: expected --text or --ids");
  if (hasIds)
    return TextIds{{textIds.begin(), textIds.end()}, std::nullopt};
  Expected<TokenizerHandle> tokenizer = openTokenizer(tokenizerFolder);
  if (!tokenizer)
    return tokenizer.takeError();
  if (!*tokenizer)
    return createStringError("--text needs --tokenizer=FOLDER");
  auto text = readRegularFile(textFile);
  if (!text)
    return text.takeError();
  auto ids = encode(**tokenizer, (*text)->getBuffer(), /*addSpecial=*/false);
  if (!ids)
    return ids.takeError();
  auto whole = encode(**tokenizer, (*text)->getBuffer(), /*addSpecial=*/true);
  if (!whole)
    return whole.takeError();
  // Some tokenizers put ids behind texts alone.
  bool hasBegin = whole->size() > ids->size() && !ids->empty() &&
                  whole->front() != ids->front();
  return TextIds{std::move(*ids),
                 hasBegin ? std::optional(whole->front()) : std::nullopt};
}

static Error checkOptions() {
  for (const cl::opt<int64_t> *option : {&window, &batch})
    if (*option < 1)
      return createStringError("--" + option->ArgStr +
                               ": expected at least 1, found " +
                               Twine(int64_t(*option)));
  if (referenceWeights.getNumOccurrences() &&
      !referenceFile.getNumOccurrences())
    return createStringError("--reference-weights needs --reference");
  return Error::success();
}

// Fails where a model is no decoder of these ids. Windows become as short as it
// wants them, which `begin` makes longer by one.
static Error fit(const heddle_decoder &decoder, const TextIds &text,
                 int64_t &length) {
  if (decoder.encode.entry)
    return createStringError("expected a decoder, found an encoder-decoder");
  std::vector<int32_t> ids = text.ids;
  if (text.begin)
    ids.push_back(*text.begin);
  for (int32_t id : ids)
    if (id < 0 || id >= decoder.prefill.vocabulary)
      return createStringError("expected ids from 0 to " +
                               Twine(decoder.prefill.vocabulary - 1) +
                               ", found " + Twine(id));
  int64_t positions = LoadedModel::positionsOf(decoder) - (text.begin ? 1 : 0);
  length = std::min(length, positions);
  return Error::success();
}

// Of the windows from `first` on, one for each sequence of a batch.
static Error readWindows(const TextIds &text, size_t first, int64_t length,
                         MutableArrayRef<Reader> readers, Scores &scores) {
  for (Reader &reader : readers)
    reader.restart();
  // The id at a place of a sequence's window, if there is one.
  auto idAt = [&](int64_t sequence, int64_t place) -> std::optional<int32_t> {
    size_t index = (first + sequence) * length + place;
    return place < length && index < text.ids.size()
               ? std::optional(text.ids[index])
               : std::nullopt;
  };
  std::vector<int32_t> ids(batch);
  for (int64_t place = text.begin ? -1 : 0; place + 1 < length; ++place) {
    for (int64_t b = 0; b < batch; ++b)
      ids[b] = place < 0 ? *text.begin : idAt(b, place).value_or(0);
    SmallVector<const float *> logits;
    for (Reader &reader : readers) {
      Expected<const float *> row = reader.append(ids);
      if (!row)
        return row.takeError();
      logits.push_back(*row);
    }
    size_t size = readers.front().vocabulary();
    for (int64_t b = 0; b < batch; ++b) {
      std::optional<int32_t> next = idAt(b, place + 1);
      if (!next)
        continue;
      ArrayRef<float> row(logits.front() + b * size, size);
      scores.model.add(row, *next);
      if (readers.size() == 1)
        continue;
      ArrayRef<float> other(logits.back() + b * size, size);
      scores.reference.add(other, *next);
      scores.distance.add(row, other);
    }
  }
  return Error::success();
}

static void print(const Scores &scores, int64_t windows, int64_t length) {
  outs() << formatv("perplexity {0:F4}, of {1} ids in {2} {3} of {4}\n",
                    scores.model.value(), scores.model.count(), windows,
                    windows == 1 ? "window" : "windows", length);
  if (scores.reference.count() == 0)
    return;
  outs() << formatv(
      "perplexity {0:F4} of the reference\n"
      "logits are off by {1:P2} of their deviation (root mean square)\n"
      "Kullback-Leibler divergence {2:E2}\n"
      "the likeliest id is another at {3:P2} of the places\n",
      scores.reference.value(), scores.distance.error(),
      scores.distance.divergence(), scores.distance.otherChoices());
}

static Error run() {
  if (Error error = checkOptions())
    return error;
  Expected<TextIds> text = readText();
  if (!text)
    return text.takeError();
  if (text->ids.size() < 2)
    return createStringError("expected a text of at least two ids, found " +
                             Twine(text->ids.size()));
  int64_t length = std::min<int64_t>(window, text->ids.size());
  if (length + (text->begin ? 1 : 0) < 2)
    return createStringError("--window: expected at least 2");
  auto check = [&](const heddle_model &, const heddle_decoder &decoder) {
    return fit(decoder, *text, length);
  };
  SmallVector<LoadedModel, 2> models;
  auto open = [&](const std::string &artifact,
                  const std::string &weights) -> Error {
    Expected<LoadedModel> model = LoadedModel::openDecoder(
        {artifact, weights, options.target}, threadOptions, check);
    if (!model)
      return model.takeError();
    models.push_back(std::move(*model));
    return Error::success();
  };
  if (Error error = open(options.artifact, options.weights))
    return error;
  if (referenceFile.getNumOccurrences())
    if (Error error = open(referenceFile, referenceWeights))
      return createStringError("--reference: " + toString(std::move(error)));
  int64_t windows = divideCeil(text->ids.size(), length);
  batch = std::min<int64_t>(batch, windows);
  std::vector<Reader> readers;
  for (LoadedModel &model : models) {
    Expected<Reader> reader =
        Reader::open(std::move(model), batch, length + (text->begin ? 1 : 0));
    if (!reader)
      return reader.takeError();
    readers.push_back(std::move(*reader));
  }
  if (readers.back().vocabulary() != readers.front().vocabulary())
    return createStringError("--reference: expected a model of " +
                             Twine(readers.front().vocabulary()) +
                             " ids, found one of " +
                             Twine(readers.back().vocabulary()));
  Scores scores;
  for (int64_t first = 0; first < windows; first += batch)
    if (Error error = readWindows(*text, first, length, readers, scores))
      return error;
  print(scores, windows, length);
  return Error::success();
}

Command heddle::perplexityCommand() { return {&command, run}; }

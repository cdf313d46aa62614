// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run transcribe: what is said in a recording.

#include "compiler/tools/heddle-run/AnswerOutput.h"
#include "compiler/tools/heddle-run/Tokenizers.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand command("transcribe", "Writes what a recording says");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
static cl::opt<std::string>
    recording(cl::Positional, cl::value_desc("file.wav"), cl::sub(command),
              cl::desc("<WAV file of 16-bit integers, 16 kHz>"));
static cl::opt<std::string>
    tokenizerFolder("tokenizer", cl::value_desc("folder"), cl::sub(command),
                    cl::desc("Folder of the model's tokenizer, such as the "
                             "model's own"));
static cl::opt<std::string>
    language("language", cl::value_desc("name"), cl::sub(command),
             cl::desc("What is spoken, such as en (default: what the model "
                      "hears)"));
static cl::opt<std::string>
    task("task", cl::value_desc("name"), cl::sub(command),
         cl::desc("transcribe (default), or translate into English"));
static cl::opt<int64_t>
    beams("beams", cl::value_desc("count"), cl::sub(command),
          cl::desc("Search with so many beams (default: the model's)"));
static cl::opt<bool>
    stats("stats", cl::sub(command),
          cl::desc("Print the speed on standard error at the end"));

namespace {
struct FreeText {
  void operator()(void *memory) const { heddle_text_free(memory); }
};
struct Samples {
  std::unique_ptr<float, FreeText> values;
  size_t count = 0;
};
} // namespace

static Expected<Samples> readSamples() {
  if (recording.empty())
    return createStringError("there is nothing to write: expected a WAV file");
  Samples samples;
  float *read = nullptr;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_recording_read(recording.c_str(), HEDDLE_RECORDING_RATE, &read,
                                &samples.count, &error),
          error))
    return failure;
  samples.values.reset(read);
  return samples;
}

static Expected<heddle_generator_options>
generationOptions(const heddle_model &model,
                  const heddle_tokenizer *tokenizer) {
  auto generation = defaultGeneration(model, tokenizer);
  if (!generation)
    return generation;
  if (!beams.getNumOccurrences())
    return generation;
  if (beams < 1)
    return createStringError("--beams is %lld, expected at least 1",
                             static_cast<long long>(beams));
  generation->sampling = HEDDLE_GREEDY;
  generation->beams = beams;
  return generation;
}

static Error transcribe() {
  if (!tokenizerFolder.getNumOccurrences())
    return createStringError("expected --tokenizer=FOLDER, that of the model");
  Expected<Samples> samples = readSamples();
  if (!samples)
    return samples.takeError();
  Expected<TokenizerHandle> tokenizer = openTokenizer(tokenizerFolder);
  if (!tokenizer)
    return tokenizer.takeError();
  auto model = LoadedModel::openDecoder(
      options.names(), threadOptions,
      [](const heddle_model &, const heddle_decoder &) {
        return Error::success();
      });
  if (!model)
    return model.takeError();
  auto generation =
      generationOptions(model->artifact.model(), tokenizer->get());
  if (!generation)
    return generation.takeError();
  heddle_context context = model->context();
  auto generator =
      createGenerator(*model, context, tokenizer->get(), *generation);
  if (!generator)
    return generator.takeError();
  heddle_speech_options speech = {
      language.getNumOccurrences() ? language.c_str() : nullptr,
      task.getNumOccurrences() ? task.c_str() : nullptr};
  heddle_error error = {};
  if (Error failure =
          toError(heddle_generator_listen(generator->get(), tokenizer->get(),
                                          samples->values.get(), samples->count,
                                          &speech, &error),
                  error))
    return failure;
  if (Error failure = showAnswer(**generator, /*isText=*/true, *generation))
    return failure;
  if (stats)
    printStats(**generator);
  return Error::success();
}

Command heddle::transcribeCommand() {
  return {&command, transcribe, [](OptionValues &values) {
            values.add(beams).add(threadOptions.threads);
          }};
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run embed and classify: texts as vectors, and their labels.

#include "compiler/Support/PrintableStream.h"
#include "compiler/tools/common/Npy.h"
#include "compiler/tools/heddle-run/ArrayFiles.h"
#include "compiler/tools/heddle-run/LoadedModel.h"
#include "compiler/tools/heddle-run/Tokenizers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace heddle;
using namespace llvm;

namespace {

/// What both commands take.
struct TextOptions {
  explicit TextOptions(cl::SubCommand &command)
      : artifact(command), threads(command),
        tokenizer("tokenizer", cl::value_desc("folder"), cl::sub(command),
                  cl::desc("Folder of the model's tokenizer, such as the "
                           "model's own")),
        texts(cl::Positional, cl::desc("<text>..."), cl::sub(command)) {}

  ArtifactOptions artifact;
  ThreadOptions threads;
  cl::opt<std::string> tokenizer;
  cl::list<std::string> texts;
};

struct DestroyEncoder {
  void operator()(heddle_encoder *encoder) const {
    heddle_encoder_destroy(encoder);
  }
};

/// Rows of numbers, one for each text.
struct Rows {
  std::vector<float> values;
  int64_t columns = 0;

  size_t count() const { return values.size() / size_t(columns); }
  ArrayRef<float> operator[](size_t row) const {
    return ArrayRef(values).slice(row * size_t(columns), size_t(columns));
  }
};

} // namespace

static cl::SubCommand
    embedCommandLine("embed",
                     "Makes vectors of texts, and says how alike they are");
static TextOptions embedOptions(embedCommandLine);
static cl::opt<bool>
    showVectors("vectors", cl::sub(embedCommandLine),
                cl::desc("Print the vector of each text, a line each"));
static cl::opt<std::string>
    outputFile("output", cl::value_desc("file.npy"), cl::sub(embedCommandLine),
               cl::desc("Write the vectors, f32 [texts, channels]"));

static cl::SubCommand
    classifyCommandLine("classify",
                        "Says which labels texts or their tokens have, ten of "
                        "them at most; of a masked language model, which "
                        "tokens are likely");
static TextOptions classifyOptions(classifyCommandLine);
static cl::list<std::string>
    seconds("second", cl::value_desc("text"), cl::sub(classifyCommandLine),
            cl::desc("Second texts of pairs, one for each text"));

//===-- both --------------------------------------------------------------===//

using EncoderHandle = std::unique_ptr<heddle_encoder, DestroyEncoder>;

static Expected<EncoderHandle> createEncoder(const LoadedModel &model,
                                             const heddle_context &context,
                                             const heddle_tokenizer &tokenizer,
                                             heddle_role role) {
  heddle_encoder *created = nullptr;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_encoder_create(&model.artifact.model(), &model.callWeights(),
                                &context, &tokenizer, role, &created, &error),
          error))
    return failure;
  return EncoderHandle(created);
}

// `second` are those of pairs, or none.
static std::vector<heddle_text_pair> pairsOf(const TextOptions &options,
                                             ArrayRef<std::string> second) {
  std::vector<heddle_text_pair> texts;
  for (const std::string &text : options.texts)
    texts.push_back({text.data(), text.size(), nullptr, 0});
  for (auto [number, text] : enumerate(second)) {
    texts[number].second = text.data();
    texts[number].second_size = text.size();
  }
  return texts;
}

static Expected<Rows> encode(heddle_encoder &encoder,
                             ArrayRef<heddle_text_pair> texts) {
  Rows rows;
  rows.columns = heddle_encoder_columns(&encoder);
  rows.values.resize(texts.size() * size_t(rows.columns));
  heddle_error error = {};
  if (Error failure =
          toError(heddle_encoder_run(&encoder, texts.data(), texts.size(),
                                     rows.values.data(), &error),
                  error))
    return failure;
  return rows;
}

static Expected<TokenizerHandle> openTokenizerOf(const TextOptions &options) {
  if (!options.tokenizer.getNumOccurrences())
    return createStringError("expected --tokenizer=FOLDER, that of the model");
  if (options.texts.empty())
    return createStringError("there is nothing to read: expected texts");
  return openTokenizer(options.tokenizer);
}

//===-- embed -------------------------------------------------------------===//

static double cosine(ArrayRef<float> x, ArrayRef<float> y) {
  double product = 0, ofX = 0, ofY = 0;
  for (auto [a, b] : zip_equal(x, y)) {
    product += double(a) * b;
    ofX += double(a) * a;
    ofY += double(b) * b;
  }
  return product / std::sqrt(ofX * ofY);
}

static Error writeRows(const Rows &rows) {
  NpyArray array;
  array.type = HEDDLE_TYPE_F32;
  array.shape = {int64_t(rows.count()), rows.columns};
  const char *bytes = reinterpret_cast<const char *>(rows.values.data());
  array.data.assign(bytes, bytes + rows.values.size() * sizeof(float));
  ArrayWriter writer;
  writer.add(outputFile, "embedding", std::move(array));
  return writer.write();
}

static Error embed() {
  Expected<TokenizerHandle> tokenizer = openTokenizerOf(embedOptions);
  if (!tokenizer)
    return tokenizer.takeError();
  auto model =
      LoadedModel::open(embedOptions.artifact.names(), embedOptions.threads);
  if (!model)
    return model.takeError();
  heddle_context context = model->context();
  auto encoder =
      createEncoder(*model, context, **tokenizer, HEDDLE_ROLE_EMBEDDING);
  if (!encoder)
    return encoder.takeError();
  auto rows = encode(**encoder, pairsOf(embedOptions, {}));
  if (!rows)
    return rows.takeError();
  if (!outputFile.empty())
    return writeRows(*rows);
  if (showVectors || rows->count() == 1) {
    for (size_t row = 0; row < rows->count(); ++row) {
      interleave((*rows)[row], outs(),
                 [](float value) { outs() << format("%.8g", double(value)); },
                 " ");
      outs() << "\n";
    }
    return Error::success();
  }
  // How alike the first text and each other one are.
  for (size_t row = 1; row < rows->count(); ++row)
    outs() << format("%.4f", cosine((*rows)[0], (*rows)[row])) << "  "
           << embedOptions.texts[row] << "\n";
  return Error::success();
}

//===-- classify ----------------------------------------------------------===//

/// Of more labels only the likeliest are printed.
static constexpr size_t kPrintedLabels = 10;

// The text of one id. Special tokens, and unknown words, have none.
static Expected<std::string> textOf(const heddle_tokenizer &tokenizer,
                                    int32_t id) {
  char *text = nullptr;
  size_t size = 0;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_tokenizer_decode(&tokenizer, &id, 1, &text, &size, &error),
          error))
    return failure;
  std::string copy(text, size);
  heddle_text_free(text);
  return size ? copy : ("[" + Twine(id) + "]").str();
}

static Expected<std::string> nameOf(const heddle_tokenizer &tokenizer,
                                    size_t label) {
  if (heddle_tokenizer_problem(&tokenizer) == HEDDLE_PROBLEM_IDS)
    return textOf(tokenizer, int32_t(label));
  const char *name = heddle_tokenizer_label(&tokenizer, label);
  return name ? std::string(name) : std::to_string(label);
}

// The likeliest first, and what is no number last.
static Error printLabels(raw_ostream &out, const heddle_tokenizer &tokenizer,
                         ArrayRef<float> logits) {
  SmallVector<double> shares(logits.size());
  heddle_error error = {};
  if (Error failure = toError(
          heddle_tokenizer_probabilities(&tokenizer, logits.data(),
                                         logits.size(), shares.data(), &error),
          error))
    return failure;
  auto order = to_vector(seq<size_t>(0, logits.size()));
  auto rank = [&](size_t label) {
    return std::isnan(shares[label]) ? -std::numeric_limits<double>::infinity()
                                     : shares[label];
  };
  stable_sort(order, [&](size_t a, size_t b) { return rank(a) > rank(b); });
  ListSeparator separator;
  for (size_t label : ArrayRef(order).take_front(kPrintedLabels)) {
    Expected<std::string> name = nameOf(tokenizer, label);
    if (!name)
      return name.takeError();
    out << separator << *name << format(" %.4f", shares[label]);
  }
  return Error::success();
}

// A line for each token.
static Error printTokens(raw_ostream &out, heddle_encoder &encoder,
                         const heddle_tokenizer &tokenizer,
                         const heddle_text_pair &text) {
  auto freed = [](void *memory) { heddle_text_free(memory); };
  int32_t *ids = nullptr;
  float *values = nullptr;
  size_t count = 0;
  heddle_error error = {};
  if (Error failure =
          toError(heddle_encoder_run_tokens(&encoder, &text, &ids, &values,
                                            &count, &error),
                  error))
    return failure;
  std::unique_ptr<int32_t, decltype(freed)> ownIds(ids, freed);
  std::unique_ptr<float, decltype(freed)> ownValues(values, freed);
  size_t columns = size_t(heddle_encoder_columns(&encoder));
  for (size_t token = 0; token < count; ++token) {
    Expected<std::string> word = textOf(tokenizer, ids[token]);
    if (!word)
      return word.takeError();
    out << *word << "  ";
    if (Error failure = printLabels(
            out, tokenizer, ArrayRef(values + token * columns, columns)))
      return failure;
    out << "\n";
  }
  return Error::success();
}

static Error classify() {
  Expected<TokenizerHandle> tokenizer = openTokenizerOf(classifyOptions);
  if (!tokenizer)
    return tokenizer.takeError();
  if (!seconds.empty() && seconds.size() != classifyOptions.texts.size())
    return createStringError(
        "--second: expected one for each of %zu texts, found %zu",
        classifyOptions.texts.size(), seconds.size());
  auto model = LoadedModel::open(classifyOptions.artifact.names(),
                                 classifyOptions.threads);
  if (!model)
    return model.takeError();
  std::vector<std::string> second(seconds.begin(), seconds.end());
  std::vector<heddle_text_pair> texts = pairsOf(classifyOptions, second);
  heddle_context context = model->context();
  // A terminal does not obey what a folder says.
  PrintableStream printable(outs());
  raw_ostream &out =
      outs().is_displayed() ? static_cast<raw_ostream &>(printable) : outs();
  auto encoder =
      createEncoder(*model, context, **tokenizer, HEDDLE_ROLE_LOGITS);
  if (!encoder)
    return encoder.takeError();
  if (heddle_encoder_is_of_tokens(encoder->get())) {
    for (const heddle_text_pair &text : texts) {
      if (&text != &texts.front())
        out << "\n";
      if (Error error = printTokens(out, **encoder, **tokenizer, text))
        return error;
    }
    return Error::success();
  }
  auto rows = encode(**encoder, texts);
  if (!rows)
    return rows.takeError();
  for (size_t row = 0; row < rows->count(); ++row) {
    if (Error error = printLabels(out, **tokenizer, (*rows)[row]))
      return error;
    out << "\n";
  }
  return Error::success();
}

static void describeOptions(OptionValues &values, TextOptions &options) {
  values.add(options.threads.threads);
}

Command heddle::embedCommand() {
  return {&embedCommandLine, embed,
          [](OptionValues &values) { describeOptions(values, embedOptions); }};
}

Command heddle::classifyCommand() {
  return {&classifyCommandLine, classify, [](OptionValues &values) {
            describeOptions(values, classifyOptions);
          }};
}

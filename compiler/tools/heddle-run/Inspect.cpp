// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run inspect: what an artifact is and what it needs.

#include "compiler/Support/PrintableStream.h"
#include "compiler/tools/common/EntryCall.h"
#include "compiler/tools/heddle-run/AnswerText.h"
#include "compiler/tools/heddle-run/Commands.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace heddle;
using namespace llvm;

// Names are the artifact's.
static PrintableStream out(outs());

static cl::SubCommand command("inspect", "Shows what an artifact holds");
static ArtifactOptions options(command);
static SizeOptions sizeOptions(command);
static cl::opt<bool>
    verifyWeights("verify-weights", cl::sub(command),
                  cl::desc("Read all weights and compare their checksum"));

static StringRef kindName(uint32_t kind) {
  switch (kind) {
  case HEDDLE_ARGUMENT_INPUT:
    return "input";
  case HEDDLE_ARGUMENT_OUTPUT:
    return "output";
  case HEDDLE_ARGUMENT_CACHE:
    return "cache";
  default:
    return "unknown";
  }
}

static std::string shapeText(const heddle_argument &argument) {
  return "[" + join(argument.extent, argument.extent + argument.rank, ", ") +
         "]";
}

static std::string valuesText(const heddle_entry &entry,
                              const heddle_argument &argument) {
  if (argument.kind == HEDDLE_ARGUMENT_CACHE)
    return "bytes of a position last";
  if (!argument.maximum)
    return "";
  std::string text = itostr(argument.minimum) + " to " + argument.maximum;
  if (argument.lengths < entry.argument_count)
    return text + ", with " + entry.arguments[argument.lengths].name + " added";
  return argument.added ? text + ", with " + argument.added + " added" : text;
}

// Rows of equal length as aligned columns, indented.
static void printTable(ArrayRef<std::vector<std::string>> rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const std::vector<std::string> &row : rows)
    for (auto [cell, width] : zip(row, widths))
      width = std::max(width, cell.size());
  for (const std::vector<std::string> &row : rows) {
    std::string line = "  ";
    for (auto [cell, width] : zip(row, widths))
      line += cell + std::string(width - cell.size() + 2, ' ');
    out << StringRef(line).rtrim() << "\n";
  }
}

// One short sequence.
static int64_t usualSize(const heddle_symbol &symbol) {
  switch (symbol.counts) {
  case HEDDLE_COUNT_LENGTH:
    return 128;
  case HEDDLE_COUNT_CAPACITY:
    return 256;
  default:
    return 1;
  }
}

// What is given, and otherwise what is usual.
static std::vector<int64_t>
chooseSizes(const heddle_entry &entry,
            const std::map<std::string, int64_t> &given) {
  std::vector<int64_t> sizes;
  for (uint32_t s = 0; s < entry.symbol_count; ++s) {
    const heddle_symbol &symbol = entry.symbols[s];
    auto found = given.find(symbol.name);
    sizes.push_back(
        found != given.end()
            ? found->second
            : std::clamp(usualSize(symbol), symbol.minimum, symbol.maximum));
  }
  return sizes;
}

static Error printEntry(const heddle_entry &entry,
                        const std::map<std::string, int64_t> &given) {
  out << "\nentry point " << entry.name << ": " << entry.kernel_count
      << " kernels\n";
  std::vector<std::vector<std::string>> rows = {
      {"argument", "kind", "type", "shape", "values"}};
  for (uint32_t a = 0; a < entry.argument_count; ++a) {
    const heddle_argument &argument = entry.arguments[a];
    bool isCache = argument.kind == HEDDLE_ARGUMENT_CACHE;
    rows.push_back(
        {argument.name, kindName(argument.kind).str(),
         isCache ? "bytes"
                 : heddle_type_name(static_cast<heddle_type>(argument.type)),
         shapeText(argument), valuesText(entry, argument)});
  }
  printTable(rows);
  rows = {{"size", "range"}};
  for (uint32_t s = 0; s < entry.symbol_count; ++s)
    rows.push_back(
        {entry.symbols[s].name, itostr(entry.symbols[s].minimum) + " to " +
                                    itostr(entry.symbols[s].maximum)});
  out << "\n";
  printTable(rows);

  std::vector<int64_t> sizes = chooseSizes(entry, given);
  heddle_error error = {};
  size_t bytes = 0;
  if (Error failure = toError(
          heddle_workspace_size(&entry, sizes.data(), &bytes, &error), error))
    return failure;
  out << "\n  for " << describeSizes(entry, sizes) << ":\n";
  rows = {{"workspace", utostr(bytes) + " bytes"}};
  for (uint32_t a = 0; a < entry.argument_count; ++a) {
    if (Error failure = toError(
            heddle_argument_size(&entry, a, sizes.data(), &bytes, &error),
            error))
      return failure;
    if (entry.arguments[a].kind == HEDDLE_ARGUMENT_CACHE)
      rows.push_back({entry.arguments[a].name, utostr(bytes) + " bytes"});
  }
  printTable(rows);
  return Error::success();
}

// How answers are made unless options say otherwise, and what ends them.
static void printGeneration(const heddle_model &model) {
  heddle_generator_options options = HEDDLE_GENERATOR_OPTIONS;
  if (!model.generation ||
      heddle_generator_default_options(&model, nullptr, &options, nullptr))
    return;
  if (std::string text = describeAnswers(options); !text.empty())
    out << "answers       " << text << "\n";
  auto printIds = [](StringRef what, ArrayRef<int32_t> ids) {
    if (ids.empty())
      return;
    out << what << " ";
    llvm::interleaveComma(ids, out);
    out << "\n";
  };
  // Texts of decoders begin as their tokenizers have it.
  heddle_decoder decoder = {};
  if (!heddle_find_decoder(&model, &decoder, nullptr) && decoder.encode.entry)
    printIds("start ids    ", {options.start_ids, options.start_count});
  printIds("end ids      ", {options.end_ids, options.end_count});
}

static Error inspect() {
  Expected<Artifact> artifact = options.load();
  if (!artifact)
    return artifact.takeError();
  const heddle_model &model = artifact->model();
  auto sizes = sizeOptions.parse(model);
  if (!sizes)
    return sizes.takeError();
  out << "model         " << model.name << "\n"
      << "target CPU    " << model.target_cpu << "\n"
      << "CPU features  " << model.cpu_features << "\n";
  if (model.device_kind != HEDDLE_DEVICE_NONE)
    out << "device        " << model.device << "\n";
  if (auto targets = artifact->targets(); targets.size() > 1) {
    out << "targets      ";
    for (const heddle_model *each : targets)
      out << " " << targetOf(*each);
    out << "\n";
  }
  out << "fingerprint   " << format_hex_no_prefix(model.fingerprint, 16) << "\n"
      << "weights       " << model.weights_size << " bytes\n";
  printGeneration(model);
  if (verifyWeights) {
    Expected<WeightsHandle> weights =
        artifact->openWeights(options.weights, /*verify=*/true);
    if (!weights)
      return weights.takeError();
    std::optional<std::string> file = artifact->weightsPath(options.weights);
    out << (file ? "weights file  " + *file + " is intact\n"
                 : "weights       inside the object, intact\n");
  }
  for (uint32_t e = 0; e < model.entry_count; ++e)
    if (Error error = printEntry(*model.entries[e], *sizes))
      return error;
  return Error::success();
}

Command heddle::inspectCommand() { return {&command, inspect}; }

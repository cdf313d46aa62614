// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run run: one call of an entry point, with files as arguments.

#include "compiler/Support/Files.h"
#include "compiler/tools/common/NamedValue.h"
#include "compiler/tools/common/Npy.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/heddle-run/Commands.h"
#include "compiler/tools/heddle-run/EntryCall.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand command("run", "Calls an entry point once, on files");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
static SizeOptions sizeOptions(command);
static cl::opt<std::string> entryName("entry", cl::Required,
                                      cl::value_desc("name"), cl::sub(command),
                                      cl::desc("Entry point to call"));
static cl::list<std::string>
    inputFiles("input", cl::value_desc("name=file.npy"), cl::sub(command),
               cl::desc("An input. Without one, starts are 0 and lengths are "
                        "the length. Of bf16 the file holds bits, as '<V2' or "
                        "'<u2'"));
static cl::list<std::string> outputFiles("output",
                                         cl::value_desc("name=file.npy"),
                                         cl::sub(command),
                                         cl::desc("Where to write an output; "
                                                  "bf16 as '<V2', which is "
                                                  "what ml_dtypes.bfloat16 "
                                                  "is"));
static cl::list<std::string> cacheInputs(
    "cache-in", cl::value_desc("name=file"), cl::sub(command),
    cl::desc("What a cache holds before, from --cache-out of a call with the "
             "same batch and capacity; of an only cache, the file is enough"));
static cl::list<std::string>
    cacheOutputs("cache-out", cl::value_desc("name=file"), cl::sub(command),
                 cl::desc("Where to write a cache after"));

namespace {

/// One call, from the command line to files.
class FileCall {
public:
  FileCall(const Artifact &artifact, const heddle_entry &entry)
      : artifact(artifact), entry(entry), inputs(entry.argument_count),
        cachesBefore(entry.argument_count), outputs(entry.argument_count),
        sizes(entry.symbol_count) {}

  Error readInputs();
  Error findOutputs();
  Error findCaches();
  Error findSizes(const std::map<std::string, int64_t> &given);
  Error prepare();
  Error run();
  Error writeOutputs();

private:
  Expected<uint32_t> argument(StringRef name, heddle_argument_kind kind) const;
  Error inferSizes(uint32_t argument);
  Error setDefault(uint32_t argument);
  Expected<std::pair<uint32_t, StringRef>> cacheFile(StringRef text,
                                                     StringRef option) const;
  Error readCache(uint32_t argument);

  const Artifact &artifact;
  const heddle_entry &entry;
  std::vector<std::optional<NpyArray>> inputs;
  /// Paths; empty for none.
  std::vector<std::string> cachesBefore;
  std::vector<std::string> outputs; ///< of caches, too
  std::vector<std::optional<int64_t>> sizes;
  std::optional<EntryCall> call;
};

} // namespace

static heddle_type typeOf(const heddle_argument &argument) {
  return static_cast<heddle_type>(argument.type);
}

Expected<uint32_t> FileCall::argument(StringRef name,
                                      heddle_argument_kind kind) const {
  StringRef what = kind == HEDDLE_ARGUMENT_INPUT    ? "input"
                   : kind == HEDDLE_ARGUMENT_OUTPUT ? "output"
                                                    : "cache";
  std::optional<uint32_t> found = findArgument(entry, name);
  if (!found || entry.arguments[*found].kind != kind)
    return createStringError("entry point '" + Twine(entry.name) + "' has no " +
                             what + " '" + name + "'");
  return *found;
}

Error FileCall::readInputs() {
  for (const std::string &text : inputFiles) {
    auto pair = splitPair(text, "input");
    if (!pair)
      return pair.takeError();
    Expected<uint32_t> index = argument(pair->first, HEDDLE_ARGUMENT_INPUT);
    if (!index)
      return index.takeError();
    Expected<NpyArray> array =
        readNpy(pair->second, typeOf(entry.arguments[*index]));
    if (!array)
      return array.takeError();
    if (inputs[*index])
      return createStringError("input '" + pair->first + "' is given twice");
    inputs[*index] = std::move(*array);
  }
  return Error::success();
}

Error FileCall::findOutputs() {
  for (const std::string &text : outputFiles) {
    auto pair = splitPair(text, "output");
    if (!pair)
      return pair.takeError();
    Expected<uint32_t> index = argument(pair->first, HEDDLE_ARGUMENT_OUTPUT);
    if (!index)
      return index.takeError();
    if (!outputs[*index].empty())
      return createStringError("output '" + pair->first + "' is given twice");
    outputs[*index] = pair->second.str();
  }
  return Error::success();
}

// Which cache `text` is about, and its file: "name=file", or "file" where there
// is one cache.
Expected<std::pair<uint32_t, StringRef>>
FileCall::cacheFile(StringRef text, StringRef option) const {
  SmallVector<uint32_t> caches;
  SmallVector<StringRef> names;
  for (uint32_t a = 0; a < entry.argument_count; ++a)
    if (entry.arguments[a].kind == HEDDLE_ARGUMENT_CACHE) {
      caches.push_back(a);
      names.push_back(entry.arguments[a].name);
    }
  if (caches.empty())
    return createStringError("--" + option + ": entry point '" + entry.name +
                             "' has no cache");
  bool isFile = !text.empty() && !text.contains('=');
  if (isFile && caches.size() == 1)
    return std::pair(caches.front(), text);
  if (isFile)
    return createStringError("--" + option + " is '" + text +
                             "', expected name=file, as there are several "
                             "caches: " +
                             join(names, ", "));
  auto pair = splitPair(text, option);
  if (!pair)
    return pair.takeError();
  Expected<uint32_t> index = argument(pair->first, HEDDLE_ARGUMENT_CACHE);
  if (!index)
    return index.takeError();
  return std::pair(*index, pair->second);
}

Error FileCall::findCaches() {
  auto find = [&](const cl::list<std::string> &option,
                  std::vector<std::string> &files) -> Error {
    for (StringRef text : option) {
      auto found = cacheFile(text, option.ArgStr);
      if (!found)
        return found.takeError();
      auto [index, file] = *found;
      if (!files[index].empty())
        return createStringError("--" + option.ArgStr + " of cache '" +
                                 entry.arguments[index].name +
                                 "' is given twice");
      files[index] = file.str();
    }
    return Error::success();
  };
  if (Error error = find(cacheInputs, cachesBefore))
    return error;
  if (Error error = find(cacheOutputs, outputs))
    return error;
  return checkDistinct(outputs);
}

// Compares an input's shape with what is known, and learns sizes from it.
Error FileCall::inferSizes(uint32_t index) {
  const heddle_argument &description = entry.arguments[index];
  ArrayRef<int64_t> shape = inputs[index]->shape;
  SmallVector<int64_t> expected;
  for (uint32_t axis = 0; axis < description.rank; ++axis) {
    StringRef extent = description.extent[axis];
    std::optional<uint32_t> symbol = findSymbol(entry, extent);
    int64_t number;
    // What is neither a number nor a size alone the call checks, once all sizes
    // are known.
    bool isKnown = !extent.getAsInteger(10, number);
    if (symbol && axis < shape.size() && !sizes[*symbol])
      sizes[*symbol] = shape[axis];
    expected.push_back(isKnown               ? number
                       : symbol              ? sizes[*symbol].value_or(-1)
                       : axis < shape.size() ? shape[axis]
                                             : -1);
  }
  std::string text =
      join(description.extent, description.extent + description.rank, ", ");
  if (shape == ArrayRef<int64_t>(expected))
    return Error::success();
  std::string values = shape.size() == expected.size()
                           ? " = " + describeShape(expected)
                           : std::string();
  return createStringError("input '" + Twine(description.name) +
                           "' has shape " + describeShape(shape) +
                           ", expected [" + text + "]" + values);
}

Error FileCall::findSizes(const std::map<std::string, int64_t> &given) {
  for (const auto &[name, value] : given) {
    std::optional<uint32_t> symbol = findSymbol(entry, name);
    if (!symbol)
      return createStringError("entry point '" + Twine(entry.name) +
                               "' has no size '" + name + "'");
    sizes[*symbol] = value;
  }
  for (uint32_t a = 0; a < entry.argument_count; ++a)
    if (inputs[a])
      if (Error error = inferSizes(a))
        return error;
  for (uint32_t s = 0; s < entry.symbol_count; ++s)
    if (!sizes[s])
      return createStringError("size '" + Twine(entry.symbols[s].name) +
                               "' is not known: give it with --size, or an "
                               "input that has it");
  return Error::success();
}

// What an input that has no file holds.
Error FileCall::setDefault(uint32_t index) {
  const heddle_argument &description = entry.arguments[index];
  switch (description.role) {
  case HEDDLE_ROLE_STARTS: // the buffer is zero
  case HEDDLE_ROLE_POSITIONS:
    return Error::success();
  case HEDDLE_ROLE_LENGTHS:
    if (std::optional<int64_t> most = call->largestValue(index)) {
      call->fill(index, *most);
      return Error::success();
    }
    [[fallthrough]];
  default:
    return createStringError("input '" + Twine(description.name) +
                             "' is missing: expected --input " +
                             description.name + "=FILE.npy");
  }
}

Error FileCall::readCache(uint32_t index) {
  const std::string &path = cachesBefore[index];
  auto file = readRegularFile(path);
  if (!file)
    return file.takeError();
  StringRef content = (*file)->getBuffer();
  MutableArrayRef<char> bytes = call->bytes(index);
  if (content.size() != bytes.size())
    return createStringError("%s has %zu bytes, expected %zu for a cache of "
                             "these sizes",
                             path.c_str(), content.size(), bytes.size());
  copy(content, bytes.begin());
  return Error::success();
}

Error FileCall::prepare() {
  std::vector<int64_t> values;
  for (std::optional<int64_t> size : sizes)
    values.push_back(*size);
  auto created = EntryCall::create(artifact, entry, std::move(values));
  if (!created)
    return created.takeError();
  call.emplace(std::move(*created));
  for (uint32_t a = 0; a < entry.argument_count; ++a) {
    uint32_t kind = entry.arguments[a].kind;
    Error error = Error::success();
    if (inputs[a] && inputs[a]->data.size() == call->bytes(a).size())
      copy(inputs[a]->data, call->bytes(a).begin());
    else if (inputs[a])
      error =
          createStringError("input '" + Twine(entry.arguments[a].name) +
                            "' has shape " + describeShape(inputs[a]->shape) +
                            ", expected " + describeShape(call->shape(a)));
    else if (kind == HEDDLE_ARGUMENT_INPUT)
      error = setDefault(a);
    else if (!cachesBefore[a].empty())
      error = readCache(a);
    if (error)
      return error;
  }
  return Error::success();
}

Error FileCall::run() {
  Expected<WeightsHandle> weights = artifact.openWeights(options.weights);
  if (!weights)
    return weights.takeError();
  Expected<ThreadsHandle> threads = threadOptions.create();
  if (!threads)
    return threads.takeError();
  heddle_context context = {};
  context.parallel_for = heddle_threads_parallel_for;
  context.parallel_for_data = threads->get();
  return call->invoke(weights->get(), context);
}

Error FileCall::writeOutputs() {
  for (uint32_t a = 0; a < entry.argument_count; ++a) {
    ArrayRef<char> bytes = call->bytes(a);
    if (outputs[a].empty())
      continue;
    Error error =
        entry.arguments[a].kind == HEDDLE_ARGUMENT_CACHE
            ? writeFile(outputs[a], StringRef(bytes.data(), bytes.size()))
            : writeFile(outputs[a],
                        formatNpy({typeOf(entry.arguments[a]),
                                   SmallVector<int64_t>(call->shape(a)),
                                   {bytes.begin(), bytes.end()}}));
    if (error)
      return error;
  }
  return Error::success();
}

static Error runEntry() {
  Expected<Artifact> artifact = Artifact::load(options.artifact);
  if (!artifact)
    return artifact.takeError();
  Expected<const heddle_entry *> entry = artifact->findEntry(entryName);
  if (!entry)
    return entry.takeError();
  auto given = sizeOptions.parse(artifact->model());
  if (!given)
    return given.takeError();
  FileCall call(*artifact, **entry);
  if (Error error = call.readInputs())
    return error;
  if (Error error = call.findOutputs())
    return error;
  if (Error error = call.findCaches())
    return error;
  if (Error error = call.findSizes(*given))
    return error;
  if (Error error = call.prepare())
    return error;
  if (Error error = call.run())
    return error;
  return call.writeOutputs();
}

Command heddle::runCommand() {
  return {&command, runEntry,
          [](OptionValues &values) { values.add(threadOptions.threads); }};
}

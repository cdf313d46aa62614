// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run run: one call of an entry point, with files as arguments.

#include "compiler/tools/common/EntryCall.h"
#include "compiler/tools/common/NamedValue.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/heddle-run/ArrayFiles.h"
#include "compiler/tools/heddle-run/Commands.h"
#include "compiler/tools/heddle-run/TestData.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace heddle;
using namespace llvm;

static cl::SubCommand command("run", "Calls an entry point once, on files");
static ArtifactOptions options(command);
static ThreadOptions threadOptions(command);
static SizeOptions sizeOptions(command);
static cl::opt<std::string>
    entryName("entry", cl::value_desc("name"), cl::sub(command),
              cl::desc("Entry point to call (default: the only one, or run)"));
static cl::list<std::string> inputFiles(
    "input", cl::value_desc("name=file.npy"), cl::sub(command),
    cl::desc("An input, of ONNX's tests file.pb; or a file.npz, whose arrays "
             "are inputs of their names. Without one, starts are 0 and lengths "
             "are the length. Of bf16 "
             "the file holds bits, as '<V2' or '<u2'"));
static cl::list<std::string> outputFiles(
    "output", cl::value_desc("name=file.npy"), cl::sub(command),
    cl::desc("Where to write an output, or into which file.npz all of them; "
             "bf16 as '<V2', which is what ml_dtypes.bfloat16 is"));
static cl::list<std::string> cacheInputs(
    "cache-in", cl::value_desc("name=file.npz"), cl::sub(command),
    cl::desc("What a cache holds before, from --cache-out of an earlier call; "
             "of all caches in a file.npz, or of an only cache, the file is "
             "enough"));
static cl::list<std::string> cacheOutputs(
    "cache-out", cl::value_desc("name=file.npz"), cl::sub(command),
    cl::desc(
        "Where to write a cache after. A .npz tells models apart, a .npy has "
        "the bytes alone"));
static cl::opt<std::string> testData(
    "test-data", cl::value_desc("folder"), cl::sub(command),
    cl::desc("A test of ONNX: inputs are input_0.pb and those that follow, and "
             "outputs are compared with output_0.pb and those that follow"));
static cl::opt<double>
    relativeTolerance("rtol", cl::value_desc("number"), cl::init(1e-3),
                      cl::sub(command),
                      cl::desc("With --test-data: how far an output may be "
                               "off, as a share (default: 0.001)"));
static cl::opt<double>
    absoluteTolerance("atol", cl::value_desc("number"), cl::init(1e-7),
                      cl::sub(command),
                      cl::desc("With --test-data: how far beyond that "
                               "(default: 1e-7)"));

namespace {

/// One call, from the command line to files.
class FileCall {
public:
  FileCall(const Artifact &artifact, const heddle_entry &entry)
      : artifact(artifact), entry(entry), arrays(entry.argument_count),
        outputs(entry.argument_count), sizes(entry.symbol_count) {}

  Error readInputs();
  Error findOutputs();
  Error keepCaches();
  Error readCaches();
  Error findSizes(const std::map<std::string, int64_t> &given);
  Error prepare();
  Error run();
  Error writeOutputs();
  Error compareOutputs();

private:
  /// An argument, and the file that an option names for it.
  using Named = std::pair<uint32_t, StringRef>;

  SmallVector<uint32_t> arguments(heddle_argument_kind kind) const;
  Expected<uint32_t> argument(StringRef name, heddle_argument_kind kind) const;
  Expected<SmallVector<Named>> find(const cl::list<std::string> &option,
                                    heddle_argument_kind kind);
  Error inferSizes(uint32_t argument);
  Error inferCacheSizes(uint32_t argument);
  Error setDefault(uint32_t argument);
  Error fill(uint32_t argument, const NpyArray &array);
  SmallVector<int64_t> cacheShape(uint32_t argument) const;

  const Artifact &artifact;
  const heddle_entry &entry;
  ArrayReader reader;
  /// What is read: files of inputs, the artifact and its weights. A cache may
  /// be replaced by what it becomes.
  std::vector<std::string> read;
  /// Of inputs and caches.
  std::vector<std::optional<NpyArray>> arrays;
  /// Paths, of caches, too; empty for none.
  std::vector<std::string> outputs;
  std::vector<std::optional<int64_t>> sizes;
  std::optional<EntryCall> call;
};

} // namespace

static heddle_type typeOf(const heddle_argument &argument) {
  return static_cast<heddle_type>(argument.type);
}

static StringRef describe(heddle_argument_kind kind) {
  return kind == HEDDLE_ARGUMENT_INPUT    ? "input"
         : kind == HEDDLE_ARGUMENT_OUTPUT ? "output"
                                          : "cache";
}

SmallVector<uint32_t> FileCall::arguments(heddle_argument_kind kind) const {
  SmallVector<uint32_t> found;
  for (uint32_t a = 0; a < entry.argument_count; ++a)
    if (entry.arguments[a].kind == kind)
      found.push_back(a);
  return found;
}

Expected<uint32_t> FileCall::argument(StringRef name,
                                      heddle_argument_kind kind) const {
  std::optional<uint32_t> found = findArgument(entry, name);
  if (!found || entry.arguments[*found].kind != kind)
    return createStringError("entry point '" + Twine(entry.name) + "' has no " +
                             describe(kind) + " '" + name + "'");
  return *found;
}

// What an option is about: "name=file" of one argument, "file.npz" of all, and
// "file" of a cache that is the only one.
Expected<SmallVector<FileCall::Named>>
FileCall::find(const cl::list<std::string> &option, heddle_argument_kind kind) {
  SmallVector<uint32_t> all = arguments(kind);
  bool isCache = kind == HEDDLE_ARGUMENT_CACHE;
  if (all.empty() && !option.empty())
    return createStringError("--" + option.ArgStr + ": entry point '" +
                             entry.name + "' has no " + describe(kind));
  SmallVector<Named> found;
  SmallVector<bool> isNamed(entry.argument_count, false);
  auto add = [&](uint32_t index, StringRef file) -> Error {
    if (std::exchange(isNamed[index], true))
      return createStringError(
          (isCache ? "--" + option.ArgStr + " of " : "") + describe(kind) +
          " '" + entry.arguments[index].name + "' is given twice");
    found.emplace_back(index, file);
    return Error::success();
  };
  for (StringRef text : option) {
    bool isFile = !text.empty() && !text.contains('=');
    if (isFile && isNpz(text) && kind == HEDDLE_ARGUMENT_INPUT) {
      // Those that it has; others may be elsewhere, or have defaults.
      auto names = reader.names(text);
      if (!names)
        return names.takeError();
      for (const std::string &name : *names) {
        Expected<uint32_t> index = argument(name, kind);
        if (!index)
          return createStringError(text + ": " + toString(index.takeError()));
        if (Error error = add(*index, text))
          return error;
      }
      continue;
    }
    if (isFile && (isNpz(text) || (isCache && all.size() == 1))) {
      for (uint32_t index : all)
        if (Error error = add(index, text))
          return error;
      continue;
    }
    if (isFile && isCache) {
      auto names = map_range(all, [&](uint32_t a) -> StringRef {
        return entry.arguments[a].name;
      });
      return createStringError("--" + option.ArgStr + " is '" + text +
                               "', expected file.npz or name=file, as there "
                               "are several caches: " +
                               join(names, ", "));
    }
    auto pair = splitPair(text, option.ArgStr);
    if (!pair)
      return pair.takeError();
    Expected<uint32_t> index = argument(pair->first, kind);
    if (!index)
      return index.takeError();
    if (Error error = add(*index, pair->second))
      return error;
  }
  return found;
}

Error FileCall::readInputs() {
  auto found = find(inputFiles, HEDDLE_ARGUMENT_INPUT);
  if (!found)
    return found.takeError();
  for (auto [index, file] : *found) {
    auto array = reader.read(file, entry.arguments[index].name,
                             typeOf(entry.arguments[index]));
    if (!array)
      return array.takeError();
    arrays[index] = std::move(*array);
    read.push_back(file.str());
  }
  if (testData.empty())
    return Error::success();
  for (auto [number, index] : enumerate(arguments(HEDDLE_ARGUMENT_INPUT))) {
    auto array = readTestArray(testData, "input", number,
                               typeOf(entry.arguments[index]));
    if (!array)
      return array.takeError();
    if (*array)
      arrays[index] = std::move(*array);
  }
  return Error::success();
}

Error FileCall::readCaches() {
  auto found = find(cacheInputs, HEDDLE_ARGUMENT_CACHE);
  if (!found)
    return found.takeError();
  for (auto [index, file] : *found) {
    if (Error error = reader.checkModel(file, artifact.model()))
      return error;
    auto array = reader.read(file, entry.arguments[index].name, HEDDLE_TYPE_I8);
    if (!array)
      return array.takeError();
    arrays[index] = std::move(*array);
  }
  return Error::success();
}

Error FileCall::findOutputs() {
  auto collect = [&](const cl::list<std::string> &option,
                     heddle_argument_kind kind) -> Error {
    auto found = find(option, kind);
    if (!found)
      return found.takeError();
    for (auto [index, file] : *found)
      outputs[index] = file.str();
    return Error::success();
  };
  if (Error error = collect(outputFiles, HEDDLE_ARGUMENT_OUTPUT))
    return error;
  if (Error error = collect(cacheOutputs, HEDDLE_ARGUMENT_CACHE))
    return error;
  // A .npz has room for several, if they give it one name.
  std::vector<std::string> paths;
  for (const std::string &path : outputs)
    if (!isNpz(path) || !is_contained(paths, path))
      paths.push_back(path);
  if (Error error = keepCaches())
    return error;
  read.push_back(options.artifact);
  if (auto weights = artifact.weightsPath(options.weights))
    read.push_back(*weights);
  if (Error error = checkKept(read, paths))
    return error;
  return checkDistinct(paths);
}

// The file of a cache may be replaced by what the cache becomes, and by no
// other output.
Error FileCall::keepCaches() {
  auto found = find(cacheInputs, HEDDLE_ARGUMENT_CACHE);
  if (!found)
    return found.takeError();
  for (auto [index, file] : *found)
    if (outputs[index].empty() || !sys::fs::equivalent(file, outputs[index]))
      read.push_back(file.str());
  return Error::success();
}

// Compares an input's shape with what is known, and learns sizes from it.
Error FileCall::inferSizes(uint32_t index) {
  const heddle_argument &description = entry.arguments[index];
  ArrayRef<int64_t> shape = arrays[index]->shape;
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
  for (uint32_t a : arguments(HEDDLE_ARGUMENT_INPUT))
    if (arrays[a])
      if (Error error = inferSizes(a))
        return error;
  for (uint32_t a : arguments(HEDDLE_ARGUMENT_CACHE))
    if (arrays[a])
      if (Error error = inferCacheSizes(a))
        return error;
  for (uint32_t s = 0; s < entry.symbol_count; ++s)
    if (!sizes[s])
      return createStringError("size '" + Twine(entry.symbols[s].name) +
                               "' is not known: give it with --size, or an "
                               "input or cache that has it");
  return Error::success();
}

// Learns sizes from what a cache has held. Its capacity is that of the call
// before or a little more, as memory is taken in blocks of positions.
Error FileCall::inferCacheSizes(uint32_t index) {
  const heddle_argument &description = entry.arguments[index];
  ArrayRef<int64_t> shape = arrays[index]->shape;
  if (shape.size() != description.rank)
    return createStringError("cache '" + Twine(description.name) +
                             "' has shape " + describeShape(shape) +
                             ", expected " + Twine(description.rank) +
                             " dimensions");
  for (uint32_t axis = 0; axis < description.rank; ++axis)
    if (auto symbol = findSymbol(entry, description.extent[axis]))
      if (!sizes[*symbol])
        sizes[*symbol] = std::min(shape[axis], entry.symbols[*symbol].maximum);
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

// The shape of its memory: like the cache's, with so many positions as there is
// room for.
SmallVector<int64_t> FileCall::cacheShape(uint32_t index) const {
  SmallVector<int64_t> shape(call->shape(index));
  int64_t others = 1;
  for (auto [axis, extent] : enumerate(shape))
    others *= axis == 1 ? 1 : extent;
  if (shape.size() > 1 && others > 0)
    shape[1] = static_cast<int64_t>(call->bytes(index).size()) / others;
  return shape;
}

Error FileCall::fill(uint32_t index, const NpyArray &array) {
  const heddle_argument &description = entry.arguments[index];
  auto kind = static_cast<heddle_argument_kind>(description.kind);
  SmallVector<int64_t> shape = kind == HEDDLE_ARGUMENT_CACHE
                                   ? cacheShape(index)
                                   : SmallVector<int64_t>(call->shape(index));
  if (array.shape != shape || array.data.size() != call->bytes(index).size())
    return createStringError(describe(kind) + " '" + Twine(description.name) +
                             "' has shape " + describeShape(array.shape) +
                             ", expected " + describeShape(shape));
  copy(array.data, call->bytes(index).begin());
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
    Error error = Error::success();
    if (arrays[a])
      error = fill(a, *arrays[a]);
    else if (entry.arguments[a].kind == HEDDLE_ARGUMENT_INPUT)
      error = setDefault(a);
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
  ArrayWriter writer;
  for (uint32_t a = 0; a < entry.argument_count; ++a) {
    ArrayRef<char> bytes = call->bytes(a);
    std::vector<char> data(bytes.begin(), bytes.end());
    const heddle_argument &description = entry.arguments[a];
    if (outputs[a].empty())
      continue;
    if (description.kind == HEDDLE_ARGUMENT_CACHE)
      writer.addCache(outputs[a], description.name,
                      {HEDDLE_TYPE_I8, cacheShape(a), std::move(data)},
                      artifact.model());
    else
      writer.add(outputs[a], description.name,
                 {typeOf(description), SmallVector<int64_t>(call->shape(a)),
                  std::move(data)});
  }
  return writer.write();
}

Error FileCall::compareOutputs() {
  bool isAny = false;
  for (auto [number, index] : enumerate(arguments(HEDDLE_ARGUMENT_OUTPUT))) {
    const heddle_argument &description = entry.arguments[index];
    auto expected =
        readTestArray(testData, "output", number, typeOf(description));
    if (!expected)
      return expected.takeError();
    if (!*expected)
      continue;
    isAny = true;
    ArrayRef<char> bytes = call->bytes(index);
    NpyArray found{typeOf(description),
                   SmallVector<int64_t>(call->shape(index)),
                   {bytes.begin(), bytes.end()}};
    if (Error error = compareArrays(description.name, found, **expected,
                                    {relativeTolerance, absoluteTolerance}))
      return error;
  }
  return isAny ? Error::success()
               : createStringError("--test-data: '" + testData +
                                   "' has no output_0.pb");
}

static Error runEntry() {
  Expected<Artifact> artifact = options.load();
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
  if (Error error = call.readCaches())
    return error;
  if (Error error = call.findSizes(*given))
    return error;
  if (Error error = call.prepare())
    return error;
  if (Error error = call.run())
    return error;
  if (Error error = call.writeOutputs())
    return error;
  return testData.empty() ? Error::success() : call.compareOutputs();
}

Command heddle::runCommand() {
  return {&command, runEntry,
          [](OptionValues &values) { values.add(threadOptions.threads); }};
}

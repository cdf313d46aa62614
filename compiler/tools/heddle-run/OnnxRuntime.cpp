// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/OnnxRuntime.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/Support/ChildProcess.h"
#include "compiler/Support/Files.h"
#include "compiler/tools/common/MadeUpCall.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/common/ScratchFolder.h"
#include "compiler/tools/heddle-run/TestData.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

#include <cmath>

using namespace heddle;
using namespace llvm;

static constexpr char script[] =
#include "onnxruntime.js.inc"
    ;

// As onnxruntime-node names it, or nothing.
static StringRef nameOf(heddle_type type) {
  switch (type) {
  case HEDDLE_TYPE_F32:
    return "float32";
  case HEDDLE_TYPE_F64:
    return "float64";
  case HEDDLE_TYPE_F16:
    return "float16";
  case HEDDLE_TYPE_I32:
    return "int32";
  case HEDDLE_TYPE_I64:
    return "int64";
  case HEDDLE_TYPE_I8:
    return "int8";
  case HEDDLE_TYPE_U8:
    return "uint8";
  case HEDDLE_TYPE_I1:
    return "bool";
  default:
    return "";
  }
}

namespace {
class RuntimeCall {
public:
  RuntimeCall(const heddle_entry &entry, const EntryCall &call,
              StringRef folder)
      : entry(entry), call(call), folder(folder) {}

  Error writeInputs() const {
    json::Array described;
    for (uint32_t index : arguments(HEDDLE_ARGUMENT_INPUT)) {
      const heddle_argument &input = entry.arguments[index];
      StringRef type = nameOf(static_cast<heddle_type>(input.type));
      if (type.empty())
        return createStringError(
            "--onnxruntime: expected inputs of types that onnxruntime-node "
            "takes, found '" +
            Twine(input.name) + "' of " +
            heddle_type_name(static_cast<heddle_type>(input.type)));
      ArrayRef<char> bytes = call.bytes(index);
      std::string path = fileOf(Twine(described.size()) + ".bin");
      if (Error error = write(path, StringRef(bytes.data(), bytes.size())))
        return error;
      described.push_back(
          json::Object{{"name", input.name},
                       {"type", type},
                       {"dims", json::Array(call.shape(index))}});
    }
    if (Error error = write(fileOf("onnxruntime.js"), script))
      return error;
    return write(fileOf("inputs.json"),
                 formatv("{0}", json::Value(std::move(described))).str());
  }

  Expected<std::string> compareResults() const {
    auto text = readRegularFile(fileOf("results.json"));
    if (!text)
      return text.takeError();
    Expected<json::Value> results = json::parse((*text)->getBuffer());
    if (!results)
      return results.takeError();
    std::string report;
    for (auto [number, index] : enumerate(arguments(HEDDLE_ARGUMENT_OUTPUT))) {
      auto line = compare(*(*results->getAsArray())[number].getAsObject(),
                          number, index);
      if (!line)
        return line;
      report += *line;
    }
    return report;
  }

private:
  SmallVector<uint32_t> arguments(heddle_argument_kind kind) const {
    auto all = seq<uint32_t>(0, entry.argument_count);
    return filter_to_vector(all, [&](uint32_t index) {
      return entry.arguments[index].kind == kind;
    });
  }

  std::string fileOf(const Twine &name) const {
    return (folder + "/" + name).str();
  }

  static Error write(const std::string &path, StringRef contents) {
    std::error_code code;
    raw_fd_ostream stream(path, code);
    if (code)
      return systemError(code, path + ": " + code.message());
    return writeAll(path, stream, [&](raw_fd_ostream &out) {
      out << contents;
      return Error::success();
    });
  }

  Expected<std::string> compare(const json::Object &described, size_t number,
                                uint32_t index) const {
    const heddle_argument &output = entry.arguments[index];
    auto type = static_cast<heddle_type>(output.type);
    if (described.getString("type").value_or("") != nameOf(type))
      return createStringError("output '" + Twine(output.name) +
                               "' of ONNX Runtime is of another type");
    auto bytes = readRegularFile(fileOf("result" + Twine(number) + ".bin"));
    if (!bytes)
      return bytes.takeError();
    NpyArray theirs{
        type, {}, {(*bytes)->getBufferStart(), (*bytes)->getBufferEnd()}};
    for (const json::Value &dim : *described.getArray("dims"))
      theirs.shape.push_back(*dim.getAsInteger());
    ArrayRef<char> found = call.bytes(index);
    NpyArray ours{type,
                  SmallVector<int64_t>(call.shape(index)),
                  {found.begin(), found.end()}};
    double largest = 0, furthest = 0;
    for (size_t i = 0, count = theirs.data.size() / bytesOfElement(type);
         i < count && ours.shape == theirs.shape; ++i) {
      double expected = numberOf(theirs, i);
      largest = std::max(largest, std::abs(expected));
      furthest = std::max(furthest, std::abs(numberOf(ours, i) - expected));
    }
    if (Error error = compareArrays(output.name, ours, theirs,
                                    {/*relative=*/1e-3, 1e-5 * largest}))
      return error;
    return formatv("as ONNX Runtime has it: {0}, off by at most {1:e2} of "
                   "{2:e2}\n",
                   output.name, furthest, largest)
        .str();
  }

  static double numberOf(const NpyArray &array, size_t element) {
    return loadNumber(reinterpret_cast<const uint8_t *>(array.data.data()),
                      array.type, element);
  }

  const heddle_entry &entry;
  const EntryCall &call;
  StringRef folder;
};
} // namespace

Expected<std::string>
heddle::compareWithOnnxRuntime(const Artifact &artifact,
                               const heddle_weights *weights,
                               const heddle_context &context, StringRef model) {
  ErrorOr<std::string> node = sys::findProgramByName("node");
  if (!node)
    return createStringError(
        "--onnxruntime: expected the program node in $PATH, found none");
  auto entry = artifact.findEntry("run");
  if (!entry)
    return entry.takeError();
  auto call = makeUpCall(artifact, **entry, {});
  if (!call)
    return call.takeError();
  auto folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  RuntimeCall other(**entry, *call, folder->path());
  if (Error error = other.writeInputs())
    return error;
  std::string program = folder->path() + "/onnxruntime.js";
  if (Error error =
          runProgram(*node, {"node", program, model.str(), folder->path()},
                     folder->path()))
    return error;
  if (Error error = call->invoke(weights, context))
    return error;
  return other.compareResults();
}

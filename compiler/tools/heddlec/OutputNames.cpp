// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/OutputNames.h"

#include "compiler/Import/TensorSource.h"
#include "compiler/tools/common/Outputs.h"
#include "runtime/text/heddle_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

std::string OutputNames::weightsOf(StringRef target) const {
  return base + (target.empty() ? "" : "." + target.str()) + ".weights";
}

// A folder's own name, which may have dots, or a file's without its ending.
static std::string defaultBase(StringRef input) {
  if (!sys::fs::is_directory(input))
    return sys::path::stem(input).str();
  StringRef name = sys::path::filename(input.rtrim('/'));
  SmallString<128> folder;
  if ((name == "." || name == "..") && !sys::fs::real_path(input, folder))
    name = sys::path::filename(folder);
  return name.str();
}

// The header and the weights, which are beside what -o names, must be neither
// that nor what the header includes.
static Error checkNames(const CompilationOptions &options,
                        const OutputNames &names) {
  if (options.stage < Stage::Object)
    return Error::success();
  for (StringRef extension : {".h", ".weights"})
    if (options.output == names.base + extension.str())
      return createStringError(
          "-o: '%s' is the name of the %s; expected another one",
          options.output.c_str(),
          extension == ".h" ? "header" : "weights file");
  StringRef name = sys::path::filename(names.base);
  if (name == "heddle" || name == "heddle_abi" || name == "heddle_generation")
    return createStringError(
        "-o: '%s.h' is a header of the runtime; expected another name",
        name.str().c_str());
  // In upper case, too: macros begin with it.
  if (StringRef(names.prefix).equals_insensitive("heddle") ||
      StringRef(names.prefix).starts_with_insensitive("heddle_"))
    return createStringError(
        "--prefix: names of the runtime begin with 'heddle'; expected "
        "another prefix, found '%s'",
        names.prefix.c_str());
  for (const std::string &path : names.files)
    if (auto destination = findDestination(path); !destination)
      return destination.takeError();
  return checkDistinct(names.files);
}

static StringRef extensionOf(Stage stage) {
  switch (stage) {
  case Stage::Object:
    return ".o";
  case Stage::Library:
    return ".a";
  case Stage::Shared:
    return ".so";
  default:
    return "";
  }
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !isDigit(name.front()) &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

static std::string choosePrefix(const CompilationOptions &options,
                                StringRef base) {
  if (!options.prefix.empty())
    return options.prefix;
  StringRef name = sys::path::filename(base);
  // libstories.a has stories_prefill.
  if (options.stage == Stage::Library || options.stage == Stage::Shared)
    name.consume_front("lib");
  std::string prefix = name.str();
  for (char &c : prefix)
    if (!isAlnum(c))
      c = '_';
  return prefix;
}

Expected<OutputNames> heddle::chooseNames(const CompilationOptions &options,
                                          ArrayRef<std::string> others) {
  if (options.output == "-" &&
      (options.stage >= Stage::Object || options.stage == Stage::StatementHtml))
    return createStringError("-o: '-' is standard output, which text alone is "
                             "written to; expected the name of a file");
  if (options.stage != Stage::StatementHtml &&
      sys::fs::is_directory(options.output))
    return createStringError("-o: %s: expected a file, found a folder",
                             options.output.c_str());
  SmallString<128> path(options.output);
  if (path.empty())
    path = defaultBase(options.input);
  else
    sys::path::replace_extension(path, "");
  StringRef folder = sys::path::parent_path(path);
  if (!folder.empty() && !sys::fs::is_directory(folder))
    return createStringError("-o: %s: no such folder", folder.str().c_str());
  const std::string &schedule = options.pipeline.scheduleFile;
  if (!schedule.empty() && !sys::fs::exists(schedule))
    return createStringError("--schedule: %s: no such file", schedule.c_str());
  OutputNames names;
  names.base = std::string(path);
  names.binary = options.output.empty()
                     ? names.base + extensionOf(options.stage).str()
                     : options.output;
  names.prefix = choosePrefix(options, path);
  if (options.stage >= Stage::Object) {
    names.files = {names.binary, names.base + ".h"};
    if (!options.embedWeights) {
      names.files.push_back(names.weightsOf(""));
      for (StringRef other : others)
        names.files.push_back(names.weightsOf(other));
    }
  }
  if (options.stage < Stage::Object && options.stage != Stage::StatementHtml &&
      !options.output.empty())
    names.files = {options.output};
  if (!isIdentifier(names.prefix))
    return createStringError("--prefix: expected a C identifier, found '%s'",
                             names.prefix.c_str());
  if (Error error = checkNames(options, names))
    return error;
  return names;
}

Error heddle::checkInputsAreKept(const CompilationOptions &options,
                                 const TensorSource *tensors,
                                 ArrayRef<std::string> outputs) {
  std::vector<std::string> inputs = {options.input,
                                     options.pipeline.scheduleFile};
  if (tensors) {
    inputs.push_back(tensors->path().str());
    // config.json is among them; programs have all of them inside.
    for (auto *name = heddle_tokenizer_file_names(); *name; ++name) {
      SmallString<128> file(options.input);
      sys::path::append(file, *name);
      inputs.push_back(std::string(file));
    }
    for (const TensorEntry &tensor : tensors->tensors())
      inputs.push_back(tensor.file);
  }
  if (Error error = checkKept(inputs, outputs))
    return createStringError("-o: " + toString(std::move(error)));
  return Error::success();
}

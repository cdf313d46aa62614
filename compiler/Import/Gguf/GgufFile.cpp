// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Gguf/GgufFile.h"

#include "compiler/Import/Gguf/BlockFormats.h"
#include "compiler/Support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace heddle;

namespace {
/// The tensors of one file.
class FileReader {
public:
  FileReader(StringRef path, const gguf::Header &header, ArrayRef<uint8_t> all)
      : path(path), header(header), all(all) {}

  Error read() {
    for (const gguf::Tensor &tensor : header.tensors)
      if (Error error = add(tensor))
        return error;
    StringSet<> names;
    for (const TensorEntry &entry : entries)
      if (!names.insert(entry.name).second)
        return createStringError(path + ": tensor '" + entry.name +
                                 "': expected a name that no part of a tensor "
                                 "of blocks has, found one");
    return Error::success();
  }

  std::vector<TensorEntry> entries;

private:
  Error add(const gguf::Tensor &tensor);
  void addParts(const TensorEntry &whole, const BlockFormat &format);

  StringRef path;
  const gguf::Header &header;
  ArrayRef<uint8_t> all;
};
} // namespace

// ggml has no first dimensions of 1, and older converters dropped all: matrices
// that may have one row.
static bool isMatrix(StringRef name) {
  return name == "token_types.weight" || name == "cls.output.weight" ||
         name.ends_with(".ffn_gate_inp_shexp.weight");
}

Error FileReader::add(const gguf::Tensor &tensor) {
  auto fail = [&](const Twine &message) {
    return createStringError(path + ": tensor '" + tensor.name +
                             "': " + message);
  };
  TensorEntry entry;
  entry.name = tensor.name;
  entry.file = path.str();
  entry.shape.assign(tensor.shape.begin(), tensor.shape.end());
  if (entry.shape.size() == 1 && isMatrix(entry.name))
    entry.shape.insert(entry.shape.begin(), 1);
  const BlockFormat *format = findBlockFormat(tensor.type);
  if (!format) {
    // Nobody can say how long it is.
    entry.dtype = ("type " + Twine(tensor.type) + " of ggml").str();
    entries.push_back(std::move(entry));
    return Error::success();
  }
  entry.dtype = format->name.str();
  entry.type = format->type;
  int64_t width = entry.shape.empty() ? 1 : entry.shape.back();
  if (width % format->elements != 0)
    return fail("expected rows of whole blocks of " + Twine(format->elements) +
                " elements, as " + format->name + " has, got rows of " +
                Twine(width));
  uint64_t bytes =
      uint64_t(product_of(entry.shape) / format->elements) * format->blockBytes;
  uint64_t available =
      all.size() < header.dataOffset ? 0 : all.size() - header.dataOffset;
  if (tensor.offset > available || bytes > available - tensor.offset)
    return fail("expected " + Twine(bytes) + " bytes of data from byte " +
                Twine(tensor.offset) + " of the data on, which has " +
                Twine(available) + " bytes: the file is cut");
  entry.data = all.slice(header.dataOffset + tensor.offset, bytes);
  if (format->isBlocked())
    addParts(entry, *format);
  entries.push_back(std::move(entry));
  return Error::success();
}

void FileReader::addParts(const TensorEntry &whole, const BlockFormat &format) {
  auto add = [&](StringRef end, const BlockPart &part) {
    TensorEntry entry = whole;
    entry.name += end;
    entry.type = part.type;
    entry.part = &part;
    entry.shape.back() = whole.shape.back() / format.elements * part.elements;
    entries.push_back(std::move(entry));
  };
  add(kCodesEnd, format.codes);
  add(kScalesEnd, format.scales);
  if (format.hasMinimums())
    add(kMinimumsEnd, format.minimums);
}

static Expected<GgufFile> openOne(StringRef path) {
  Expected<sys::fs::mapped_file_region> region =
      mapRegularFile(path, 24, "the 24 bytes of a GGUF file's counts");
  if (!region)
    return region.takeError();
  GgufFile file;
  file.path = path.str();
  gguf::ParseResult result =
      gguf::parse({region->const_data(), region->size()}, file.header);
  if (result.isCut)
    return createStringError(path +
                             ": expected the whole header of a GGUF "
                             "file, got " +
                             Twine(region->size()) +
                             " bytes, in which it does not end");
  if (!result.error.empty())
    return createStringError(path + ": " + result.error);
  FileReader reader(path, file.header,
                    {reinterpret_cast<const uint8_t *>(region->const_data()),
                     region->size()});
  if (Error error = reader.read())
    return error;
  std::vector<sys::fs::mapped_file_region> regions;
  regions.push_back(std::move(*region));
  file.tensors =
      TensorSource(path.str(), std::move(reader.entries), std::move(regions));
  return file;
}

// The ending of the file of that number, from 1 on.
static std::string endOf(int64_t number, int64_t count) {
  std::string end;
  raw_string_ostream(end) << format("-%05d-of-%05d.gguf", int(number),
                                    int(count));
  return end;
}

// Tensors of the files that follow the first one.
static Error addSplits(GgufFile &file, int64_t count) {
  StringRef stem = file.path;
  std::string first = endOf(1, count);
  if (!stem.consume_back(first))
    return createStringError(file.path + ": expected the first file of " +
                             Twine(count) + ", whose name ends with '" + first +
                             "'");
  int64_t stored = file.header.tensors.size();
  StringSet<> names;
  for (const TensorEntry &entry : file.tensors.tensors())
    names.insert(entry.name);
  for (int64_t number = 2; number <= count; ++number) {
    Expected<GgufFile> next = openOne((stem + endOf(number, count)).str());
    if (!next)
      return next.takeError();
    const auto *place = next->header.find<int64_t>("split.no");
    const auto *of = next->header.find<int64_t>("split.count");
    if ((place && *place != number - 1) || (of && *of != count))
      return createStringError(next->path + ": expected 'split.no' " +
                               Twine(number - 1) + " and 'split.count' " +
                               Twine(count) + ", found " +
                               (place ? Twine(*place).str() : "nothing") +
                               " and " + (of ? Twine(*of).str() : "nothing"));
    for (const TensorEntry &entry : next->tensors.tensors())
      if (!names.insert(entry.name).second)
        return createStringError(next->path + ": tensor '" + entry.name +
                                 "': expected in one of the files, got it in "
                                 "two");
    stored += next->header.tensors.size();
    file.tensors.add("", std::move(next->tensors));
  }
  const auto *expected = file.header.find<int64_t>("split.tensors.count");
  if (expected && *expected != stored)
    return createStringError(file.path +
                             ": key 'split.tensors.count': expected "
                             "the " +
                             Twine(stored) + " tensors of all files, found " +
                             Twine(*expected));
  return Error::success();
}

Expected<GgufFile> heddle::openGguf(StringRef path) {
  Expected<GgufFile> file = openOne(path);
  if (!file)
    return file;
  constexpr const char *key = "split.count";
  if (!file->header.has(key))
    return file;
  const auto *count = file->header.find<int64_t>(key);
  if (!count || *count < 0 || *count > 99999)
    return createStringError(path + ": key '" + key +
                             "': expected a number of files, got " +
                             gguf::describe(file->header.metadata[key]));
  const auto *place = file->header.find<int64_t>("split.no");
  if (place && *place != 0)
    return createStringError(path +
                             ": key 'split.no': expected 0, the first "
                             "of the files, found " +
                             Twine(*place));
  if (*count > 1)
    if (Error error = addSplits(*file, *count))
      return error;
  return file;
}

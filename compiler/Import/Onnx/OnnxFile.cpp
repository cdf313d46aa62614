// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/OnnxFile.h"

#include "compiler/Import/Onnx/OnnxTensor.h"
#include "compiler/Support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::onnx;
namespace {
/// Reads one model, and opens the files that hold its tensors.
class FileReader {
public:
  explicit FileReader(StringRef path) { file.path = path.str(); }

  Expected<OnnxFile> read();

private:
  Error add(const TensorProto &proto);
  Expected<ArrayRef<uint8_t>> readExternal(const TensorProto &proto,
                                           const Twine &place);
  Expected<ArrayRef<uint8_t>> map(StringRef location, const Twine &place);

  OnnxFile file;
  std::vector<TensorEntry> entries;
  std::vector<sys::fs::mapped_file_region> regions;
  std::vector<std::vector<uint8_t>> memory;
  StringMap<ArrayRef<uint8_t>> external; ///< files, by their location
};
} // namespace

// A file beside the model, which is mapped once.
Expected<ArrayRef<uint8_t>> FileReader::map(StringRef location,
                                            const Twine &place) {
  if (auto known = external.find(location); known != external.end())
    return known->second;
  SmallString<128> inside(location);
  sys::path::remove_dots(inside, /*remove_dot_dot=*/true);
  if (inside.empty() || sys::path::is_absolute(inside) ||
      *sys::path::begin(inside) == ".." || location.contains('\0'))
    return createStringError(place +
                             ": expected a location below the folder "
                             "of the model, found '" +
                             location + "'");
  SmallString<128> path = sys::path::parent_path(file.path);
  sys::path::append(path, inside);
  Expected<sys::fs::mapped_file_region> region =
      mapRegularFile(path, 1, "a byte");
  if (!region)
    return createStringError(
        place + ": external data: " + toString(region.takeError()));
  ArrayRef bytes(reinterpret_cast<const uint8_t *>(region->const_data()),
                 region->size());
  regions.push_back(std::move(*region));
  return external[location] = bytes;
}

Expected<ArrayRef<uint8_t>> FileReader::readExternal(const TensorProto &proto,
                                                     const Twine &place) {
  StringRef location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (auto [key, value] : proto.externalData) {
    uint64_t number = 0;
    bool isNumber = key == "offset" || key == "length";
    if (isNumber && value.getAsInteger(10, number))
      return createStringError(place + ": external data: '" + key +
                               "': expected a number of bytes, found '" +
                               value + "'");
    if (key == "location")
      location = value;
    else if (key == "offset")
      offset = number;
    else if (key == "length")
      length = number;
  }
  Expected<ArrayRef<uint8_t>> bytes = map(location, place);
  if (!bytes)
    return bytes.takeError();
  uint64_t size = bytes->size();
  if (offset > size || length.value_or(0) > size - offset)
    return createStringError(place + ": external data: expected " +
                             Twine(length.value_or(0)) + " bytes from byte " +
                             Twine(offset) + " of '" + location +
                             "' on, which has " + Twine(size));
  return bytes->slice(offset, length.value_or(size - offset));
}

Error FileReader::add(const TensorProto &proto) {
  std::string place = (file.path + ": tensor '" + proto.name + "'").str();
  std::optional<ArrayRef<uint8_t>> raw;
  if (proto.isExternal) {
    auto bytes = readExternal(proto, place);
    if (!bytes)
      return bytes.takeError();
    raw = *bytes;
  }
  Expected<OwnedTensor> tensor = readTensor(proto, raw, file.path, place);
  if (!tensor)
    return tensor.takeError();
  entries.push_back(std::move(tensor->entry));
  if (!tensor->memory.empty())
    memory.push_back(std::move(tensor->memory));
  return Error::success();
}

Expected<OnnxFile> FileReader::read() {
  auto region = mapRegularFile(file.path, 1, "a byte of an ONNX file");
  if (!region)
    return region.takeError();
  ArrayRef bytes(reinterpret_cast<const uint8_t *>(region->const_data()),
                 region->size());
  regions.push_back(std::move(*region));
  Expected<ModelProto> model = readModel(bytes);
  if (!model)
    return createStringError(file.path + ": expected a model of ONNX: " +
                             toString(model.takeError()));
  file.model = std::move(*model);
  if (!file.model.graph)
    return createStringError(file.path + ": expected a graph, found none");
  if (file.graph().sparseInitializer)
    return createStringError(file.path + ": tensor '" +
                             *file.graph().sparseInitializer +
                             "': expected dense tensors, found a sparse one");
  StringSet<> names;
  for (const TensorProto &initializer : file.graph().initializer) {
    if (initializer.name.empty() || !names.insert(initializer.name).second)
      return createStringError(file.path + ": tensor '" + initializer.name +
                               "': expected a name that no other has");
    if (Error error = add(initializer))
      return error;
  }
  file.tensors = TensorSource(file.path, std::move(entries), std::move(regions),
                              std::move(memory));
  return std::move(file);
}

Expected<OnnxFile> onnx::openOnnx(StringRef path) {
  return FileReader(path).read();
}

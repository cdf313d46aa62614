// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/ArrayFiles.h"

#include "compiler/Import/Onnx/OnnxTensor.h"
#include "compiler/tools/common/Outputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace heddle;
using namespace llvm;

// Beside caches: an i64 of the bits of heddle_model.fingerprint. No argument
// has such a name.
static constexpr StringLiteral kFingerprint("heddle.fingerprint");

bool heddle::isNpz(StringRef path) { return path.ends_with(".npz"); }

//===-- reading -----------------------------------------------------------===//

Expected<NpyArray> heddle::readTensorArray(StringRef path, heddle_type type) {
  Expected<onnx::OwnedTensor> tensor = onnx::readTensorFile(path);
  if (!tensor)
    return tensor.takeError();
  const TensorEntry &entry = tensor->entry;
  if (entry.type != type)
    return createStringError(path + ": expected elements of type " +
                             onnx::nameOfDataType(onnx::dataTypeOf(type)) +
                             ", found " + entry.dtype);
  return NpyArray{type,
                  SmallVector<int64_t>(entry.shape),
                  {entry.data.begin(), entry.data.end()}};
}

Expected<NpzFile *> ArrayReader::open(StringRef path) {
  auto found = files.find(path.str());
  if (found == files.end()) {
    auto file = NpzFile::open(path);
    if (!file)
      return file.takeError();
    found = files.emplace(path, std::move(*file)).first;
  }
  return &found->second;
}

Expected<SmallVector<std::string>> ArrayReader::names(StringRef path) {
  auto file = open(path);
  if (!file)
    return file.takeError();
  SmallVector<std::string> names;
  for (const std::string &name : (*file)->names())
    if (name != kFingerprint)
      names.push_back(name);
  return names;
}

Expected<NpyArray> ArrayReader::read(StringRef path, StringRef name,
                                     heddle_type type) {
  if (path.ends_with(".pb"))
    return readTensorArray(path, type);
  if (!isNpz(path))
    return readNpy(path, type);
  auto all = names(path);
  if (!all)
    return all.takeError();
  if (!is_contained(*all, name))
    return createStringError(path + " has no array '" + name + "', but " +
                             (all->empty() ? "none" : join(*all, ", ")));
  return files.at(path.str()).read(name, type);
}

Error ArrayReader::checkModel(StringRef path, const heddle_model &model) {
  if (!isNpz(path))
    return Error::success();
  auto file = open(path);
  if (!file)
    return file.takeError();
  if (!(*file)->has(kFingerprint))
    return createStringError(
        path +
        " has no array 'heddle.fingerprint', as --cache-out "
        "writes it: expected a cache of model '" +
        model.name + "'");
  auto array = (*file)->read(kFingerprint, HEDDLE_TYPE_I64);
  if (!array)
    return array.takeError();
  uint64_t fingerprint = 0;
  if (array->data.size() == sizeof(fingerprint))
    std::memcpy(&fingerprint, array->data.data(), sizeof(fingerprint));
  if (fingerprint != model.fingerprint)
    return createStringError(
        path + " is of the model with fingerprint " +
        utohexstr(fingerprint, /*LowerCase=*/true) + ", expected " +
        utohexstr(model.fingerprint, true) + " of '" + model.name + "'");
  return Error::success();
}

//===-- writing -----------------------------------------------------------===//

void ArrayWriter::add(const std::string &path, StringRef name, NpyArray array) {
  files[path].emplace_back(name.str(), std::move(array));
}

void ArrayWriter::addCache(const std::string &path, StringRef name,
                           NpyArray array, const heddle_model &model) {
  Arrays &arrays = files[path];
  bool isMarked = any_of(
      arrays, [](const auto &named) { return named.first == kFingerprint; });
  if (isNpz(path) && !isMarked) {
    NpyArray fingerprint{HEDDLE_TYPE_I64, {}, {}};
    fingerprint.data.resize(sizeof(model.fingerprint));
    std::memcpy(fingerprint.data.data(), &model.fingerprint,
                sizeof(model.fingerprint));
    arrays.emplace_back(kFingerprint.str(), std::move(fingerprint));
  }
  arrays.emplace_back(name.str(), std::move(array));
}

Error ArrayWriter::write() const {
  OutputSet outputs;
  for (const auto &[path, arrays] : files) {
    auto content =
        isNpz(path) ? formatNpz(arrays)
                    : Expected<std::string>(formatNpy(arrays.front().second));
    if (!content)
      return content.takeError();
    if (Error error = isStream(path) ? writeFile(path, *content)
                                     : outputs.write(path, *content))
      return error;
  }
  return outputs.commit();
}

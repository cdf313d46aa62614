// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/SafeTensors.h"

#include "compiler/Import/JsonFields.h"
#include "compiler/Import/SafeTensorsHeader.h"
#include "compiler/Support/FileKinds.h"
#include "compiler/Support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <map>
#include <tuple>

using namespace llvm;
using namespace heddle;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// Equal names, of different shards, come in the order of the shards.
static void sortByName(std::vector<TensorEntry> &entries) {
  sort(entries, [](const TensorEntry &a, const TensorEntry &b) {
    return std::tie(a.name, a.file) < std::tie(b.name, b.file);
  });
}

//===-- one file ----------------------------------------------------------===//

/// Maps the file at `path` read-only.
static Expected<sys::fs::mapped_file_region> mapFile(StringRef path) {
  // Another file may have its name, by a failed download or a rename.
  const FileKind *kind = findFileKindOf(path);
  if (kind && kind->holdsWeights && !kind->isSafeTensors())
    return makeError(path + ": expected a safetensors file, " + kind->found());
  return mapRegularFile(path, 8, "the 8 bytes of the header length");
}

namespace {
/// Files that have been opened, and their tensors.
struct OpenedFiles {
  std::vector<TensorEntry> tensors;
  std::vector<sys::fs::mapped_file_region> mappings;

  Error open(StringRef path);
};
} // namespace

Error OpenedFiles::open(StringRef path) {
  Expected<sys::fs::mapped_file_region> region = mapFile(path);
  if (!region)
    return region.takeError();
  Expected<std::vector<TensorEntry>> entries =
      readSafeTensorsHeader({region->const_data(), region->size()}, path);
  if (!entries)
    return entries.takeError();
  // What `data` points to stays where it is when the region moves.
  mappings.push_back(std::move(*region));
  llvm::append_range(tensors, std::move(*entries));
  return Error::success();
}

//===-- sharded set -------------------------------------------------------===//

/// Reads the index's map from tensor to shard file.
static Expected<std::map<std::string, std::string>>
readWeightMap(StringRef indexPath) {
  Expected<json::Object> index = readJsonFile(indexPath);
  if (!index)
    return index.takeError();
  JsonFields fields(*index, indexPath.str());
  for (StringRef key : sortedKeys(*index))
    if (key != "metadata" && key != "weight_map")
      fields.rejectUnknown(key);
  const json::Object *weightMap = index->getObject("weight_map");
  if (!weightMap)
    fields.fail("weight_map", "an object");
  if (Error error = fields.takeError())
    return error;

  std::map<std::string, std::string> shardOf;
  for (StringRef tensor : sortedKeys(*weightMap)) {
    std::string where = (indexPath + ": tensor '" + tensor + "'").str();
    const json::Value &value = *weightMap->get(tensor);
    std::optional<StringRef> shard = value.getAsString();
    // The folder is the checkpoint: nothing outside it may be named.
    if (!shard || shard->empty() || shard->contains("..") ||
        shard->find_first_of(StringRef("/\\\0", 3)) != StringRef::npos)
      return makeError(where +
                       ": field 'weight_map': expected the name of a "
                       "file in the same folder, got " +
                       describe(value));
    shardOf[tensor.str()] = shard->str();
  }
  if (shardOf.empty())
    return makeError(indexPath +
                     ": field 'weight_map': expected at least one tensor, got "
                     "none");
  return shardOf;
}

/// Demands that `entries`, sorted by name, are the tensors of the index, each
/// in the shard that the index names.
static Error
checkAgainstIndex(ArrayRef<TensorEntry> entries,
                  const std::map<std::string, std::string> &shardOf,
                  StringRef indexPath) {
  for (size_t i = 1; i < entries.size(); ++i)
    if (entries[i].name == entries[i - 1].name)
      return makeError(indexPath + ": tensor '" + entries[i].name +
                       "': expected in one shard, got it in both '" +
                       sys::path::filename(entries[i - 1].file) + "' and '" +
                       sys::path::filename(entries[i].file) + "'");
  for (const TensorEntry &entry : entries) {
    StringRef shard = sys::path::filename(entry.file);
    auto listed = shardOf.find(entry.name);
    if (listed == shardOf.end())
      return makeError(indexPath + ": tensor '" + entry.name +
                       "': expected in 'weight_map' because '" + shard +
                       "' holds it, got no such name");
    if (listed->second != shard)
      return makeError(indexPath + ": tensor '" + entry.name +
                       "': expected in '" + listed->second + "', got it in '" +
                       shard + "'");
  }
  // Each entry is listed, and no two are equal: only absent ones remain.
  const auto *entry = entries.begin();
  for (const auto &[name, shard] : shardOf) {
    if (entry == entries.end() || entry->name != name)
      return makeError(indexPath + ": tensor '" + name + "': expected in '" +
                       shard + "', which does not hold it");
    ++entry;
  }
  return Error::success();
}

static Expected<TensorSource> openShards(StringRef folder,
                                         StringRef indexPath) {
  Expected<std::map<std::string, std::string>> shardOf =
      readWeightMap(indexPath);
  if (!shardOf)
    return shardOf.takeError();
  // Each shard with the first tensor that needs it.
  std::map<std::string, std::string> shards;
  for (const auto &[tensor, shard] : *shardOf)
    shards.try_emplace(shard, tensor);
  OpenedFiles files;
  for (const auto &[shard, tensor] : shards) {
    SmallString<128> path(folder);
    sys::path::append(path, shard);
    if (!sys::fs::exists(path))
      return makeError(indexPath + ": tensor '" + tensor +
                       "': expected the shard '" + shard +
                       "' in the folder, found no such file");
    if (Error error = files.open(path))
      return error;
  }
  sortByName(files.tensors);
  if (Error error = checkAgainstIndex(files.tensors, *shardOf, indexPath))
    return error;
  return TensorSource(indexPath.str(), std::move(files.tensors),
                      std::move(files.mappings));
}

//===-- file or folder ----------------------------------------------------===//

static Expected<TensorSource> openSingle(StringRef path) {
  OpenedFiles files;
  if (Error error = files.open(path))
    return error;
  return TensorSource(path.str(), std::move(files.tensors),
                      std::move(files.mappings));
}

Expected<TensorSource> heddle::openSafeTensorsFolder(StringRef folder) {
  SmallString<128> single(folder), index(folder);
  sys::path::append(single, "model.safetensors");
  sys::path::append(index, "model.safetensors.index.json");
  if (sys::fs::exists(single))
    return openSingle(single);
  if (sys::fs::exists(index))
    return openShards(folder, index);
  std::optional<std::string> other = describeWeightsIn(folder);
  return makeError(folder +
                   ": expected 'model.safetensors' or "
                   "'model.safetensors.index.json', found " +
                   (other ? *other : "neither"));
}

Expected<TensorSource> heddle::openSafeTensors(StringRef path) {
  return sys::fs::is_directory(path) ? openSafeTensorsFolder(path)
                                     : openSingle(path);
}

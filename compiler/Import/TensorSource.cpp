// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/TensorSource.h"

#include "compiler/Import/ElementFormats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"

#ifdef __unix__
#include <sys/mman.h>
#endif

using namespace llvm;
using namespace heddle;

void TensorEntry::read(int64_t first, int64_t count, uint8_t *to) const {
  int64_t size = bytesOfElement(*type);
  if (!part) {
    llvm::copy(data.slice(first * size, count * size), to);
    return;
  }
  SmallVector<uint8_t> block(part->elements * size);
  while (count > 0) {
    int64_t inBlock = first % part->elements;
    int64_t taken = std::min(count, part->elements - inBlock);
    const uint8_t *bytes = &data[first / part->elements * part->blockBytes];
    bool isWhole = taken == part->elements;
    part->decode(bytes, isWhole ? to : block.data());
    if (!isWhole)
      llvm::copy(ArrayRef(block).slice(inBlock * size, taken * size), to);
    first += taken;
    count -= taken;
    to += taken * size;
  }
}

TensorSource::TensorSource(std::string path, std::vector<TensorEntry> tensors,
                           std::vector<sys::fs::mapped_file_region> files,
                           std::vector<std::vector<uint8_t>> memory)
    : openedPath(std::move(path)), entries(std::move(tensors)),
      files(std::move(files)), memory(std::move(memory)) {
  sortByName();
}

void TensorSource::sortByName() {
  sort(entries, [](const TensorEntry &a, const TensorEntry &b) {
    return a.name < b.name;
  });
}

void TensorSource::add(StringRef prefix, TensorSource other) {
  for (TensorEntry &entry : other.entries) {
    entry.name = prefix.str() + entry.name;
    entries.push_back(std::move(entry));
  }
  for (sys::fs::mapped_file_region &file : other.files)
    files.push_back(std::move(file));
  for (std::vector<uint8_t> &bytes : other.memory)
    memory.push_back(std::move(bytes));
  if (!prefix.empty())
    added.emplace_back(prefix, other.openedPath);
  for (auto &[inside, path] : other.added)
    added.emplace_back(prefix.str() + inside, path);
  sortByName();
}

StringRef TensorSource::pathOf(StringRef name) const {
  for (const auto &[prefix, path] : added)
    if (name.starts_with(prefix))
      return path;
  return openedPath;
}

const TensorEntry *TensorSource::find(StringRef name) const {
  auto entry = partition_point(
      entries, [&](const TensorEntry &e) { return StringRef(e.name) < name; });
  return entry != entries.end() && entry->name == name ? &*entry : nullptr;
}

void TensorSource::release(const TensorEntry &tensor) const {
#ifdef __unix__
  auto holds = [&](const sys::fs::mapped_file_region &file) {
    const auto *begin = reinterpret_cast<const uint8_t *>(file.const_data());
    return tensor.data.begin() >= begin &&
           tensor.data.end() <= begin + file.size();
  };
  // Memory that is no file's would lose what it holds.
  if (tensor.data.empty() || none_of(files, holds))
    return;
  // Whole pages, outward: a neighbour's bytes in the first or the last page are
  // read again if needed. Advice cannot change what memory holds, so there is
  // nothing to do about a failure.
  size_t page = sys::Process::getPageSizeEstimate();
  size_t inPage = reinterpret_cast<uintptr_t>(tensor.data.data()) % page;
  auto *begin = const_cast<uint8_t *>(tensor.data.data()) - inPage;
  (void)madvise(begin, inPage + tensor.data.size(), MADV_DONTNEED);
#endif
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/KernelCache.h"

#include "compiler/Support/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>
#include <link.h>

using namespace heddle;

KernelCache KernelCache::ofUser() {
  if (const char *folder = getenv("HEDDLE_CACHE"))
    return KernelCache(folder);
  llvm::SmallString<128> folder;
  if (!llvm::sys::path::cache_directory(folder))
    return {};
  llvm::sys::path::append(folder, "heddle");
  return KernelCache(folder.str().str());
}

//===-- Keys --------------------------------------------------------------===//

// Adds the build id of a program or library, which tells one build of it from
// others; false if it has none.
static bool addBuild(const dl_phdr_info &object, std::string &builds) {
  for (const ElfW(Phdr) &header :
       llvm::ArrayRef(object.dlpi_phdr, object.dlpi_phnum)) {
    if (header.p_type != PT_NOTE)
      continue;
    auto *next =
        reinterpret_cast<const char *>(object.dlpi_addr + header.p_vaddr);
    for (const char *end = next + header.p_memsz; next < end;) {
      auto *note = reinterpret_cast<const ElfW(Nhdr) *>(next);
      const char *name = next + sizeof(*note);
      const char *contents = name + llvm::alignTo(note->n_namesz, 4);
      if (note->n_type == NT_GNU_BUILD_ID &&
          llvm::StringRef(name, note->n_namesz) ==
              llvm::StringRef("GNU\0", 4)) {
        builds.append(contents, note->n_descsz);
        return true;
      }
      next = contents + llvm::alignTo(note->n_descsz, 4);
    }
  }
  return false;
}

// The builds of all that this process is made of, but for the part that the
// system's kernel has in it, which has no path and compiles nothing. Empty
// where they are not known.
static const std::string &compilerBuild() {
  static const std::string all = [] {
    std::string builds;
    int isUnknown = dl_iterate_phdr(
        [](dl_phdr_info *object, size_t, void *all) -> int {
          return !llvm::StringRef(object->dlpi_name)
                      .starts_with("linux-vdso") &&
                 !addBuild(*object, *static_cast<std::string *>(all));
        },
        &builds);
    return isUnknown ? std::string() : builds;
  }();
  return all;
}

std::string KernelCache::keyOf(llvm::ArrayRef<llvm::StringRef> inputs) {
  if (compilerBuild().empty())
    return "";
  llvm::BLAKE3 hash;
  auto add = [&](llvm::StringRef input) {
    char size[sizeof(uint64_t)];
    llvm::support::endian::write64le(size, input.size());
    hash.update(llvm::StringRef(size, sizeof(size)));
    hash.update(input);
  };
  add(compilerBuild());
  for (llvm::StringRef input : inputs)
    add(input);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

//===-- Files -------------------------------------------------------------===//

// LLVM's pruning removes files whose names begin with this.
static constexpr llvm::StringLiteral kBeginning = "llvmcache-";

// The sum of its contents ends a file: a crash of the system may leave some
// that are not whole. It is the key's, too: a file may have another's name.
static constexpr size_t kSumBytes = sizeof(uint64_t);

static uint64_t sumOf(llvm::StringRef key, llvm::StringRef bitcode) {
  return llvm::xxh3_64bits(bitcode) ^ llvm::xxh3_64bits(key);
}

std::string KernelCache::pathOf(llvm::StringRef key) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, kBeginning + key);
  return path.str().str();
}

std::unique_ptr<llvm::MemoryBuffer>
KernelCache::find(llvm::StringRef key) const {
  if (folder.empty() || key.empty())
    return nullptr;
  auto file = readRegularFile(pathOf(key));
  if (!file) {
    llvm::consumeError(file.takeError());
    return nullptr;
  }
  llvm::StringRef contents = (*file)->getBuffer();
  if (contents.size() < kSumBytes)
    return nullptr;
  llvm::StringRef bitcode = contents.drop_back(kSumBytes);
  if (llvm::support::endian::read64le(bitcode.end()) != sumOf(key, bitcode))
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(bitcode, key);
}

llvm::Error KernelCache::keep(llvm::StringRef key,
                              llvm::StringRef bitcode) const {
  namespace fs = llvm::sys::fs;
  if (folder.empty() || key.empty())
    return llvm::Error::success();
  if (std::error_code code = fs::create_directories(
          folder, /*IgnoreExisting=*/true, fs::owner_all))
    return llvm::errorCodeToError(code);
  auto file = createRemovedOnSignal(pathOf(""), "", 0600);
  if (!file)
    return llvm::errorCodeToError(file.getError());
  char sum[kSumBytes];
  llvm::support::endian::write64le(sum, sumOf(key, bitcode));
  llvm::raw_fd_ostream stream(file->descriptor, /*shouldClose=*/true);
  stream << bitcode << llvm::StringRef(sum, sizeof(sum));
  stream.close();
  std::error_code code = stream.error();
  stream.clear_error(); // otherwise the stream's end is that of the process
  if (!code)
    code = fs::rename(file->name, pathOf(key));
  if (code)
    (void)fs::remove(file->name);
  llvm::sys::DontRemoveFileOnSignal(file->name);
  return llvm::errorCodeToError(code);
}

void KernelCache::prune() const {
  if (folder.empty() || !llvm::sys::fs::is_directory(folder))
    return;
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(30 * 24);
  policy.MaxSizeBytes = 1 << 30;
  llvm::pruneCache(folder, policy);
}

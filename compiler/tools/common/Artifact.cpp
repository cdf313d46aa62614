// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Artifact.h"

#include "compiler/Support/FileKinds.h"
#include "compiler/Support/Files.h"
#include "compiler/Support/Memory.h"
#include "compiler/tools/common/Link.h"
#include "compiler/tools/common/ScratchFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace heddle;
using namespace llvm;

static Error notAnArtifact(StringRef path, const Twine &reason) {
  return createStringError(path + " is not an artifact: " + reason);
}

// The name of the one heddle_model that `object` defines.
static Expected<std::string>
findModelSymbol(StringRef path, const object::ELFObjectFileBase &object) {
  auto symbols = object.isRelocatableObject()
                     ? object::ELFObjectFileBase::elf_symbol_iterator_range(
                           object.symbol_begin(), object.symbol_end())
                     : object.getDynamicSymbolIterators();
  std::string found;
  for (const object::ELFSymbolRef &symbol : symbols) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    bool isReadable = name && flags;
    if (!name)
      consumeError(name.takeError());
    if (!flags)
      consumeError(flags.takeError());
    if (!isReadable || !name->ends_with("_model") ||
        !(*flags & object::SymbolRef::SF_Global) ||
        (*flags & object::SymbolRef::SF_Undefined) ||
        symbol.getELFType() != ELF::STT_OBJECT ||
        symbol.getSize() < sizeof(heddle_model))
      continue;
    if (!found.empty())
      return createStringError(path + " holds several models: " + found +
                               " and " + *name);
    found = name->str();
  }
  if (found.empty())
    return notAnArtifact(path, "it defines no heddle_model");
  return found;
}

Expected<ThreadsHandle> heddle::createThreads(int count) {
  heddle_threads *threads = nullptr;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_threads_create(count, nullptr, &threads, &error), error))
    return failure;
  return ThreadsHandle(threads);
}

void Artifact::CloseLibrary::operator()(void *library) const {
  dlclose(library);
}

Error Artifact::openLibrary(StringRef path, const std::string &symbol) {
  // dlopen searches its own folders for a name without a slash.
  SmallString<128> absolute(path);
  if (std::error_code code = sys::fs::make_absolute(absolute))
    return createStringError(path + ": " + code.message());
  library.reset(dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL));
  // The loader does not say that it was memory.
  uint64_t size = 0;
  (void)sys::fs::file_size(absolute, size);
  if (!library && !canMap(size + kScarceBytes))
    return createStringError(kOutOfMemory);
  if (!library)
    return createStringError("cannot load " + artifactPath + ": " + dlerror());
  first =
      static_cast<const heddle_model *>(dlsym(library.get(), symbol.c_str()));
  if (!first)
    return createStringError("cannot load " + artifactPath + ": " + dlerror());
  if (first->abi_version != HEDDLE_ABI_VERSION)
    return createStringError(
        "%s was compiled for version %u of the runtime's ABI, this program has "
        "version %u",
        artifactPath.c_str(), first->abi_version, HEDDLE_ABI_VERSION);
  if (first->struct_size != sizeof(heddle_model))
    return createStringError(
        "%s has a heddle_model of %u bytes, this program's has %zu",
        artifactPath.c_str(), first->struct_size, sizeof(heddle_model));
  return Error::success();
}

StringRef heddle::targetOf(const heddle_model &model) {
  switch (model.device_kind) {
  case HEDDLE_DEVICE_OPENCL:
    return "opencl";
  case HEDDLE_DEVICE_CUDA:
    return "cuda";
  default:
    return "cpu";
  }
}

Error Artifact::chooseTarget(StringRef target) {
  std::string names;
  for (const heddle_model *each : targets()) {
    description = each;
    if (target.empty() || target == targetOf(*each))
      return Error::success();
    names += (names.empty() ? "" : ", ") + targetOf(*each).str();
  }
  return createStringError("--target: '" + target + "' is none of " +
                           artifactPath + ", which was compiled for " + names);
}

SmallVector<const heddle_model *> Artifact::targets() const {
  SmallVector<const heddle_model *> all{first};
  while (const heddle_model *next = all.back()->next_target) {
    if (next == first)
      break;
    all.push_back(next);
  }
  return all;
}

// The object in a static library, or `file` itself.
static Expected<MemoryBufferRef> findObject(StringRef path,
                                            MemoryBufferRef file) {
  if (identify_magic(file.getBuffer()) != file_magic::archive)
    return file;
  auto archive = object::Archive::create(file);
  if (!archive)
    return notAnArtifact(path, toString(archive.takeError()));
  std::vector<MemoryBufferRef> members;
  Error error = Error::success();
  for (const object::Archive::Child &child : (*archive)->children(error)) {
    auto member = child.getMemoryBufferRef();
    if (!member)
      return notAnArtifact(path, toString(member.takeError()));
    members.push_back(*member);
  }
  if (error)
    return notAnArtifact(path, toString(std::move(error)));
  if (members.size() != 1)
    return notAnArtifact(path, "it is a static library of " +
                                   Twine(members.size()) +
                                   " members, expected 1");
  return members.front();
}

// A position-independent program is a shared library with an interpreter.
static bool isProgram(const object::ELFObjectFileBase &elf) {
  if (elf.getEType() == ELF::ET_EXEC)
    return true;
  const auto *file = dyn_cast<object::ELF64LEObjectFile>(&elf);
  if (!file)
    return false;
  auto headers = file->getELFFile().program_headers();
  if (!headers) {
    consumeError(headers.takeError());
    return false;
  }
  return any_of(*headers, [](const auto &header) {
    return header.p_type == ELF::PT_INTERP;
  });
}

// Links `object`, which is the file `path` or a member of it.
static Error linkObject(StringRef library, StringRef path,
                        MemoryBufferRef object) {
  if (object.getBufferIdentifier() == path)
    return linkSharedLibrary(library, path);
  auto member = ScratchFile::create("o", [&](raw_ostream &stream) -> Error {
    stream << object.getBuffer();
    return Error::success();
  });
  if (!member)
    return member.takeError();
  return linkSharedLibrary(library, member->path());
}

Expected<Artifact> Artifact::load(StringRef path, StringRef target) {
  auto buffer = readRegularFile(path);
  if (!buffer)
    return buffer.takeError();
  auto file = findObject(path, **buffer);
  if (!file)
    return file.takeError();
  // A text, or nothing: what LLVM says of it names no reason.
  if (!file->getBuffer().starts_with(ELF::ElfMagic)) {
    const FileKind *kind = findFileKind(file->getBuffer());
    return notAnArtifact(path, "expected an object, a library or an archive, "
                               "found " +
                                   (kind ? StringRef(kind->name)
                                         : StringRef("another kind of file")));
  }
  auto object = object::ObjectFile::createELFObjectFile(*file);
  if (!object)
    return notAnArtifact(path, toString(object.takeError()));
  const auto &elf = cast<object::ELFObjectFileBase>(**object);
  if (isProgram(elf))
    return notAnArtifact(path, "it is a program, expected what heddlec makes "
                               "with --emit=obj, lib or shared");
  if (!elf.isRelocatableObject() && elf.getEType() != ELF::ET_DYN)
    return notAnArtifact(path, "it is neither an object nor a library");
  Expected<std::string> symbol = findModelSymbol(path, elf);
  if (!symbol)
    return symbol.takeError();

  Artifact artifact;
  artifact.artifactPath = path.str();
  if (!elf.isRelocatableObject()) {
    if (Error error = artifact.openLibrary(path, *symbol))
      return error;
    if (Error error = artifact.chooseTarget(target))
      return error;
    return artifact;
  }
  // The mapping outlives the name.
  auto linked = ScratchFile::create("so");
  if (!linked)
    return linked.takeError();
  if (Error error = linkObject(linked->path(), path, *file))
    return error;
  if (Error error = artifact.openLibrary(linked->path(), *symbol))
    return error;
  if (Error error = artifact.chooseTarget(target))
    return error;
  return artifact;
}

Expected<const heddle_entry *> Artifact::findEntry(StringRef name) const {
  if (name.empty() && description->entry_count == 1)
    return description->entries[0];
  // Without a name, the graph of an ONNX file, beside which there are others.
  if (const heddle_entry *entry = heddle_find_entry(
          description, name.empty() ? "run" : name.str().c_str()))
    return entry;
  std::string names;
  for (uint32_t e = 0; e < description->entry_count; ++e)
    names += std::string(e ? ", " : "") + description->entries[e]->name;
  if (name.empty())
    return createStringError("--entry is missing, expected one of: " + names);
  return createStringError("model '" + Twine(description->name) +
                           "' has no entry point '" + name +
                           "', expected one of: " + names);
}

std::optional<std::string> Artifact::weightsPath(StringRef path) const {
  if (!path.empty())
    return path.str();
  if (description->embedded_weights)
    return std::nullopt;
  SmallString<128> beside(artifactPath);
  StringRef target = description == first ? "" : targetOf(*description);
  sys::path::replace_extension(beside, target.empty() ? "weights"
                                                      : target + ".weights");
  return std::string(beside);
}

Expected<WeightsHandle> Artifact::openWeights(StringRef path,
                                              bool verify) const {
  heddle_weights *weights = nullptr;
  heddle_error error = {};
  std::optional<std::string> file = weightsPath(path);
  if (Error failure = toError(
          heddle_weights_open(description, file ? file->c_str() : nullptr,
                              verify ? HEDDLE_WEIGHTS_VERIFY : 0, nullptr,
                              &weights, &error),
          error))
    return failure;
  return WeightsHandle(weights);
}

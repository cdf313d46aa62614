// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Link.h"

#include "compiler/Support/ChildProcess.h"
#include "compiler/tools/common/ScratchFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace heddle;

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
heddle::makeStaticLibrary(llvm::StringRef object, llvm::StringRef member) {
  auto entry = llvm::NewArchiveMember::getFile(object, /*Deterministic=*/true);
  if (!entry)
    return entry.takeError();
  entry->MemberName = member;
  return llvm::writeArchiveToBuffer(
      *entry, llvm::SymtabWritingMode::NormalSymtab,
      llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
}

// `file` of the runtime. A build folder and an installation look the same from
// the folder of this program.
static llvm::Expected<std::string> findRuntimeFile(const std::string &file) {
  std::string self = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findRuntimeFile));
  llvm::SmallString<128> path(self);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", file);
  if (!llvm::sys::fs::exists(path))
    return llvm::createStringError("%s: the runtime is not beside the compiler",
                                   path.c_str());
  return std::string(path);
}

static llvm::Expected<std::string> findLibrary(llvm::StringRef name) {
  auto library = findRuntimeFile("lib/" + name.str());
  if (library)
    return library;
  // Debian's folder for libraries is lib/x86_64-linux-gnu.
  auto installed = findRuntimeFile(HEDDLE_LIBDIR "/" + name.str());
  if (!installed) {
    llvm::consumeError(installed.takeError());
    return library;
  }
  llvm::consumeError(library.takeError());
  return installed;
}

static llvm::Error runCompiler(llvm::ArrayRef<std::string> arguments) {
  // "gcc", or with a program before it and options, as Make takes it.
  std::string command = llvm::sys::Process::GetEnv("CC").value_or("");
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(command, words);
  std::vector<std::string> line(words.begin(), words.end());
  if (line.empty())
    line.push_back("cc");
  auto program = llvm::sys::findProgramByName(line.front());
  if (!program)
    return llvm::createStringError(
        "%s: no such program; linking needs a C compiler (set CC)",
        line.front().c_str());
  line.insert(line.end(), arguments.begin(), arguments.end());
  // A driver that is interrupted may forget a file that it has just made.
  auto folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  return runProgram(*program, line, folder->path());
}

// Links `object`, the runtime and `libraries` with `flags`, into `path`.
static llvm::Error link(llvm::StringRef path, llvm::StringRef object,
                        llvm::ArrayRef<std::string> flags,
                        llvm::ArrayRef<std::string> libraries = {}) {
  auto runtime = findLibrary("libheddle_runtime.a");
  if (!runtime)
    return runtime.takeError();
  std::vector<std::string> arguments(flags);
  arguments.insert(arguments.end(), {"-o", path.str(), object.str()});
  arguments.insert(arguments.end(), libraries.begin(), libraries.end());
  arguments.insert(arguments.end(),
                   {"-Wl,--whole-archive", *runtime, "-Wl,--no-whole-archive",
                    "-pthread", "-Wl,--as-needed", "-lm"});
  if (llvm::Error error = runCompiler(arguments))
    return error;
  uint64_t size = 0;
  if (llvm::sys::fs::file_size(path, size) || size == 0)
    return llvm::createStringError("the C compiler (CC) succeeded and has made "
                                   "nothing");
  return llvm::Error::success();
}

llvm::Error heddle::linkSharedLibrary(llvm::StringRef path,
                                      llvm::StringRef object) {
  // Where a process loads several, each calls its own runtime.
  return link(path, object, {"-shared", "-Wl,-Bsymbolic-functions"});
}

llvm::Error heddle::linkExecutable(llvm::StringRef path, llvm::StringRef object,
                                   llvm::StringRef prefix,
                                   llvm::StringRef source,
                                   llvm::StringRef definition, size_t files) {
  auto mainSource = findRuntimeFile("share/heddle/programs/" + source.str());
  if (!mainSource)
    return mainSource.takeError();
  auto headers = findRuntimeFile("include/heddle");
  if (!headers)
    return headers.takeError();
  std::vector<std::string> flags = {"-O2", "-I" + *headers,
                                    "-DMODEL=" + prefix.str() + "_model",
                                    *mainSource};
  if (!definition.empty())
    flags.push_back("-D" + definition.str());
  if (!files)
    return link(path, object, flags);
  auto text = findLibrary("libheddle_text.a");
  if (!text)
    return text.takeError();
  flags.push_back("-DFILES=" + prefix.str() + "_files");
  flags.push_back("-DFILE_COUNT=" + std::to_string(files));
  llvm::Error error = link(
      path, object, flags,
      {*text, "-lsentencepiece", "-licui18n", "-licuuc", "-lstdc++", "-lm"});
  if (!error)
    return error;
  return llvm::createStringError(
      llvm::toString(std::move(error)) +
      "; a program that takes text needs g++, libicu-dev and "
      "libsentencepiece-dev (--ids makes one that does not)");
}

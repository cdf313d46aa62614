// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Link.h"

#include "compiler/Support/ChildProcess.h"

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
static llvm::Expected<std::string> findRuntimeFile(llvm::StringRef file) {
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

static llvm::Expected<std::string> findLibrary() {
  auto library = findRuntimeFile("lib/libheddle_runtime.a");
  if (library)
    return library;
  // Debian's folder for libraries is lib/x86_64-linux-gnu.
  auto installed = findRuntimeFile(HEDDLE_LIBDIR "/libheddle_runtime.a");
  if (!installed) {
    llvm::consumeError(installed.takeError());
    return library;
  }
  llvm::consumeError(library.takeError());
  return installed;
}

static llvm::Error runCompiler(llvm::ArrayRef<std::string> arguments) {
  std::string name = llvm::sys::Process::GetEnv("CC").value_or("cc");
  auto program = llvm::sys::findProgramByName(name);
  if (!program)
    return llvm::createStringError(
        "%s: no such program; linking needs a C compiler (set CC)",
        name.c_str());
  std::vector<std::string> line = {name};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return runProgram(*program, line);
}

// Links `object` and the runtime with `flags`, into `path`.
static llvm::Error link(llvm::StringRef path, llvm::StringRef object,
                        llvm::ArrayRef<std::string> flags) {
  auto runtime = findLibrary();
  if (!runtime)
    return runtime.takeError();
  std::vector<std::string> arguments(flags);
  arguments.insert(arguments.end(),
                   {"-o", path.str(), object.str(), "-Wl,--whole-archive",
                    *runtime, "-Wl,--no-whole-archive", "-pthread"});
  return runCompiler(arguments);
}

llvm::Error heddle::linkSharedLibrary(llvm::StringRef path,
                                      llvm::StringRef object) {
  // Where a process loads several, each calls its own runtime.
  return link(path, object, {"-shared", "-Wl,-Bsymbolic-functions"});
}

llvm::Error heddle::linkExecutable(llvm::StringRef path, llvm::StringRef object,
                                   llvm::StringRef prefix) {
  // The program around a model: reads ids from the command line and prints the
  // likeliest continuation.
  auto mainSource = findRuntimeFile("share/heddle/executable_main.c");
  if (!mainSource)
    return mainSource.takeError();
  auto headers = findRuntimeFile("include/heddle");
  if (!headers)
    return headers.takeError();
  return link(path, object,
              {"-O2", "-I" + *headers, "-DMODEL=" + prefix.str() + "_model",
               *mainSource});
}

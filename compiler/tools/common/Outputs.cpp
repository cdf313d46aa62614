// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Outputs.h"

#include "compiler/Support/Files.h"
#include "compiler/Support/PrintableStream.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle;

// Errors name the file that was asked for.
static llvm::Error failOn(const std::string &path, std::error_code code) {
  return systemError(code, path + ": " + code.message());
}

llvm::Error heddle::writeAll(
    const std::string &path, llvm::raw_fd_ostream &stream,
    llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> write) {
  llvm::Error error = write(stream);
  stream.close(); // an error of the stream would be fatal at its end
  std::error_code code = stream.error();
  stream.clear_error();
  if (!error && code)
    return failOn(path, code);
  return error;
}

static auto writerOf(llvm::StringRef text) {
  return [text](llvm::raw_ostream &stream) -> llvm::Error {
    stream << text;
    return llvm::Error::success();
  };
}

llvm::Error heddle::flushStandardOutput() {
  llvm::outs().flush();
  std::error_code code = llvm::outs().error();
  llvm::outs().clear_error();
  return code ? failOn("cannot write to standard output", code)
              : llvm::Error::success();
}

bool heddle::isStream(const std::string &path) {
  llvm::sys::fs::file_status status;
  return path == "-" || (!llvm::sys::fs::status(path, status) &&
                         llvm::sys::fs::is_other(status));
}

llvm::Error heddle::writeFile(llvm::StringRef path, llvm::StringRef text) {
  if (path == "-") {
    llvm::outs() << text;
    return flushStandardOutput();
  }
  std::string name = path.str();
  if (isStream(name)) {
    std::error_code code;
    llvm::raw_fd_ostream stream(name, code);
    return code ? failOn(name, code) : writeAll(name, stream, writerOf(text));
  }
  OutputSet file;
  if (llvm::Error error = file.write(name, text))
    return error;
  return file.commit();
}

llvm::Expected<std::string> heddle::findDestination(const std::string &path) {
  // One by one, as the last may lead to a file that is still to be made. Of
  // links in a circle the status is an error.
  constexpr int mostLinks = 40; // as Linux follows
  std::filesystem::path destination(path);
  std::error_code code;
  for (int i = 0; i < mostLinks && is_symlink(destination, code); ++i)
    destination = destination.parent_path() / read_symlink(destination, code);
  llvm::sys::fs::file_status status;
  code = llvm::sys::fs::status(destination.string(), status);
  if (code == std::errc::no_such_file_or_directory)
    return destination.string();
  if (code)
    return failOn(path, code);
  if (llvm::sys::fs::is_regular_file(status))
    return destination.string();
  return llvm::createStringError(
      "%s: expected a file, found a %s", path.c_str(),
      llvm::sys::fs::is_directory(status) ? "folder"
                                          : "device, pipe or socket");
}

llvm::Error heddle::checkDistinct(llvm::ArrayRef<std::string> paths) {
  std::map<std::string, std::string> named;
  for (const std::string &path : paths) {
    auto destination = findDestination(path);
    if (path.empty() || !destination) {
      llvm::consumeError(destination.takeError()); // to be found by writing it
      continue;
    }
    // Not by the file system's number of it: there may be no file yet.
    std::error_code code;
    std::filesystem::path file(*destination);
    file = weakly_canonical(absolute(file, code), code);
    auto [other, isNew] =
        named.try_emplace(code ? *destination : file.string(), path);
    if (!isNew)
      return llvm::createStringError(
          "%s: expected a file for each output, found '%s' for another one",
          path.c_str(), other->second.c_str());
  }
  return llvm::Error::success();
}

llvm::Error heddle::checkKept(llvm::ArrayRef<std::string> inputs,
                              llvm::ArrayRef<std::string> outputs) {
  for (const std::string &output : outputs)
    for (const std::string &input : inputs)
      if (llvm::sys::fs::equivalent(input, output))
        return llvm::createStringError(
            "'%s' would replace '%s', which this run reads; expected another "
            "name",
            output.c_str(), input.c_str());
  return llvm::Error::success();
}

// For signal handlers.
static char newFolder[PATH_MAX];
static std::atomic<bool> hasNewFolder = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void heddle::removeNewFolder() {
  if (hasNewFolder.exchange(false))
    rmdir(newFolder);
}

OutputSet::~OutputSet() {
  for (const File &file : files) {
    (void)llvm::sys::fs::remove(file.stagedName);
    llvm::sys::DontRemoveFileOnSignal(file.stagedName);
  }
  if (hasFolder)
    removeNewFolder();
}

llvm::Error OutputSet::makeFolder(const std::string &path) {
  if (llvm::sys::fs::is_directory(path))
    return llvm::Error::success();
  if (path.size() >= sizeof(newFolder))
    return failOn(path, std::make_error_code(std::errc::filename_too_long));
  strcpy(newFolder, path.c_str());
  hasFolder = hasNewFolder = true; // first, as a signal may come at once
  if (mkdir(path.c_str(), 0777) == 0)
    return llvm::Error::success();
  std::error_code code(errno, std::generic_category());
  hasFolder = hasNewFolder = false;
  return failOn(path, code);
}

llvm::Expected<std::string> OutputSet::stage(const std::string &path,
                                             int &descriptor) {
  auto destination = findDestination(path);
  if (!destination)
    return destination;
  auto made = createRemovedOnSignal(*destination + ".", ".incomplete");
  if (!made)
    return failOn(path, made.getError());
  descriptor = made->descriptor;
  files.push_back({path, *destination, made->name});
  return made->name;
}

llvm::Expected<std::string> OutputSet::write(
    const std::string &path,
    llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> write) {
  int descriptor = -1;
  auto name = stage(path, descriptor);
  if (!name)
    return name;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  if (llvm::Error error = writeAll(path, stream, write))
    return error;
  return name;
}

llvm::Error OutputSet::write(const std::string &path, llvm::StringRef text) {
  return write(path, writerOf(text)).takeError();
}

llvm::Error
OutputSet::writeByName(const std::string &path,
                       llvm::function_ref<llvm::Error(llvm::StringRef)> write) {
  int descriptor = -1;
  auto name = stage(path, descriptor);
  if (!name)
    return name.takeError();
  if (std::error_code code =
          llvm::sys::Process::SafelyCloseFileDescriptor(descriptor))
    return failOn(path, code);
  if (llvm::Error error = write(*name))
    return llvm::createStringError(path + ": " +
                                   llvm::toString(std::move(error)));
  return llvm::Error::success();
}

// Who may read or write `destination` is no more than before, where it is
// there.
static std::error_code keepPermissions(const std::string &stagedName,
                                       const std::string &destination) {
  using namespace llvm::sys::fs;
  auto before = getPermissions(destination);
  auto now = getPermissions(stagedName);
  if (!before || !now)
    return now.getError();
  auto others = group_read | group_write | others_read | others_write;
  return setPermissions(stagedName, perms(*now & (*before | ~others)));
}

llvm::Error OutputSet::commit() {
  // What would make a later file fail must not be found after an earlier one
  // has its name.
  for (const File &file : files)
    if (auto found = findDestination(file.destination); !found)
      return found.takeError();
    else if (auto code = keepPermissions(file.stagedName, file.destination))
      return failOn(file.path, code);
  for (const File &file : files)
    if (std::error_code code =
            llvm::sys::fs::rename(file.stagedName, file.destination))
      return failOn(file.path, code);
  for (const File &file : files)
    llvm::sys::DontRemoveFileOnSignal(file.stagedName);
  files.clear();
  if (hasFolder)
    hasFolder = hasNewFolder = false;
  return llvm::Error::success();
}

Progress::Progress(llvm::StringRef tool, bool isShown)
    : tool(tool), isShown(isShown),
      isTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::show(const llvm::Twine &stage) {
  lastLine = std::chrono::steady_clock::now();
  PrintableStream stream(llvm::errs());
  if (isTerminal)
    showPart(stage);
  else if (isShown)
    stream << tool << ": " << stage << "\n";
}

void Progress::showPart(const llvm::Twine &part) {
  if (!isShown || !isTerminal)
    return;
  PrintableStream stream(llvm::errs());
  // Back to the start of the line, and clear the rest of it.
  llvm::errs() << "\r";
  stream << part;
  llvm::errs() << "\033[K";
  isDirty = true;
}

void Progress::showLongPart(const llvm::Twine &part) {
  constexpr std::chrono::seconds interval(10);
  if (isTerminal)
    showPart(part);
  else if (std::chrono::steady_clock::now() - lastLine >= interval)
    show(part);
}

void Progress::done() {
  if (isDirty)
    llvm::errs() << "\r\033[K";
  isDirty = false;
}

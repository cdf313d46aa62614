// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Npz.h"

#include "compiler/Support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <zip.h>

using namespace heddle;
using namespace llvm;

static constexpr StringLiteral kEnding(".npy");
// A few bytes may claim to be many. Arrays that are not compressed are bounded
// by the file.
static constexpr uint64_t kLargestCompressed = 1 << 30;

//===-- reading -----------------------------------------------------------===//

static Error fail(StringRef path, const Twine &why) {
  return createStringError(path + ": " + why);
}

void NpzFile::Close::operator()(struct ::zip *archive) const {
  zip_discard(archive);
}

Expected<NpzFile> NpzFile::open(StringRef path) {
  NpzFile file;
  file.path = path.str();
  auto buffer = readRegularFile(path);
  if (!buffer)
    return buffer.takeError();
  if ((*buffer)->getBufferSize() == 0) // which libzip takes for an archive
    return createStringError(path + " is not a .npz file: it is empty");
  file.buffer = std::move(*buffer);
  zip_error_t error;
  zip_error_init(&error);
  auto forget = scope_exit([&] { zip_error_fini(&error); });
  auto notArchive = [&]() -> Error {
    return createStringError(
        path + " is not a .npz file: " + zip_error_strerror(&error));
  };
  zip_source_t *source = zip_source_buffer_create(
      file.buffer->getBufferStart(), file.buffer->getBufferSize(), 0, &error);
  if (!source)
    return notArchive();
  file.archive.reset(
      zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
  if (!file.archive) {
    zip_source_free(source);
    return notArchive();
  }
  zip_int64_t count = zip_get_num_entries(file.archive.get(), 0);
  if (count == 0)
    return createStringError(path + " has no array");
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *name = zip_get_name(file.archive.get(), i, 0);
    StringRef array = name ? name : "";
    if (!array.consume_back(kEnding))
      return fail(path, "expected .npy files alone, found '" + array + "'");
    file.arrays.push_back(array.str());
  }
  return file;
}

bool NpzFile::has(StringRef name) const { return is_contained(arrays, name); }

Expected<NpyArray> NpzFile::read(StringRef name, heddle_type expected) const {
  std::string where = path + ": " + name.str();
  auto found = find(arrays, name);
  if (found == arrays.end())
    return createStringError(path + " has no array '" + name + "'");
  zip_uint64_t index = found - arrays.begin();
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(archive.get(), index, 0, &stat) != 0 ||
      (stat.valid & needed) != needed)
    return fail(where, zip_strerror(archive.get()));
  uint64_t limit = stat.comp_method == ZIP_CM_STORE ? buffer->getBufferSize()
                                                    : kLargestCompressed;
  if (stat.size > limit)
    return fail(where, "expected at most " + Twine(limit) + " bytes, found " +
                           Twine(stat.size));
  zip_file_t *file = zip_fopen_index(archive.get(), index, 0);
  if (!file)
    return fail(where, zip_strerror(archive.get()));
  auto close = scope_exit([&] { zip_fclose(file); });
  std::string bytes(stat.size, 0);
  zip_int64_t count = zip_fread(file, bytes.data(), bytes.size());
  // Behind the end its checksum is compared.
  char more;
  if (count >= 0 && zip_fread(file, &more, 1) != 0)
    count = -1;
  if (count < 0)
    return fail(where, zip_file_strerror(file));
  bytes.resize(count);
  return parseNpy(bytes, where, expected);
}

//===-- writing -----------------------------------------------------------===//

Expected<std::string>
heddle::formatNpz(ArrayRef<std::pair<std::string, NpyArray>> arrays) {
  zip_error_t error;
  zip_error_init(&error);
  auto forget = scope_exit([&] { zip_error_fini(&error); });
  auto failed = [&](const char *why) {
    return createStringError("cannot make a .npz file: %s", why);
  };
  zip_source_t *target = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (!target)
    return failed(zip_error_strerror(&error));
  auto release = scope_exit([&] { zip_source_free(target); });
  zip_source_keep(target); // closing the archive frees it once
  zip_t *archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  if (!archive) {
    zip_source_free(target); // there is nothing to close
    return failed(zip_error_strerror(&error));
  }
  std::vector<std::string> contents; // until the archive is closed
  contents.reserve(arrays.size());
  for (const auto &[name, array] : arrays) {
    const std::string &content = contents.emplace_back(formatNpy(array));
    zip_source_t *source =
        zip_source_buffer(archive, content.data(), content.size(), 0);
    zip_int64_t index =
        source ? zip_file_add(archive, (name + kEnding.str()).c_str(), source,
                              ZIP_FL_ENC_UTF_8)
               : -1;
    // One content is one file, whenever it is written: 1980-01-01.
    if (index < 0 ||
        zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive, index, 0, 0x21, 0) != 0) {
      std::string why = zip_strerror(archive);
      if (source && index < 0)
        zip_source_free(source);
      zip_discard(archive);
      return failed(why.c_str());
    }
  }
  if (zip_close(archive) != 0) {
    std::string why = zip_strerror(archive);
    zip_discard(archive);
    return failed(why.c_str());
  }
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_source_stat(target, &stat) != 0 || zip_source_open(target) != 0)
    return failed(zip_error_strerror(zip_source_error(target)));
  std::string file(stat.size, 0);
  zip_int64_t count = zip_source_read(target, file.data(), file.size());
  zip_source_close(target);
  if (count != static_cast<zip_int64_t>(file.size()))
    return failed("its bytes cannot be read");
  return file;
}

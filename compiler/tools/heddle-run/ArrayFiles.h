// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a call's arguments: .npy, .npz that have several by name, or .pb
// that ONNX's tests have.

#ifndef HEDDLE_TOOLS_ARRAYFILES_H
#define HEDDLE_TOOLS_ARRAYFILES_H

#include "compiler/tools/common/Npz.h"

#include <map>

struct heddle_model;

namespace heddle {

bool isNpz(llvm::StringRef path);

/// The tensor in a .pb file, a message of the ONNX format.
llvm::Expected<NpyArray> readTensorArray(llvm::StringRef path,
                                         heddle_type type);

/// Reads arrays. Each .npz file is opened once.
class ArrayReader {
public:
  /// The array in a .npy or .pb file, or that called `name` in a .npz file.
  llvm::Expected<NpyArray> read(llvm::StringRef path, llvm::StringRef name,
                                heddle_type type);
  /// The names of all arrays in a .npz file.
  llvm::Expected<llvm::SmallVector<std::string>> names(llvm::StringRef path);
  /// Fails where a .npz file is not one that ArrayWriter has made for caches of
  /// `model`. A .npy file does not say whose it is.
  llvm::Error checkModel(llvm::StringRef path, const heddle_model &model);

private:
  llvm::Expected<NpzFile *> open(llvm::StringRef path);

  std::map<std::string, NpzFile> files;
};

/// Collects arrays by file, and writes all files or none.
class ArrayWriter {
public:
  void add(const std::string &path, llvm::StringRef name, NpyArray array);
  /// The same for what only `model` understands.
  void addCache(const std::string &path, llvm::StringRef name, NpyArray array,
                const heddle_model &model);
  llvm::Error write() const;

private:
  using Arrays = std::vector<std::pair<std::string, NpyArray>>;
  std::map<std::string, Arrays> files;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_ARRAYFILES_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Named tensors in NumPy's .npz files: zip archives of a .npy file for each.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_NPZ_H
#define HEDDLE_COMPILER_TOOLS_COMMON_NPZ_H

#include "compiler/tools/common/Npy.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

struct zip;

namespace heddle {

class NpzFile {
public:
  /// Fails where the file is no archive of .npy files with different names.
  static llvm::Expected<NpzFile> open(llvm::StringRef path);

  /// Without ".npy".
  llvm::ArrayRef<std::string> names() const { return arrays; }
  bool has(llvm::StringRef name) const;

  /// As parseNpy.
  llvm::Expected<NpyArray> read(llvm::StringRef name,
                                heddle_type expected) const;

private:
  struct Close {
    void operator()(struct ::zip *archive) const;
  };

  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::unique_ptr<struct ::zip, Close> archive; ///< of `buffer`
  std::vector<std::string> arrays;              ///< in the archive's order
};

/// The file that holds `arrays`, at least one, as numpy.savez writes it.
llvm::Expected<std::string>
formatNpz(llvm::ArrayRef<std::pair<std::string, NpyArray>> arrays);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_NPZ_H

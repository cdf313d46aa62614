// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that were compiled before, in files that all runs of the compiler
// share.

#ifndef HEDDLE_COMPILER_CODEGEN_KERNELCACHE_H
#define HEDDLE_COMPILER_CODEGEN_KERNELCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace heddle {

/// Several processes and threads may use one folder at a time. What it has is
/// as good as gone where it cannot be read: a kernel is then compiled again.
class KernelCache {
public:
  /// One that finds and keeps nothing.
  KernelCache() = default;
  /// One in `folder`, which the first kernel makes.
  explicit KernelCache(std::string folder) : folder(std::move(folder)) {}
  /// The one of $HEDDLE_CACHE, none where that is empty, and where it is not
  /// set, the folder "heddle" among the user's caches ($XDG_CACHE_HOME or
  /// ~/.cache). What runs of one compiler share, nobody else can read.
  static KernelCache ofUser();

  /// The name of what compiles from `inputs` by this build of the compiler,
  /// its libraries included. Empty, which nothing is kept under, where one of
  /// them has no build id.
  static std::string keyOf(llvm::ArrayRef<llvm::StringRef> inputs);

  /// The bitcode that `keep` was given with `key`, or null.
  std::unique_ptr<llvm::MemoryBuffer> find(llvm::StringRef key) const;
  llvm::Error keep(llvm::StringRef key, llvm::StringRef bitcode) const;
  /// Removes those that nobody has used for 30 days, and those that nobody has
  /// used for longest where all take more than 1 GiB. Looks every 20 minutes.
  void prune() const;

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder; ///< empty: none
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_KERNELCACHE_H

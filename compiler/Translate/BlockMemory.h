// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: which memory of a statement the threads of a block
// share, and what they do to it.

#ifndef HEDDLE_COMPILER_TRANSLATE_BLOCKMEMORY_H
#define HEDDLE_COMPILER_TRANSLATE_BLOCKMEMORY_H

#include <Halide.h>

#include <set>

namespace heddle {

using Names = std::set<std::string>;

/// The memory that each thread has for itself.
Names ownMemory(const Halide::Internal::Stmt &statement);

/// The registers that the threads of a block store to together, each its part.
Names partedRegisters(const Halide::Internal::Stmt &statement);

/// What is read and written of memory that threads share.
class Accesses {
public:
  Accesses() = default;
  /// Of all but `ownMemory`, which is each thread's own.
  Accesses(const Names &ownMemory, const Halide::Internal::Stmt &statement);
  Accesses(const Names &ownMemory, const Halide::Expr &value);

  /// Whether threads that are done with this have to wait for the others before
  /// they do what `next` describes.
  bool mustEndBefore(const Accesses &next) const;

  void include(const Accesses &other);
  void clear();

private:
  Names reads, writes;
};

/// Whether a statement has no part for several threads, and leaves something in
/// memory that they share alone: then one of them does it.
bool isOfOneThread(const Halide::Internal::Stmt &statement,
                   const Names &ownMemory);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_BLOCKMEMORY_H

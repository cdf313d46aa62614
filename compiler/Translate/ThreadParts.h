// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: registers of which each thread of a block has a
// part.

#ifndef HEDDLE_COMPILER_TRANSLATE_THREADPARTS_H
#define HEDDLE_COMPILER_TRANSLATE_THREADPARTS_H

#include "compiler/Translate/LoopNest.h"

#include <set>

namespace heddle {

/// Which part of a func is whose: the elements that all loops over threads deal
/// out to the same thread.
class ThreadPart {
public:
  /// The place, in the part of any thread, of the element at `index`, which is
  /// of the loops of `nest` and those inside of it. Throws MappingError, with
  /// the func's `name`, where these loops deal out other elements than those
  /// before.
  Halide::Expr place(const std::string &name, const Halide::Expr &index,
                     const LoopNest &nest);

  /// The size of a part, where the whole has `extents`. Throws MappingError
  /// where a thread reads or writes what another one has.
  std::vector<Halide::Expr>
  sizeOf(const std::string &name,
         const std::vector<Halide::Expr> &extents) const;

  /// Why a func has no parts.
  static MappingError refuse(const std::string &name, const std::string &why);

private:
  /// A loop over threads: its steps, and how far apart the elements of
  /// neighbours are.
  struct Loop {
    int64_t steps, stride;
  };

  /// Whether `some` deal out to the first threads what `all` deal out to them.
  static bool areOfFirst(const std::vector<Loop> &some,
                         const std::vector<Loop> &all);

  /// Those with the most threads, innermost first, without loops of one step.
  std::vector<Loop> loops;
  std::set<int64_t> places; ///< of the first thread's elements
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_THREADPARTS_H

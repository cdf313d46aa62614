// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: registers of which each thread of a block has a
// part.

#ifndef HEDDLE_COMPILER_TRANSLATE_THREADPARTS_H
#define HEDDLE_COMPILER_TRANSLATE_THREADPARTS_H

#include "compiler/Translate/LoopNest.h"

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

  /// The size of a part, where the whole has `extents`.
  std::vector<Halide::Expr>
  sizeOf(const std::vector<Halide::Expr> &extents) const;

  /// Why a func has no parts.
  static MappingError refuse(const std::string &name, const std::string &why);

private:
  /// Of the loops over threads, and how far apart the elements of neighbours
  /// are. Empty until the first is found.
  std::vector<int64_t> steps, strides;
  /// The last place in a part, if all are known.
  std::optional<int64_t> last = 0;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_THREADPARTS_H

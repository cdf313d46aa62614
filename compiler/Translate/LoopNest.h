// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: loops that become one, over blocks or over threads.

#ifndef HEDDLE_COMPILER_TRANSLATE_LOOPNEST_H
#define HEDDLE_COMPILER_TRANSLATE_LOOPNEST_H

#include <Halide.h>

namespace heddle {

/// What a schedule asks for that no block of threads can do.
struct MappingError {
  std::string message;
};

/// Loops of one kind inside of each other, outermost first, with nothing but
/// values and conditions between them.
struct LoopNest {
  /// Those that begin with `outermost`. Throws MappingError where the bounds of
  /// one depend on another.
  static LoopNest of(const Halide::Internal::For *outermost);

  /// As one loop: the number of its steps, and what it does at step `number`.
  /// Steps of the innermost loop are side by side.
  std::pair<Halide::Expr, Halide::Internal::Stmt>
  asOne(const Halide::Expr &number) const;

  bool hasLoop(const std::string &name) const;

  std::vector<const Halide::Internal::For *> loops;
  /// As they are before the first loop.
  std::vector<Halide::Expr> mins, extents;

private:
  /// What the innermost loop does, with all that stands between the loops.
  Halide::Internal::Stmt body() const;

  std::vector<Halide::Internal::Stmt> between; ///< LetStmt and IfThenElse
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_LOOPNEST_H

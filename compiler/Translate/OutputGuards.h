// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: guards of the loops over a product's outputs, on a
// device.

#ifndef HEDDLE_COMPILER_TRANSLATE_OUTPUTGUARDS_H
#define HEDDLE_COMPILER_TRANSLATE_OUTPUTGUARDS_H

#include "dialect/Halide/HalideDialect.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"

#include <Halide.h>

#include <map>

namespace heddle {

/// The variables of outputs whose loops are split with a guard. The guard is a
/// condition on what is stored: Halide's own it would divide loops over blocks
/// by, and have their bodies several times.
class OutputGuards {
public:
  /// Finds those of a product with a schedule. One that is not the compiler's
  /// own has none where it computes anything but parts of the product in loops:
  /// those alone read no input past its end where their tiles reach over it.
  void find(halide::PipelineOp pipeline);

  bool has(llvm::StringRef func, llvm::StringRef var) const;

  bool isPart(llvm::StringRef func) const { return parts.contains(func); }

  /// Where bounds are asserted, guarded variables of the output `name` that are
  /// promised to be below their ends: what it reads is read inside of the
  /// guard, which is hidden from bounds as well.
  std::map<std::string, Halide::Expr>
  promises(llvm::StringRef name, const std::vector<Halide::Var> &vars,
           const std::vector<Halide::Expr> &ends) const;

  /// What `func`, the output `name`, stores at `vars`: `elements`, and nothing
  /// at or past the `ends` of guarded variables.
  Halide::Tuple guard(llvm::StringRef name, const Halide::Func &func,
                      const std::vector<Halide::Var> &vars,
                      const std::vector<Halide::Expr> &ends,
                      const Halide::Tuple &elements);

  /// An assertion; one that an output is accessed inside of its bounds has
  /// nothing left about the end of a guarded variable.
  Halide::Internal::Stmt
  withoutEnd(const Halide::Internal::Stmt &assertion) const;

private:
  bool isChecked = false;
  llvm::StringSet<> parts;                    ///< of the product
  llvm::StringMap<llvm::StringSet<>> guarded; ///< variables, by output
  /// By what assertions call an output.
  llvm::StringMap<llvm::SmallSet<int64_t, 4>> dimensions;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_OUTPUTGUARDS_H

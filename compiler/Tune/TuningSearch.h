// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for the configuration with which each kernel is fastest. Who
// measures is not known here.

#ifndef HEDDLE_COMPILER_TUNE_TUNINGSEARCH_H
#define HEDDLE_COMPILER_TUNE_TUNINGSEARCH_H

#include "compiler/Target/MachineModel.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace heddle {

/// Kernels are searched side by side, as each round measures one candidate of
/// every kernel. Of a kernel these are the neighbours of the best configuration
/// so far that have not been measured.
class TuningSearch {
public:
  /// The share of the first configuration's time by which one must be faster
  /// than another to be better: two measurements of one differ by as much (a
  /// Zen 5, two cores of a shared machine).
  static constexpr double kNoise = 0.02;

  struct Kernel {
    KernelOp op;
    mlir::Attribute first, best, candidate;
    double ratio = 1;   ///< the time of `best` by that of `first`
    unsigned tried = 0; ///< configurations besides the first
  };

  /// Of the kernels of `module` that `isSearched`, which keep what they have.
  TuningSearch(mlir::ModuleOp module, const MachineModel &machine,
               llvm::function_ref<bool(KernelOp)> isSearched);

  /// Gives every kernel its next candidate, which is its best where there is
  /// none. False where no kernel has one.
  bool propose();
  /// Says that `kernel` takes `ratio` of its first configuration's time with
  /// its candidate.
  void learn(llvm::StringRef kernel, double ratio);
  /// Makes the best the candidates, to be measured once more.
  void proposeBest();
  /// Goes back to the first configuration where the last measurement of the
  /// best, which `ratio` tells of, does not confirm it, and tells if it does.
  bool confirm(llvm::StringRef kernel, double ratio);

  const std::vector<Kernel> &kernels() const { return all; }

private:
  Kernel *find(llvm::StringRef name);

  const MachineModel &machine;
  std::vector<Kernel> all;
  /// Of each kernel, what has been measured.
  std::vector<llvm::DenseSet<mlir::Attribute>> measured;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TUNE_TUNINGSEARCH_H

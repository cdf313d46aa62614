// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Tune/TuningSearch.h"

#include "compiler/Tune/Neighbours.h"

using namespace mlir;
using namespace heddle;

TuningSearch::TuningSearch(ModuleOp module, const MachineModel &machine,
                           llvm::function_ref<bool(KernelOp)> isSearched)
    : machine(machine) {
  for (auto kernel : module.getOps<KernelOp>()) {
    Attribute first = kernel->getAttr(kConfigurationAttr);
    if (!first || !isSearched(kernel))
      continue;
    all.push_back({kernel, first, first, first});
    measured.emplace_back().insert(first);
  }
}

bool TuningSearch::propose() {
  bool isAny = false;
  for (auto [kernel, known] : llvm::zip_equal(all, measured)) {
    kernel.candidate = kernel.best;
    for (Attribute near : neighboursOf(kernel.op, kernel.best, machine))
      if (known.insert(near).second) {
        kernel.candidate = near;
        ++kernel.tried;
        isAny = true;
        break;
      }
  }
  return isAny;
}

TuningSearch::Kernel *TuningSearch::find(StringRef name) {
  auto found = llvm::find_if(all, [&](const Kernel &kernel) {
    return KernelOp(kernel.op).getSymName() == name;
  });
  return found == all.end() ? nullptr : &*found;
}

void TuningSearch::learn(StringRef name, double ratio) {
  Kernel *kernel = find(name);
  if (!kernel || kernel->candidate == kernel->best ||
      ratio > kernel->ratio - kNoise)
    return;
  kernel->best = kernel->candidate;
  kernel->ratio = ratio;
}

void TuningSearch::proposeBest() {
  for (Kernel &kernel : all)
    kernel.candidate = kernel.best;
}

bool TuningSearch::confirm(StringRef name, double ratio) {
  Kernel *kernel = find(name);
  if (!kernel || kernel->best == kernel->first)
    return true;
  kernel->ratio = ratio;
  if (ratio <= 1 - kNoise)
    return true;
  kernel->best = kernel->first;
  kernel->ratio = 1;
  return false;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of compiled entry points, compared with the model as it was imported.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFYMODEL_H
#define HEDDLE_COMPILER_VERIFY_VERIFYMODEL_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Reference/Evaluator.h"
#include "compiler/Reference/Perturbation.h"
#include "compiler/Verify/VerifySummary.h"

namespace heddle {

/// One call that has returned.
struct FinishedCall {
  const EntryPlan &entry;
  llvm::ArrayRef<int64_t> sizes;  ///< of the entry's symbols
  llvm::ArrayRef<void *> buffers; ///< one for each argument
};

/// What a cache holds after the calls so far, according to the reference: as it
/// should be, and as it is with roundings.
struct CacheHistory {
  reference::CacheView exact, perturbed;

  static CacheHistory create(CacheType type, int64_t batch, int64_t capacity);
};

/// Compares results, not kernels, so that ops that were put into kernels in a
/// wrong way are found, too. Tolerances are those of Perturbation.h.
class ModelVerifier {
public:
  /// `original` has been through no pass. Both must outlive this.
  ModelVerifier(mlir::ModuleOp original, const TensorSource *source)
      : original(original), evaluator(original, source) {}

  /// Evaluates the call, which takes `caches` one further (one for each
  /// argument that is a cache), and compares its caches and outputs.
  llvm::Error compare(const FinishedCall &call,
                      llvm::ArrayRef<CacheHistory *> caches,
                      VerifySummary &summary);

private:
  llvm::Expected<reference::Evaluator::Results>
  evaluate(const FinishedCall &call, llvm::ArrayRef<CacheHistory *> caches,
           reference::CacheView CacheHistory::*view);
  /// The same with roundings.
  llvm::Expected<reference::Evaluator::Results>
  evaluateMoved(const FinishedCall &call, llvm::ArrayRef<CacheHistory *> caches,
                reference::Perturbation &perturbation);
  /// The same of several draws, of each element the one furthest from `exact`.
  llvm::Expected<reference::Evaluator::Results>
  evaluateFurthest(const FinishedCall &call,
                   llvm::ArrayRef<CacheHistory *> caches,
                   llvm::ArrayRef<reference::Value> exact);
  /// Takes another draw into account.
  llvm::Error addDraw(const FinishedCall &call,
                      llvm::ArrayRef<CacheHistory *> caches,
                      reference::Perturbation perturbation,
                      llvm::ArrayRef<reference::Value> exact,
                      llvm::MutableArrayRef<reference::Value> furthest);
  llvm::Error compareResults(const FinishedCall &call,
                             llvm::ArrayRef<CacheHistory *> caches,
                             llvm::ArrayRef<reference::Value> exact,
                             llvm::ArrayRef<reference::Value> perturbed,
                             VerifySummary &summary);
  llvm::Error compareCache(const FinishedCall &call, unsigned argument,
                           const CacheHistory &cache, VerifySummary &summary);
  /// `diverges` says whether some result of the call does.
  llvm::Error compareOutput(const FinishedCall &call, unsigned argument,
                            const reference::Tensor &exact,
                            const reference::Tensor &perturbed, bool diverges,
                            VerifySummary &summary);

  mlir::ModuleOp original;
  reference::Evaluator evaluator;
  unsigned draws = 0; ///< of signs, so far
};

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFYMODEL_H

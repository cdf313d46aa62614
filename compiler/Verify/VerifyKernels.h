// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call of a compiled entry point, watched kernel by kernel.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFYKERNELS_H
#define HEDDLE_COMPILER_VERIFY_VERIFYKERNELS_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Host/KernelSignature.h"
#include "compiler/Reference/ErrorBounds.h"
#include "compiler/Reference/Evaluator.h"
#include "compiler/Verify/VerifySummary.h"

namespace heddle {

/// The observer of a call. What it compares:
///   - of tensors, all elements;
///   - of caches, all elements: what has not been appended must not have
///   changed.
class KernelVerifier {
public:
  /// `started` is told the name of each kernel before it runs.
  KernelVerifier(mlir::ModuleOp module, const EntryPlan &entry,
                 llvm::ArrayRef<int64_t> sizes, reference::Evaluator &evaluator,
                 VerifySummary &summary,
                 std::function<void(llvm::StringRef)> started);

  /// A heddle_observer; `data` is the KernelVerifier.
  static void observe(void *data, const heddle_kernel_event *event);
  /// Before the process is copied: from here on copies of it tell each other
  /// which kernel runs. One that touches memory that is not its own ends its
  /// process (VerifyMemory.h).
  static void shareRunningKernel();
  static std::optional<llvm::StringRef> runningKernel();

  /// The kernel that has begun and not finished, and the sizes of the call; of
  /// a call that has failed.
  std::string unfinished() const;

  /// The message of the first failure.
  const std::optional<std::string> &firstFailure() const { return failure; }

private:
  void observe(const heddle_kernel_event &event);
  llvm::Error readArguments(const heddle_kernel_event &event);
  llvm::Error compareResults(const heddle_kernel_event &event);
  llvm::Expected<reference::Value>
  readArgument(const heddle_kernel_event &event, unsigned index);
  reference::CacheView readCache(const heddle_kernel_event &event,
                                 CacheType type,
                                 llvm::ArrayRef<unsigned> buffers);
  llvm::Error compareTensor(const heddle_kernel_event &event, unsigned result,
                            const reference::Value &want);
  llvm::Error compareCache(const heddle_kernel_event &event, unsigned result,
                           const reference::Value &want);
  llvm::Error note(const heddle_kernel_event &event, unsigned result,
                   llvm::StringRef part, llvm::ArrayRef<int64_t> shape,
                   std::optional<reference::Deviation> worst);

  /// The bounds of appended rows, at the positions where they are stored.
  void spreadBounds(CacheAppendOp append, CachePart part,
                    const reference::CacheStorage &storage,
                    llvm::MutableArrayRef<double> bounds);

  LaunchOp launchOf(const heddle_kernel_event &event) const;
  KernelOp kernelOf(const heddle_kernel_event &event) const;
  /// Positions, among the event's buffers, of those of a kernel's argument or
  /// result; of a cache, its parts.
  llvm::SmallVector<unsigned> buffersOf(const heddle_kernel_event &event,
                                        bool isResult, unsigned index) const;
  llvm::SmallVector<int64_t> shapeOf(mlir::Type type) const;

  const char *begun = nullptr; ///< a kernel's name
  const EntryPlan &entry;
  llvm::ArrayRef<int64_t> sizes;
  reference::Evaluator &evaluator;
  VerifySummary &summary;
  std::function<void(llvm::StringRef)> started;
  mlir::SymbolTable symbols;
  llvm::SmallVector<LaunchOp> launches;
  llvm::StringMap<KernelSignature> signatures;
  /// Of the kernel that runs: its arguments before, what its results may be off
  /// by, and the operands of its cache.append ops.
  llvm::SmallVector<reference::Value> arguments;
  reference::ErrorBounds bounds;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<reference::Value>>
      appends;
  std::optional<std::string> failure;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFYKERNELS_H

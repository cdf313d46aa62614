// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compiled model, loaded into this process.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_ARTIFACT_H
#define HEDDLE_COMPILER_TOOLS_COMMON_ARTIFACT_H

#include "compiler/RuntimeError.h"
#include "runtime/heddle.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>

namespace heddle {

struct CloseWeights {
  void operator()(heddle_weights *weights) const {
    heddle_weights_close(weights);
  }
};
using WeightsHandle = std::unique_ptr<heddle_weights, CloseWeights>;

struct DestroyThreads {
  void operator()(heddle_threads *threads) const {
    heddle_threads_destroy(threads);
  }
};
using ThreadsHandle = std::unique_ptr<heddle_threads, DestroyThreads>;

/// 0 threads are one for each CPU.
llvm::Expected<ThreadsHandle> createThreads(int count);

/// A shared library, or an object, alone or in a static library, which is
/// linked first. A shared library brings its own copy of the runtime, but only
/// this program's is called: what the two share is the model's constant data.
class Artifact {
public:
  /// `target` is "cpu", "opencl" or "cuda", or empty for the first that the
  /// model was compiled for.
  static llvm::Expected<Artifact> load(llvm::StringRef path,
                                       llvm::StringRef target = "");

  /// That of the target.
  const heddle_model &model() const { return *description; }
  /// Those of all targets, the first one first.
  llvm::SmallVector<const heddle_model *> targets() const;

  /// The entry point `name`, or where it is empty the only one, or "run"; an
  /// error lists those that there are.
  llvm::Expected<const heddle_entry *> findEntry(llvm::StringRef name) const;

  /// `path`, or where it is empty the file beside the artifact; none where the
  /// weights are inside.
  std::optional<std::string> weightsPath(llvm::StringRef path) const;
  /// `verify` reads all data and compares its checksum.
  llvm::Expected<WeightsHandle> openWeights(llvm::StringRef path,
                                            bool verify = false) const;

private:
  struct CloseLibrary {
    void operator()(void *library) const;
  };

  Artifact() = default;
  llvm::Error openLibrary(llvm::StringRef path, const std::string &symbol);
  llvm::Error chooseTarget(llvm::StringRef target);

  std::string artifactPath;
  std::unique_ptr<void, CloseLibrary> library;
  const heddle_model *first = nullptr, *description = nullptr;
};

/// "cpu", "opencl", "cuda"
llvm::StringRef targetOf(const heddle_model &model);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_ARTIFACT_H

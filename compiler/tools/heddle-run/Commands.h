// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The subcommands, and the options that they share. Each has a file.

#ifndef HEDDLE_TOOLS_COMMANDS_H
#define HEDDLE_TOOLS_COMMANDS_H

#include "compiler/tools/common/Artifact.h"
#include "compiler/tools/common/Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>

struct heddle_model;

namespace heddle {

struct Command {
  const llvm::cl::SubCommand *name;
  llvm::Error (*run)();
  /// Adds those of its options whose values are not any text.
  void (*describe)(OptionValues &values) = nullptr;
};

Command benchCommand();
Command classifyCommand();
Command embedCommand();
Command generateCommand();
Command inspectCommand();
Command perplexityCommand();
Command runCommand();
Command transcribeCommand();
Command verifyCommand();

/// A compiled model: its file, that of its weights or none for the one beside
/// it, and the target or none for the first.
struct ArtifactNames {
  std::string artifact, weights, target;
};

/// What every subcommand takes.
struct ArtifactOptions {
  explicit ArtifactOptions(llvm::cl::SubCommand &command);

  ArtifactNames names() const { return {artifact, weights, target}; }
  llvm::Expected<Artifact> load() const {
    return Artifact::load(artifact, target);
  }

  llvm::cl::opt<std::string> artifact;
  llvm::cl::opt<std::string> weights;
  llvm::cl::opt<std::string> target;
};

/// What those that call the model take.
struct ThreadOptions {
  explicit ThreadOptions(llvm::cl::SubCommand &command);

  llvm::Expected<ThreadsHandle> create() const;

  llvm::cl::opt<int> threads;
};

/// "--size batch=1,length=128".
struct SizeOptions {
  explicit SizeOptions(llvm::cl::SubCommand &command);

  /// By name. Every name is a size of some entry point of `model`.
  llvm::Expected<std::map<std::string, int64_t>>
  parse(const heddle_model &model) const;

  llvm::cl::list<std::string> sizes;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_COMMANDS_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the attributes of Configuration.td are called, and what is the same in
// all configurations.

#ifndef HEDDLE_DIALECT_HEDDLE_CONFIGURATION_H
#define HEDDLE_DIALECT_HEDDLE_CONFIGURATION_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// The attribute of a module: what it is compiled for.
inline constexpr llvm::StringLiteral kTargetAttr = "heddle.target";
/// Does a device run the kernels of `module`, as its target says?
bool isForDevice(mlir::ModuleOp module);
/// The attribute of a kernel and of the pipeline that implements it.
inline constexpr llvm::StringLiteral kConfigurationAttr =
    "heddle.configuration";

/// Elements in the straight code of a register tile, at most: four times what
/// the largest of the compiler's own has. Halide takes minutes for ten times as
/// much.
inline constexpr int64_t kMostStraightElements = 4096;

/// The f32 in a vector that a configuration, of whatever kind, says.
int64_t vectorOf(mlir::Attribute configuration);
/// What a task of attention computes, as a configuration says: rows, blocks of
/// keys of a chunk, and how many of those are scored together.
struct AttentionTask {
  int64_t rows, chunk, group;
};
AttentionTask attentionTaskOf(mlir::Attribute configuration);
/// The threads of a block that a configuration for a device says.
int64_t threadsOf(mlir::Attribute configuration);
/// Values of `bytes` bytes in a vector of so many f32.
int64_t lanesOf(int64_t vector, int64_t bytes);
/// The same of what is combined in lanes: no more than of f32, because the
/// lanes are combined one by one in the end.
int64_t partialLanesOf(int64_t vector, int64_t bytes);
/// The widest vector of at most `vector` lanes, a power of two, that divides
/// `extent`.
int64_t vectorDividing(int64_t extent, int64_t vector);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_CONFIGURATION_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffer each value of an entry point is in.

#ifndef HEDDLE_COMPILER_HOST_BUFFERPLAN_H
#define HEDDLE_COMPILER_HOST_BUFFERPLAN_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Host/KernelSignature.h"
#include "compiler/Host/Liveness.h"
#include "compiler/Host/Workspace.h"

namespace heddle {

/// Whether `value` is in memory rather than a number.
inline bool isInMemory(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

class BufferPlan {
public:
  /// Of a buffer without elements kernels may read so many bytes, for which
  /// there is room; null where they read none.
  BufferPlan(mlir::func::FuncOp function, const EntryPlan &entry,
             SizeAttr readPastEmpty);

  /// The output that holds a result of a launch, which is returned.
  std::optional<unsigned> outputOf(mlir::Value value) const;
  /// The part of the workspace that holds any other.
  Workspace::Place placeOf(mlir::Value value) const {
    return workspace.placeOf(values.at(value));
  }
  /// One of the parts that a loop has for the tensors that it carries round:
  /// one for each that enters it, and one for each that it hands on.
  Workspace::Place slotOf(mlir::Operation *loop, unsigned index) const {
    return workspace.placeOf(slots.at({loop, index}));
  }
  /// Whether a launch writes what `handedOn` hands on straight to where it
  /// goes.
  bool isWrittenInPlace(mlir::OpOperand &handedOn) const {
    return inPlace.contains(&handedOn);
  }
  SizeAttr workspaceBytes() const { return bytes; }
  /// Whether buffers without elements have to have memory all the same.
  bool readsPastEmpty() const { return bool(readPastEmpty); }

private:
  void findOutputs(mlir::func::FuncOp function, const EntryPlan &entry);
  void findHandedOn(mlir::Operation *terminator);
  /// The results of an op that computes them.
  void placeValues(mlir::Operation *op);
  void placeLoop(mlir::Operation *loop);
  void placeResults(mlir::Operation *op);
  Workspace::Buffer allocate(mlir::Value value, unsigned first, unsigned last);
  /// What lives as long as control flow and all of its results do.
  Workspace::Buffer allocateFor(mlir::Operation *controlFlow,
                                mlir::Value value);

  SizeAttr readPastEmpty;
  Liveness liveness;
  Workspace workspace;
  SizeAttr bytes;
  llvm::DenseMap<mlir::Value, unsigned> outputs;
  llvm::DenseMap<mlir::Value, Workspace::Buffer> values;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, Workspace::Buffer>
      slots;
  llvm::DenseSet<mlir::OpOperand *> inPlace;
  /// What those operands are.
  llvm::DenseSet<mlir::Value> writtenInPlace;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_BUFFERPLAN_H

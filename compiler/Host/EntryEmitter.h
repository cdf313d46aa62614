// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: the state of emitting `run` of one entry point.
// Storage and launches are in EmitEntry.cpp, control flow is in
// EmitControlFlow.cpp, heddle.insert in EmitInsert.cpp.

#ifndef HEDDLE_COMPILER_HOST_ENTRYEMITTER_H
#define HEDDLE_COMPILER_HOST_ENTRYEMITTER_H

#include "compiler/Host/BufferPlan.h"
#include "compiler/Host/EmitSize.h"
#include "compiler/Host/LoopState.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

/// Bytes, and where among them something starts.
struct Storage {
  mlir::Value bytes; ///< memref<?xi8>
  SizeAttr offset;
};

class EntryEmitter {
public:
  EntryEmitter(mlir::OpBuilder &builder, mlir::func::FuncOp function,
               const EntryPlan &entry, const WeightPlan &weights,
               const KernelSignatures &kernels, const BufferPlan &plan)
      : b(builder), context(builder.getContext()), loc(function.getLoc()),
        function(function), entry(entry), weights(weights), kernels(kernels),
        plan(plan),
        isOnDevice(isForDevice(function->getParentOfType<mlir::ModuleOp>())) {}

  void run();

private:
  //===-- Storage ---------------------------------------------------------===//

  SizeAttr number(int64_t value) const {
    return SizeAttr::number(context, value);
  }
  mlir::Value emit(SizeAttr size) { return sizes->emit(size); }
  mlir::Value argument(unsigned index);
  mlir::Value wholeWorkspace();
  mlir::Value workspacePart(Workspace::Place place);
  Storage storageOf(mlir::Value value, mlir::Operation *user);
  Storage cacheOf(LaunchOp launch, mlir::Value cache,
                  const KernelBuffer &buffer);
  Storage storageOf(LaunchOp launch, const KernelSignature &kernel,
                    unsigned index);
  mlir::Value readable(LaunchOp launch, const KernelSignature &kernel,
                       unsigned index);
  mlir::Value view(Storage storage, const KernelBuffer &buffer);
  /// The bytes alone, of which there are so many.
  mlir::Value bytesAt(Storage storage, SizeAttr bytes);
  void copy(Storage from, mlir::Value to, SizeAttr bytes);
  void copyBytes(mlir::Value from, mlir::Value to);
  mlir::Value load(mlir::Value memory, mlir::Value index);
  void store(mlir::Value value, mlir::Value memory, mlir::Value index);
  mlir::OpBuilder prelude() const { return mlir::OpBuilder(descriptors); }

  //===-- Ops -------------------------------------------------------------===//

  void emitBlock(mlir::Block &block);
  void emitLaunch(LaunchOp launch);
  mlir::Value emitWritesAny(const KernelSignature &kernel);
  void emitDispatch(LaunchOp launch, const KernelSignature &kernel);
  void copyOutputs(mlir::Operation *terminator);

  //===-- Control flow ----------------------------------------------------===//

  void emitExtract(mlir::tensor::ExtractOp op);
  void emitFromNumber(FromNumberOp op);
  void emitInsert(InsertOp op);
  mlir::Value elementsOf(Storage storage, mlir::Type type, SizeAttr count);
  std::pair<mlir::Value, mlir::Value> endAndStep(mlir::scf::ForOp op,
                                                 mlir::Value first);
  void emitFor(mlir::scf::ForOp op);
  void emitWhile(mlir::scf::WhileOp op);
  void emitIf(mlir::scf::IfOp op);
  void emitBranch(mlir::scf::IfOp op, mlir::Region &from, mlir::Region &to);

  /// What `values` enter `loop` with, whose first region hands on `handedOn`.
  LoopState enter(mlir::Operation *loop, mlir::ValueRange values,
                  mlir::ValueRange handedOn);
  /// Copies what `arguments` begin with to the loop's own memory, where it
  /// writes that in place.
  void takeOver(mlir::ValueRange arguments, LoopState &state);
  /// Emits a region of a loop that `state` enters as `arguments`; returns what
  /// `handedOn`, operands of its terminator, take to the next.
  LoopState emitRegion(mlir::Block &region, mlir::ValueRange arguments,
                       const LoopState &state,
                       mlir::MutableArrayRef<mlir::OpOperand> handedOn);
  /// Says what `values` are: numbers and memory of `state`.
  void bind(mlir::ValueRange values, const LoopState &state);
  /// Lets launches whose results are handed on write them to `targets`, of
  /// which each tensor has one.
  void bindTargets(mlir::MutableArrayRef<mlir::OpOperand> handedOn,
                   llvm::ArrayRef<mlir::Value> targets);
  /// What `handedOn` take to the next region from one with `arguments`, which
  /// `state` has entered. Copies what no launch has written.
  LoopState handOn(mlir::MutableArrayRef<mlir::OpOperand> handedOn,
                   mlir::ValueRange arguments, const LoopState &state);
  llvm::SmallVector<mlir::Value> numbersOf(mlir::ValueRange values);

  mlir::OpBuilder &b;
  mlir::MLIRContext *context;
  mlir::Location loc;
  mlir::func::FuncOp function;
  const EntryPlan &entry;
  const WeightPlan &weights;
  const KernelSignatures &kernels;
  const BufferPlan &plan;
  const bool isOnDevice; ///< where memory is

  /// What depends on sizes alone stands before this.
  DescriptorsOp descriptors;
  mlir::Value frame;
  std::optional<SizeEmitter> sizes;
  unsigned launches = 0;
  llvm::DenseMap<unsigned, mlir::Value> arguments;
  llvm::DenseMap<SizeAttr, mlir::Value> parts; ///< of the workspace, by offset
  mlir::Value workspace, packed;
  /// Where tensors are that control flow hands on.
  llvm::DenseMap<mlir::Value, mlir::Value> carried;
  mlir::IRMapping scalars;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_ENTRYEMITTER_H

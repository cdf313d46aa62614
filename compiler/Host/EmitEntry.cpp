// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @f.run(%frame) -> i32 {
//   sizes, buffers and parts of the workspace;
//   heddle.dispatch for each launch
// }

#include "compiler/Host/EmitEntry.h"

#include "compiler/Host/EmitNumber.h"
#include "compiler/Host/EntryEmitter.h"
#include "compiler/Host/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

//===-- Storage -----------------------------------------------------------===//

Value EntryEmitter::argument(unsigned index) {
  Value &known = arguments[index];
  if (!known) {
    Value bytes = emit(entry.arguments[index].bytes);
    OpBuilder before = prelude();
    known = FrameArgumentOp::create(
        before, loc,
        MemRefType::get({ShapedType::kDynamic}, before.getI8Type()), frame,
        before.getI64IntegerAttr(index), bytes);
  }
  return known;
}

Value EntryEmitter::wholeWorkspace() {
  if (!workspace) {
    Value bytes = emit(plan.workspaceBytes());
    OpBuilder before = prelude();
    workspace = FrameWorkspaceOp::create(
        before, loc,
        MemRefType::get({ShapedType::kDynamic}, before.getI8Type()), frame,
        bytes);
  }
  return workspace;
}

Value EntryEmitter::workspacePart(Workspace::Place place) {
  auto type = cast<MemRefType>(wholeWorkspace().getType());
  Value &known = parts[place.offset];
  if (!known) {
    Value offset = emit(place.offset), bytes = emit(place.bytes);
    OpBuilder before = prelude();
    known = memref::ViewOp::create(before, loc, type, workspace, offset, bytes);
  }
  return known;
}

// The entry point's cache that `value` is a later state of.
static BlockArgument rootOf(Value value) {
  while (auto launch = value.getDefiningOp<LaunchOp>())
    value = *llvm::find_if(launch.getOperands(), [](Value operand) {
      return isa<CacheType>(operand.getType());
    });
  return cast<BlockArgument>(value);
}

// [layer][part][batch][head]..., of so many bytes a position each.
Storage EntryEmitter::cacheOf(LaunchOp launch, Value cache,
                              const KernelBuffer &buffer) {
  auto type = cast<CacheType>(cache.getType());
  CacheType layer = type.withLayers(1);
  int64_t before = launch.getLayer().value_or(0) * layer.getBytesPerPosition();
  auto parts = type.getParts();
  for (CachePart part : ArrayRef(parts).take_front(buffer.part))
    before += type.getBytesPerPosition(part);
  return {argument(rootOf(cache).getArgNumber()), positionsOf(type) * before};
}

// As `user` finds it.
Storage EntryEmitter::storageOf(Value value, Operation *user) {
  if (Value bytes = carried.lookup(value))
    return {bytes, number(0)};
  if (auto parameter = dyn_cast<BlockArgument>(value))
    return {argument(parameter.getArgNumber()), number(0)};
  Operation *producer = value.getDefiningOp();
  if (isa<WeightRefOp, TableOpInterface>(producer)) {
    if (!packed) {
      OpBuilder before = prelude();
      packed = FrameWeightsOp::create(
          before, loc, MemRefType::get({weights.size()}, before.getI8Type()),
          frame);
    }
    return {packed, number(weights.offsetOf(producer))};
  }
  if (std::optional<unsigned> output = plan.outputOf(value))
    return {argument(*output), number(0)};
  return {workspacePart(plan.placeOf(value)), number(0)};
}

Storage EntryEmitter::storageOf(LaunchOp launch, const KernelSignature &kernel,
                                unsigned index) {
  const KernelBuffer &buffer = kernel.buffers[index];
  Value value = buffer.isWritten ? launch.getResult(buffer.value)
                                 : launch.getOperand(buffer.value);
  return isa<CacheType>(value.getType()) ? cacheOf(launch, value, buffer)
                                         : storageOf(value, launch);
}

Value EntryEmitter::view(Storage storage, const KernelBuffer &buffer) {
  SmallVector<Value> dynamic;
  for (SizeAttr extent : buffer.extents)
    if (!extent.asNumber())
      dynamic.push_back(emit(extent));
  return memref::ViewOp::create(b, loc, buffer.type(), storage.bytes,
                                emit(storage.offset), dynamic);
}

// A buffer without elements has memory all the same: any, as nothing is made of
// what is read there.
Value EntryEmitter::readable(LaunchOp launch, const KernelSignature &kernel,
                             unsigned index) {
  const KernelBuffer &buffer = kernel.buffers[index];
  Value found = view(storageOf(launch, kernel, index), buffer);
  SizeAttr count = product(context, buffer.extents);
  if (buffer.isWritten || !plan.readsPastEmpty() ||
      entry.rangeOf(count).least > 0)
    return found;
  Value isEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emit(count), emit(number(0)));
  return arith::SelectOp::create(
      b, loc, isEmpty, view({wholeWorkspace(), number(0)}, buffer), found);
}

//===-- Ops ---------------------------------------------------------------===//

// Whether a kernel has an element to write; null where it has one whatever the
// sizes are.
Value EntryEmitter::emitWritesAny(const KernelSignature &kernel) {
  SizeAttr elements = number(0);
  for (const KernelBuffer &buffer : kernel.buffers) {
    if (!buffer.isWritten)
      continue;
    SizeAttr count = product(context, buffer.extents);
    if (entry.rangeOf(count).least > 0)
      return {};
    elements = elements + count;
  }
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, emit(elements),
                               emit(number(0)));
}

void EntryEmitter::emitLaunch(LaunchOp launch) {
  const KernelSignature &kernel = kernels.at(launch.getKernel());
  if (Value writesAny = emitWritesAny(kernel)) {
    auto choice =
        scf::IfOp::create(b, loc, writesAny, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(choice.thenYield());
    emitDispatch(launch, kernel);
  } else {
    emitDispatch(launch, kernel);
  }
}

void EntryEmitter::emitDispatch(LaunchOp launch,
                                const KernelSignature &kernel) {
  SmallVector<Value> inputs;
  for (SizeAttr parameter : kernel.parameters)
    inputs.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), emit(parameter)));
  for (unsigned index = 0; index < kernel.buffers.size(); ++index)
    inputs.push_back(readable(launch, kernel, index));
  DispatchOp::create(b, loc, kernel.name.getValue(), launches++, frame,
                     descriptors, inputs);
}

void EntryEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](LaunchOp op) { emitLaunch(op); })
        .Case([&](tensor::ExtractOp op) { emitExtract(op); })
        .Case([&](FromNumberOp op) { emitFromNumber(op); })
        .Case([&](InsertOp op) { emitInsert(op); })
        .Case(
            [&](SizeOp op) { scalars.map(op.getResult(), emit(op.getSize())); })
        .Case([&](scf::ForOp op) { emitFor(op); })
        .Case([&](scf::WhileOp op) { emitWhile(op); })
        .Case([&](scf::IfOp op) { emitIf(op); })
        .Case<WeightRefOp, TableOpInterface, tensor::EmptyOp>([](auto) {})
        .Default([&](Operation *op) { emitNumber(b, op, scalars); });
}

Value EntryEmitter::bytesAt(Storage storage, SizeAttr bytes) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  if (storage.bytes.getType() == type && storage.offset.asNumber() == 0)
    return storage.bytes;
  return memref::ViewOp::create(b, loc, type, storage.bytes,
                                emit(storage.offset), emit(bytes));
}

// A part of the workspace may be larger than what it holds: so many bytes are
// copied as there are, and no more.
void EntryEmitter::copy(Storage from, Value to, SizeAttr bytes) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value count = emit(bytes);
  auto part = [&](Value memory, SizeAttr offset) {
    return memref::ViewOp::create(b, loc, type, memory, emit(offset), count);
  };
  Value source = part(from.bytes, from.offset);
  Value target = part(to, number(0));
  copyBytes(source, target);
}

void EntryEmitter::copyBytes(Value from, Value to) {
  if (isOnDevice)
    FrameCopyOp::create(b, loc, from, to, frame);
  else
    memref::CopyOp::create(b, loc, from, to);
}

Value EntryEmitter::load(Value memory, Value index) {
  if (isOnDevice)
    return FrameLoadOp::create(b, loc, memory, index, frame, descriptors);
  return memref::LoadOp::create(b, loc, memory, index);
}

void EntryEmitter::store(Value value, Value memory, Value index) {
  if (isOnDevice)
    FrameStoreOp::create(b, loc, value, memory, index, frame, descriptors);
  else
    memref::StoreOp::create(b, loc, value, memory, index);
}

// What no launch has written: returned arguments and weights, and values that
// are returned twice.
void EntryEmitter::copyOutputs(Operation *terminator) {
  for (auto [index, plan] : llvm::enumerate(entry.arguments)) {
    if (plan.kind != HEDDLE_ARGUMENT_OUTPUT)
      continue;
    Storage from = storageOf(terminator->getOperand(plan.result), terminator);
    if (from.bytes != argument(index))
      copy(from, argument(index), plan.bytes);
  }
}

void EntryEmitter::run() {
  auto run = func::FuncOp::create(
      b, loc, (entry.name + kRunSuffix).str(),
      b.getFunctionType(FrameType::get(context), b.getI32Type()));
  OpBuilder::InsertionGuard guard(b);
  Block *body = run.addEntryBlock();
  b.setInsertionPointToStart(body);
  frame = body->getArgument(0);
  size_t most = 0;
  function.walk([&](LaunchOp launch) {
    most = std::max(most, kernels.at(launch.getKernel()).buffers.size());
  });
  descriptors =
      DescriptorsOp::create(b, loc, DescriptorsType::get(context, most));
  OpBuilder before = prelude();
  llvm::StringMap<Value> symbols;
  for (auto [index, symbol] : llvm::enumerate(entry.symbols))
    symbols[symbol.getName().getValue()] = FrameSizeOp::create(
        before, loc, frame, before.getI64IntegerAttr(index));
  sizes.emplace(before, loc, symbols, /*checksOverflow=*/false);
  emitBlock(function.front());
  copyOutputs(function.front().getTerminator());
  Value status = arith::ConstantIntOp::create(b, loc, 0, 32);
  func::ReturnOp::create(b, loc, status);
}

void heddle::emitEntry(OpBuilder &builder, func::FuncOp function,
                       const EntryPlan &entry, const WeightPlan &weights,
                       const KernelSignatures &kernels,
                       const BufferPlan &plan) {
  EntryEmitter(builder, function, entry, weights, kernels, plan).run();
}

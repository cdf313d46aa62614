// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scf on tensors -> scf on the memory that they are in (LoopState.h). What a
// loop carries round is written to memory that is free, which then takes the
// place of what it replaces:
//
//   for iter_args(%current = %init, %owned = %a, %free = %b) {
//     dispatch (%current) -> %free
//     yield %free, %free, %owned
//   }

#include "compiler/Host/EntryEmitter.h"
#include "compiler/Host/InsertInPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace heddle;

//===-- What is handed on -------------------------------------------------===//

SmallVector<Value> EntryEmitter::numbersOf(ValueRange values) {
  SmallVector<Value> numbers;
  for (Value value : values)
    if (!isInMemory(value))
      numbers.push_back(scalars.lookup(value));
  return numbers;
}

// What enters a loop is not the loop's to write: each tensor owns another
// memory.
LoopState EntryEmitter::enter(Operation *loop, ValueRange values,
                              ValueRange handedOn) {
  LoopState state;
  unsigned slots = 0;
  state.numbers = numbersOf(values);
  for (Value value : llvm::make_filter_range(values, isInMemory)) {
    state.current.push_back(
        bytesAt(storageOf(value, loop), bytesOf(value.getType())));
    state.owned.push_back(workspacePart(plan.slotOf(loop, slots++)));
  }
  for (unsigned i = 0; i < llvm::count_if(handedOn, isInMemory); ++i)
    state.free.push_back(workspacePart(plan.slotOf(loop, slots++)));
  return state;
}

void EntryEmitter::bind(ValueRange values, const LoopState &state) {
  const auto *number = state.numbers.begin(), *memory = state.current.begin();
  for (Value value : values)
    if (isInMemory(value))
      carried[value] = *memory++;
    else
      scalars.map(value, *number++);
}

void EntryEmitter::bindTargets(MutableArrayRef<OpOperand> handedOn,
                               ArrayRef<Value> targets) {
  const auto *target = targets.begin();
  for (OpOperand &operand : handedOn) {
    if (!isInMemory(operand.get()))
      continue;
    if (plan.isWrittenInPlace(operand))
      carried[operand.get()] = *target;
    ++target;
  }
}

LoopState EntryEmitter::handOn(MutableArrayRef<OpOperand> handedOn,
                               ValueRange arguments, const LoopState &state) {
  auto tensors =
      llvm::to_vector(llvm::make_filter_range(arguments, isInMemory));
  LoopState next;
  // Arguments that are not handed on leave their memory free.
  next.free = state.owned;
  llvm::SmallDenseSet<Value> passed;
  for (OpOperand &operand : handedOn) {
    Value value = operand.get();
    if (!isInMemory(value)) {
      next.numbers.push_back(scalars.lookup(value));
      continue;
    }
    Value target = state.free[next.current.size()];
    InsertOp insert = insertInPlace(value);
    const auto *argument =
        llvm::find(tensors, insert ? insert.getTensor() : value);
    // An argument stays where it is, and its target remains free. One that is
    // handed on twice needs a second memory.
    if (argument != tensors.end() && passed.insert(value).second) {
      unsigned index = argument - tensors.begin();
      next.current.push_back(state.current[index]);
      next.owned.push_back(state.owned[index]);
      next.free[index] = target;
      continue;
    }
    if (!plan.isWrittenInPlace(operand))
      copy(storageOf(value, operand.getOwner()), target,
           bytesOf(value.getType()));
    next.current.push_back(target);
    next.owned.push_back(target);
  }
  return next;
}

//===-- Loops -------------------------------------------------------------===//

LoopState EntryEmitter::emitRegion(Block &region, ValueRange arguments,
                                   const LoopState &state,
                                   MutableArrayRef<OpOperand> handedOn) {
  bind(arguments, state);
  bindTargets(handedOn, state.free);
  emitBlock(region);
  return handOn(handedOn, arguments, state);
}

// A loop whose step is not positive takes none.
std::pair<Value, Value> EntryEmitter::endAndStep(scf::ForOp op, Value first) {
  Value end = scalars.lookup(op.getUpperBound());
  Value step = scalars.lookup(op.getStep());
  if (getConstantIntValue(op.getStep()).value_or(0) > 0)
    return {end, step};
  Type type = step.getType();
  Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 1));
  Value isPositive =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, step, one);
  return {arith::SelectOp::create(b, loc, isPositive, end, first),
          arith::SelectOp::create(b, loc, isPositive, step, one)};
}

// What the loop writes in place is its own from the first step on.
void EntryEmitter::takeOver(ValueRange arguments, LoopState &state) {
  for (auto [index, argument] :
       llvm::enumerate(llvm::make_filter_range(arguments, isInMemory))) {
    if (!isInsertedInto(argument))
      continue;
    copy({state.current[index], number(0)}, state.owned[index],
         bytesOf(argument.getType()));
    state.current[index] = state.owned[index];
  }
}

void EntryEmitter::emitFor(scf::ForOp op) {
  LoopState first = enter(op, op.getInitArgs(), op.getInitArgs());
  takeOver(op.getRegionIterArgs(), first);
  Value begin = scalars.lookup(op.getLowerBound());
  auto [end, step] = endAndStep(op, begin);
  auto loop = scf::ForOp::create(b, loc, begin, end, step, first.operands());
  loop.setUnsignedCmp(op.getUnsignedCmp());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scalars.map(op.getInductionVar(), loop.getInductionVar());
    ValueRange arguments = op.getRegionIterArgs();
    auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
    LoopState next =
        emitRegion(*op.getBody(), arguments,
                   LoopState::of(arguments, loop.getRegionIterArgs()),
                   yield->getOpOperands());
    // A body without values has got a terminator already.
    b.setInsertionPointToEnd(loop.getBody());
    if (loop.getNumResults() > 0)
      scf::YieldOp::create(b, loc, next.operands());
  }
  bind(op.getResults(), LoopState::of(op.getResults(), loop.getResults()));
}

// Both regions hand on to each other: what one does not hand on, the other may
// write.
void EntryEmitter::emitWhile(scf::WhileOp op) {
  auto condition = op.getConditionOp();
  LoopState first = enter(op, op.getInits(), condition.getArgs());
  SmallVector<Value> operands = first.operands();
  // The second region and the results have as much memory free as the first has
  // tensors.
  SmallVector<Type> types;
  for (Value value : condition.getArgs())
    if (!isInMemory(value))
      types.push_back(value.getType());
  types.append(2 * first.free.size() + first.current.size(),
               MemRefType::get({ShapedType::kDynamic}, b.getI8Type()));
  auto loop = scf::WhileOp::create(b, loc, types, operands);
  auto addBlock = [&](Region &region, TypeRange types) {
    return b.createBlock(&region, {}, types,
                         SmallVector<Location>(types.size(), loc));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = addBlock(loop.getBefore(), ValueRange(operands).getTypes());
    ValueRange arguments = op.getBeforeArguments();
    LoopState next =
        emitRegion(*op.getBeforeBody(), arguments,
                   LoopState::of(arguments, before->getArguments()),
                   condition->getOpOperands().drop_front());
    scf::ConditionOp::create(b, loc, scalars.lookup(condition.getCondition()),
                             next.operands());
    Block *after = addBlock(loop.getAfter(), types);
    arguments = op.getAfterArguments();
    next = emitRegion(*op.getAfterBody(), arguments,
                      LoopState::of(arguments, after->getArguments()),
                      op.getYieldOp()->getOpOperands());
    scf::YieldOp::create(b, loc, next.operands());
  }
  bind(op.getResults(), LoopState::of(op.getResults(), loop.getResults()));
}

//===-- Branches and numbers ----------------------------------------------===//

// Launches of a branch write to the result; other values are copied there.
void EntryEmitter::emitBranch(scf::IfOp op, Region &from, Region &to) {
  OpBuilder::InsertionGuard guard(b);
  if (from.empty())
    return;
  if (to.empty())
    to.emplaceBlock();
  Block *block = &to.front();
  if (block->mightHaveTerminator())
    b.setInsertionPoint(block->getTerminator());
  else
    b.setInsertionPointToEnd(block);
  auto yield = cast<scf::YieldOp>(from.front().getTerminator());
  SmallVector<Value> targets;
  for (Value result : llvm::make_filter_range(op.getResults(), isInMemory))
    targets.push_back(storageOf(result, op).bytes);
  bindTargets(yield->getOpOperands(), targets);
  emitBlock(from.front());
  unsigned next = 0;
  for (OpOperand &operand : yield->getOpOperands()) {
    Value value = operand.get();
    if (!isInMemory(value))
      continue;
    Value target = targets[next++];
    if (!plan.isWrittenInPlace(operand))
      copy(storageOf(value, yield), target, bytesOf(value.getType()));
  }
  if (!block->mightHaveTerminator())
    scf::YieldOp::create(b, loc, numbersOf(yield.getResults()));
}

void EntryEmitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    if (!isInMemory(result))
      types.push_back(result.getType());
  auto choice =
      scf::IfOp::create(b, loc, types, scalars.lookup(op.getCondition()),
                        /*addThenBlock=*/true, !op.getElseRegion().empty());
  emitBranch(op, op.getThenRegion(), choice.getThenRegion());
  emitBranch(op, op.getElseRegion(), choice.getElseRegion());
  unsigned next = 0;
  for (Value result : op.getResults())
    if (!isInMemory(result))
      scalars.map(result, choice.getResult(next++));
}

Value EntryEmitter::elementsOf(Storage storage, Type type, SizeAttr count) {
  auto memory = MemRefType::get({ShapedType::kDynamic}, type);
  return memref::ViewOp::create(b, loc, memory, storage.bytes,
                                emit(storage.offset), emit(count));
}

void EntryEmitter::emitFromNumber(FromNumberOp op) {
  Type type = op.getType().getElementType();
  Value value = scalars.lookup(op.getNumber());
  if (value.getType() != type)
    value = arith::IndexCastOp::create(b, loc, type, value);
  Value elements = elementsOf(storageOf(op.getResult(), op), type, number(1));
  Value first = arith::ConstantIndexOp::create(b, loc, 0);
  store(value, elements, first);
}

// Tensors that numbers are read of are dense.
void EntryEmitter::emitExtract(tensor::ExtractOp op) {
  Sizes extents = sizesOf(op.getTensor());
  SizeAttr stride = number(1);
  Value place = arith::ConstantIndexOp::create(b, loc, 0);
  for (auto [index, extent] :
       llvm::reverse(llvm::zip_equal(op.getIndices(), extents))) {
    Value step =
        arith::MulIOp::create(b, loc, scalars.lookup(index), emit(stride));
    place = arith::AddIOp::create(b, loc, place, step);
    stride = stride * extent;
  }
  Value elements =
      elementsOf(storageOf(op.getTensor(), op), op.getType(), stride);
  scalars.map(op.getResult(), load(elements, place));
}

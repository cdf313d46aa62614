// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scf on tensors -> scf on the memory that they are in. What a loop carries
// round is written to memory that is free, which then takes the place of what
// it replaces:
//
//   for iter_args(%current = %init, %released = %a, %pool = %b) {
//     dispatch (%current) -> %pool
//     yield %pool, %pool, %released
//   }

#include "compiler/Host/EntryEmitter.h"

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

CarriedMemory EntryEmitter::enter(Operation *loop, ValueRange values) {
  CarriedMemory memory;
  for (Value value : llvm::make_filter_range(values, isInMemory)) {
    memory.current.push_back(
        bytesAt(storageOf(value, loop), bytesOf(value.getType())));
    memory.released.push_back(
        workspacePart(plan.slotOf(loop, memory.released.size())));
  }
  return memory;
}

SmallVector<Value> EntryEmitter::poolOf(Operation *loop, ValueRange handedOn) {
  SmallVector<Value> pool;
  unsigned first = llvm::count_if(loop->getOperands(), isInMemory);
  for (unsigned i = 0; i < llvm::count_if(handedOn, isInMemory); ++i)
    pool.push_back(workspacePart(plan.slotOf(loop, first + i)));
  return pool;
}

void EntryEmitter::bind(ValueRange values, ValueRange numbers,
                        ArrayRef<Value> memory) {
  for (Value value : values)
    if (isInMemory(value)) {
      carried[value] = memory.front();
      memory = memory.drop_front();
    } else {
      scalars.map(value, numbers.front());
      numbers = numbers.drop_front();
    }
}

void EntryEmitter::bindResults(MutableArrayRef<OpOperand> handedOn,
                               ArrayRef<Value> pool) {
  for (OpOperand &operand : handedOn) {
    if (!isInMemory(operand.get()))
      continue;
    if (plan.isWrittenInPlace(operand))
      carried[operand.get()] = pool.front();
    pool = pool.drop_front();
  }
}

CarriedMemory EntryEmitter::handOn(MutableArrayRef<OpOperand> handedOn,
                                   ValueRange arguments,
                                   const CarriedMemory &memory,
                                   SmallVectorImpl<Value> &pool) {
  SmallVector<Value> tensors =
      llvm::to_vector(llvm::make_filter_range(arguments, isInMemory));
  CarriedMemory next;
  // What is not handed on is free.
  SmallVector<Value> nextPool(memory.released);
  llvm::SmallDenseSet<Value> passed;
  for (OpOperand &operand : handedOn) {
    Value value = operand.get();
    if (!isInMemory(value))
      continue;
    Value free = pool[next.current.size()];
    const auto *argument = llvm::find(tensors, value);
    if (argument != tensors.end() && passed.insert(value).second) {
      unsigned index = argument - tensors.begin();
      next.current.push_back(memory.current[index]);
      next.released.push_back(memory.released[index]);
      nextPool[index] = free;
      continue;
    }
    if (!plan.isWrittenInPlace(operand))
      copy(storageOf(value, operand.getOwner()), free,
           bytesOf(value.getType()));
    next.current.push_back(free);
    next.released.push_back(free);
  }
  pool = std::move(nextPool);
  return next;
}

//===-- Loops -------------------------------------------------------------===//

// Numbers, then what tensors are in, what is released, and the pool.
static SmallVector<Value> join(ArrayRef<Value> numbers,
                               const CarriedMemory &memory,
                               ArrayRef<Value> pool) {
  SmallVector<Value> all(numbers);
  all.append(memory.current);
  all.append(memory.released);
  llvm::append_range(all, pool);
  return all;
}

// The parts of what `join` has made of `numbers` numbers and `tensors` tensors.
static std::tuple<SmallVector<Value>, CarriedMemory, SmallVector<Value>>
split(ValueRange all, size_t numbers, size_t tensors) {
  auto take = [&](size_t count) {
    SmallVector<Value> part(all.take_front(count));
    all = all.drop_front(count);
    return part;
  };
  SmallVector<Value> scalars = take(numbers);
  CarriedMemory memory;
  memory.current = take(tensors);
  memory.released = take(tensors);
  return {scalars, memory, SmallVector<Value>(all)};
}

// A loop whose step is not positive takes none.
std::pair<Value, Value> EntryEmitter::endAndStep(scf::ForOp op, Value first) {
  Value end = scalars.lookup(op.getUpperBound());
  Value step = scalars.lookup(op.getStep());
  if (getConstantIntValue(op.getStep()))
    return {end, step};
  Type type = step.getType();
  Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 1));
  Value isPositive =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, step, one);
  return {arith::SelectOp::create(b, loc, isPositive, end, first),
          arith::SelectOp::create(b, loc, isPositive, step, one)};
}

void EntryEmitter::emitFor(scf::ForOp op) {
  ValueRange inits = op.getInitArgs();
  SmallVector<Value> numbers = numbersOf(inits);
  CarriedMemory memory = enter(op, inits);
  size_t tensors = memory.current.size();
  Value first = scalars.lookup(op.getLowerBound());
  auto [end, step] = endAndStep(op, first);
  auto loop = scf::ForOp::create(b, loc, first, end, step,
                                 join(numbers, memory, poolOf(op, inits)));
  loop.setUnsignedCmp(op.getUnsignedCmp());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto [inNumbers, inMemory, pool] =
        split(loop.getRegionIterArgs(), numbers.size(), tensors);
    scalars.map(op.getInductionVar(), loop.getInductionVar());
    bind(op.getRegionIterArgs(), inNumbers, inMemory.current);
    auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
    bindResults(yield->getOpOperands(), pool);
    emitBlock(*op.getBody());
    CarriedMemory next =
        handOn(yield->getOpOperands(), op.getRegionIterArgs(), inMemory, pool);
    // A body without values has got a terminator already.
    b.setInsertionPointToEnd(loop.getBody());
    if (loop.getNumResults() > 0)
      scf::YieldOp::create(b, loc,
                           join(numbersOf(yield.getResults()), next, pool));
  }
  auto [outNumbers, outMemory, rest] =
      split(loop.getResults(), numbers.size(), tensors);
  bind(op.getResults(), outNumbers, outMemory.current);
}

// Both regions hand on to each other: what one does not hand on, the other may
// write.
void EntryEmitter::emitWhile(scf::WhileOp op) {
  ValueRange inits = op.getInits();
  auto condition = op.getConditionOp();
  MutableArrayRef<OpOperand> forwarded =
      condition->getOpOperands().drop_front();
  SmallVector<Value> numbers = numbersOf(inits);
  CarriedMemory memory = enter(op, inits);
  SmallVector<Value> pool = poolOf(op, condition.getArgs());
  size_t before = memory.current.size(), after = pool.size();
  size_t afterNumbers = condition.getArgs().size() - after;
  SmallVector<Value> first = join(numbers, memory, pool);
  // Results of the loop are what is handed to the second region.
  SmallVector<Type> types;
  for (Value value : condition.getArgs())
    if (!isInMemory(value))
      types.push_back(value.getType());
  types.append(2 * after + before,
               MemRefType::get({ShapedType::kDynamic}, b.getI8Type()));
  auto loop = scf::WhileOp::create(b, loc, types, first);
  OpBuilder::InsertionGuard guard(b);
  {
    Block *block =
        b.createBlock(&loop.getBefore(), {}, ValueRange(first).getTypes(),
                      SmallVector<Location>(first.size(), loc));
    auto [inNumbers, inMemory, inPool] =
        split(block->getArguments(), numbers.size(), before);
    bind(op.getBeforeArguments(), inNumbers, inMemory.current);
    bindResults(forwarded, inPool);
    emitBlock(*op.getBeforeBody());
    CarriedMemory next =
        handOn(forwarded, op.getBeforeArguments(), inMemory, inPool);
    scf::ConditionOp::create(
        b, loc, scalars.lookup(condition.getCondition()),
        join(numbersOf(condition.getArgs()), next, inPool));
  }
  {
    Block *block = b.createBlock(&loop.getAfter(), {}, types,
                                 SmallVector<Location>(types.size(), loc));
    auto [inNumbers, inMemory, inPool] =
        split(block->getArguments(), afterNumbers, after);
    bind(op.getAfterArguments(), inNumbers, inMemory.current);
    auto yield = op.getYieldOp();
    bindResults(yield->getOpOperands(), inPool);
    emitBlock(*op.getAfterBody());
    CarriedMemory next = handOn(yield->getOpOperands(), op.getAfterArguments(),
                                inMemory, inPool);
    scf::YieldOp::create(b, loc,
                         join(numbersOf(yield.getResults()), next, inPool));
  }
  auto [outNumbers, outMemory, rest] =
      split(loop.getResults(), afterNumbers, after);
  bind(op.getResults(), outNumbers, outMemory.current);
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
  bindResults(yield->getOpOperands(), targets);
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
  Storage storage = storageOf(op.getTensor(), op);
  auto type = MemRefType::get({ShapedType::kDynamic}, op.getType());
  Value elements = memref::ViewOp::create(b, loc, type, storage.bytes,
                                          emit(storage.offset), emit(stride));
  scalars.map(op.getResult(), memref::LoadOp::create(b, loc, elements, place));
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/LoopState.h"

#include "compiler/Host/BufferPlan.h"

using namespace mlir;
using namespace heddle;

LoopState LoopState::of(ValueRange carried, ValueRange values) {
  auto take = [&](size_t count) {
    SmallVector<Value> part(values.take_front(count));
    values = values.drop_front(count);
    return part;
  };
  size_t tensors = llvm::count_if(carried, isInMemory);
  LoopState state;
  state.numbers = take(carried.size() - tensors);
  state.current = take(tensors);
  state.owned = take(tensors);
  state.free = take(values.size());
  return state;
}

SmallVector<Value> LoopState::operands() const {
  SmallVector<Value> all(numbers);
  llvm::append_range(all, current);
  llvm::append_range(all, owned);
  llvm::append_range(all, free);
  return all;
}

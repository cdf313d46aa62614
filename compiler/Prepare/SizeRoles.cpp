// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/SizeRoles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static void insert(llvm::StringSet<> &names, SizeAttr size) {
  if (size && size.getKind() == SizeKind::Symbol)
    names.insert(size.getName());
}

bool heddle::isPool(Value cache) {
  SmallVector<Value> caches{cache};
  while (!caches.empty())
    for (Operation *user : caches.pop_back_val().getUsers()) {
      auto read = dyn_cast<CacheReadOp>(user);
      auto append = dyn_cast<CacheAppendOp>(user);
      if ((read && read.getPages()) || (append && append.getPages()))
        return true;
      for (Value result : user->getResults())
        if (isa<CacheType>(result.getType()))
          caches.push_back(result);
    }
  return false;
}

SizeRoles::SizeRoles(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (isa<CacheType>(argument.getType()) && !isPool(argument)) {
      Sizes sizes = sizesOf(argument);
      insert(batches, sizes[0]);
      insert(capacities, sizes[1]);
    }
  function.walk([&](Operation *op) { add(op); });
}

void SizeRoles::addTokens(Value tokens) {
  Sizes sizes = sizesOf(tokens);
  insert(batches, sizes[0]);
  insert(lengths, sizes[1]);
}

void SizeRoles::add(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AttentionOp op) {
        for (Value tokens : {op.getQuery(), op.getKey()}) {
          HeadLayout layout = op.getLayoutOf(tokens);
          for (unsigned dim : layout.batches)
            insert(batches, sizesOf(tokens)[dim]);
          insert(lengths, sizesOf(tokens)[layout.length]);
        }
      })
      .Case([&](MultiHeadAttentionOp op) {
        addTokens(op.getQuery());
        addTokens(op.getKey());
      })
      .Case([&](CacheAppendOp op) { addTokens(op.getKey()); })
      .Case<AddPositionsOp, LastTokenOp, PoolTokensOp, RotaryOp>(
          [&](auto op) { addTokens(op.getInput()); })
      .Case([&](EmbeddingOp op) {
        if (sizesOf(op.getIds()).size() == 2)
          addTokens(op.getIds());
      });
}

SymbolRole SizeRoles::roleOf(StringRef size) const {
  if (capacities.contains(size))
    return SymbolRole::Capacity;
  if (isLength(size))
    return SymbolRole::Length;
  return isBatch(size) ? SymbolRole::Batch : SymbolRole::Other;
}

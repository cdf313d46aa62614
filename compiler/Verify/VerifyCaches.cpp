// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/RuntimeError.h"
#include "compiler/Verify/VerifyBuffers.h"
#include "compiler/Verify/VerifySession.h"

using namespace mlir;
using namespace heddle;

CacheState *VerifySession::stateOf(const EntryPlan &entry,
                                   const ArgumentPlan &starts,
                                   ArrayRef<CacheState *> states) const {
  const auto *state = states.begin();
  for (const ArgumentPlan &argument : entry.arguments) {
    if (argument.kind != HEDDLE_ARGUMENT_CACHE)
      continue;
    bool isItsCache = false;
    starts.values.getMaximum().walkSymbols([&](StringRef name) {
      isItsCache |= argument.extents[1] ==
                    SizeAttr::symbol(argument.extents[1].getContext(), name);
    });
    if (isItsCache)
      return *state;
    ++state;
  }
  return states.front();
}

bool VerifySession::isAppended(CacheType type) const {
  ModuleOp module = input.module;
  return llvm::any_of(
      module.getOps<func::FuncOp>(), [&](func::FuncOp function) {
        return llvm::is_contained(function.getResultTypes(), type);
      });
}

void VerifySession::fillCache(CacheState &state) {
  auto *data = static_cast<uint8_t *>(state.memory->data());
  CacheType type = state.type;
  const reference::CacheStorage &storage = *state.history.exact.storage;
  auto *next = data;
  for (int64_t layer = 0; layer < type.getLayers(); ++layer)
    for (CachePart part : type.getParts()) {
      Type element = type.getTypeOf(part);
      int64_t bytes =
          storage.batch * storage.positions() * type.getBytesPerPosition(part);
      fillNumbers(typeOf(element), bytes / bytesOfElement(element), next);
      next += bytes;
    }
  readCache(data, *state.history.exact.storage);
  readCache(data, *state.history.perturbed.storage);
}

// Sizes outside of what a symbol may be are those of another cache.
void VerifySession::takeSizesOfCaches(const EntryPlan &entry) {
  llvm::DenseSet<CacheState *> taken;
  auto fits = [&](SizeAttr size, int64_t found) {
    if (size.getKind() != SizeKind::Symbol)
      return entry.evaluate(size, sizes) == found;
    SymbolAttr symbol = entry.symbols[*entry.symbol(size.getName())];
    return found >= symbol.getMinimum() && found <= symbol.getMaximum();
  };
  for (const ArgumentPlan &argument : entry.arguments) {
    if (argument.kind != HEDDLE_ARGUMENT_CACHE)
      continue;
    auto known = llvm::find_if(caches, [&](const auto &state) {
      return state->type == argument.cache && !taken.contains(state.get()) &&
             fits(argument.extents[0], state->shape[0]) &&
             fits(argument.extents[1], state->shape[1]);
    });
    if (known == caches.end())
      continue;
    taken.insert(known->get());
    for (unsigned dim : {0, 1})
      if (argument.extents[dim].getKind() == SizeKind::Symbol)
        sizes[*entry.symbol(argument.extents[dim].getName())] =
            (*known)->shape[dim];
  }
}

llvm::Error VerifySession::createPools() {
  for (auto [index, entry] : llvm::enumerate(input.plan.entries)) {
    if (llvm::none_of(entry.arguments, [](const ArgumentPlan &argument) {
          return argument.role == ArgumentRole::Pool;
        }))
      continue;
    chooseSizes(entry, rounds[0], rounds[0]);
    if (auto states = statesOf(index); !states)
      return states.takeError();
  }
  return llvm::Error::success();
}

llvm::Expected<SmallVector<CacheState *>>
VerifySession::statesOf(unsigned index) {
  SmallVector<CacheState *> states;
  for (auto [number, argument] :
       llvm::enumerate(input.plan.entries[index].arguments)) {
    if (argument.kind != HEDDLE_ARGUMENT_CACHE)
      continue;
    SmallVector<int64_t> shape = input.plan.entries[index].evaluate(
        ArrayRef(argument.extents).take_front(2), sizes);
    auto known =
        llvm::find_if(caches, [&, &type = argument.cache](auto &state) {
          return state->type == type && state->shape == shape &&
                 !llvm::is_contained(states, state.get());
        });
    if (known != caches.end()) {
      states.push_back(known->get());
      continue;
    }
    heddle_error error = {};
    size_t bytes = 0;
    if (llvm::Error failure =
            toError(heddle_argument_size(input.model.entries[index], number,
                                         sizes.data(), &bytes, &error),
                    error))
      return failure;
    caches.push_back(std::make_unique<CacheState>(
        CacheState{argument.cache, shape,
                   std::make_unique<VerifyMemory>(bytes, HEDDLE_ALIGNMENT),
                   std::vector<int32_t>(shape[0]),
                   CacheHistory::create(argument.cache, shape[0], shape[1])}));
    states.push_back(caches.back().get());
    if (!isAppended(argument.cache))
      fillCache(*states.back());
  }
  return states;
}

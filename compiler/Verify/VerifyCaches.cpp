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

llvm::Expected<SmallVector<CacheState *>>
VerifySession::statesOf(unsigned index) {
  SmallVector<CacheState *> states;
  for (auto [number, argument] :
       llvm::enumerate(input.plan.entries[index].arguments)) {
    if (argument.kind != HEDDLE_ARGUMENT_CACHE)
      continue;
    auto known = llvm::find_if(caches, [&](const auto &state) {
      return state->type == argument.cache &&
             !llvm::is_contained(states, state.get());
    });
    if (known != caches.end()) {
      states.push_back(known->get());
      continue;
    }
    SmallVector<int64_t> shape =
        input.plan.entries[index].evaluate(argument.extents, sizes);
    heddle_error error = {};
    size_t bytes = 0;
    if (llvm::Error failure =
            toError(heddle_argument_size(input.model.entries[index], number,
                                         sizes.data(), &bytes, &error),
                    error))
      return failure;
    caches.push_back(std::make_unique<CacheState>(
        CacheState{argument.cache, std::make_unique<VerifyMemory>(bytes),
                   std::vector<int32_t>(shape[0]),
                   CacheHistory::create(argument.cache, shape[0], shape[1])}));
    states.push_back(caches.back().get());
    if (!isAppended(argument.cache))
      fillCache(*states.back());
  }
  return states;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/Verify.h"

#include "compiler/RuntimeError.h"
#include "compiler/Verify/VerifyKernels.h"
#include "compiler/Verify/VerifySession.h"

#include "llvm/Support/Signals.h"

using namespace mlir;
using namespace heddle;

llvm::Error VerifySession::call(unsigned index, ArrayRef<CacheState *> states) {
  const EntryPlan &plan = input.plan.entries[index];
  const heddle_entry *entry = input.model.entries[index];
  heddle_error error = {};
  size_t workspaceSize = 0;
  if (llvm::Error failure = toError(
          heddle_workspace_size(entry, sizes.data(), &workspaceSize, &error),
          error))
    return failure;
  VerifyMemory workspace(workspaceSize, HEDDLE_ALIGNMENT);
  std::vector<std::unique_ptr<VerifyMemory>> arguments;
  SmallVector<void *> buffers;
  SmallVector<CacheHistory *> histories;
  for (auto [number, argument] : llvm::enumerate(plan.arguments)) {
    if (argument.kind == HEDDLE_ARGUMENT_CACHE) {
      buffers.push_back(states[histories.size()]->memory->data());
      histories.push_back(&states[histories.size()]->history);
      continue;
    }
    size_t bytes = 0;
    if (llvm::Error failure = toError(
            heddle_argument_size(entry, number, sizes.data(), &bytes, &error),
            error))
      return failure;
    arguments.push_back(
        std::make_unique<VerifyMemory>(bytes, heddle_type_size(argument.type)));
    buffers.push_back(arguments.back()->data());
    if (argument.kind == HEDDLE_ARGUMENT_INPUT)
      fill(plan, argument,
           argument.role == ArgumentRole::Starts
               ? ArrayRef(stateOf(plan, argument, states)->starts)
               : ArrayRef(lengths[number]),
           buffers.back());
  }
  KernelVerifier verifier(input.module, plan, sizes, evaluator,
                          summaries[index]);
  heddle_context context = {heddle_threads_parallel_for, &input.threads,
                            KernelVerifier::observe, &verifier, &error};
  heddle_status status = heddle_invoke(
      &input.model, entry, &context, &input.weights, buffers.data(),
      sizes.data(), workspace.data(), workspaceSize);
  if (verifier.firstFailure())
    return llvm::createStringError(Twine(*verifier.firstFailure()));
  if (status != HEDDLE_OK)
    return toError(status, error);
  return modelVerifier.compare({plan, sizes, buffers}, histories,
                               summaries[index]);
}

// What has one token is called once more, to go on after itself.
llvm::Error VerifySession::callRound(unsigned index, int64_t round) {
  const EntryPlan &entry = input.plan.entries[index];
  bool isLong = entry.symbol(SymbolRole::Length).has_value();
  auto isStarts = [](const ArgumentPlan &argument) {
    return argument.role == ArgumentRole::Starts && argument.values;
  };
  for (int repeat = 0; repeat < (isLong ? 1 : 2); ++repeat) {
    chooseSizes(entry, round);
    auto states = statesOf(index);
    if (!states)
      return states.takeError();
    int64_t length = isLong ? round : 1;
    for (const ArgumentPlan &argument : entry.arguments)
      if (isStarts(argument) && !states->empty())
        length = std::min(
            length,
            entry.evaluate(argument.values.getMaximum(), sizes) -
                *llvm::max_element(stateOf(entry, argument, *states)->starts));
    if (length < 1)
      continue;
    chooseSizes(entry, length);
    chooseLengths(entry, length);
    if (llvm::Error error = call(index, *states))
      return error;
    for (const ArgumentPlan &argument : entry.arguments)
      if (isStarts(argument) && argument.lengths())
        for (auto [start, taken] :
             llvm::zip(stateOf(entry, argument, *states)->starts,
                       lengths[*argument.lengths()]))
          start += taken;
  }
  return llvm::Error::success();
}

llvm::Error VerifySession::run() {
  if (llvm::Error error = createPools())
    return error;
  for (int64_t round : rounds)
    for (auto [index, entry] : llvm::enumerate(input.plan.entries)) {
      summaries[index].kernels = entry.kernels;
      if (llvm::Error error = callRound(index, round))
        return error;
    }
  return llvm::Error::success();
}

std::string VerifySession::describe() const {
  std::string text;
  for (auto [index, entry] : llvm::enumerate(input.plan.entries))
    text += summaries[index].describe(entry.name) + "\n";
  return text;
}

llvm::Expected<std::string> heddle::verify(const VerifyInput &input) {
  std::optional<reference::CheckpointSource> source;
  if (input.tensors)
    source.emplace(*input.tensors);
  llvm::sys::AddSignalHandler(KernelVerifier::nameRunning, nullptr);
  VerifySession session(input, source ? &*source : nullptr);
  if (llvm::Error error = session.run())
    return error;
  return session.describe();
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/Verify.h"

#include "compiler/RuntimeError.h"
#include "compiler/Support/ChildProcess.h"
#include "compiler/Verify/VerifyBroadcasts.h"
#include "compiler/Verify/VerifyKernels.h"
#include "compiler/Verify/VerifySession.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"

#include <csignal>
#include <cstring>

using namespace mlir;
using namespace heddle;

// Buffers, and doubles of them: of a cache four times, as each kernel's and the
// whole model's histories have those of both sides, and of a workspace twice.
llvm::Expected<uint64_t>
VerifySession::memoryOf(const EntryPlan &plan,
                        const heddle_entry &entry) const {
  heddle_error error = {};
  size_t workspace = 0;
  if (llvm::Error failure = toError(
          heddle_workspace_size(&entry, sizes.data(), &workspace, &error),
          error))
    return failure;
  uint64_t total = workspace + 2 * 2 * uint64_t(workspace);
  for (auto [number, argument] : llvm::enumerate(plan.arguments)) {
    size_t bytes = 0;
    if (llvm::Error failure = toError(
            heddle_argument_size(&entry, number, sizes.data(), &bytes, &error),
            error))
      return failure;
    bool isCache = argument.kind == HEDDLE_ARGUMENT_CACHE;
    uint64_t elements =
        bytes / (isCache
                     ? bytesOfElement(argument.cache.getTypeOf(CachePart::Keys))
                     : heddle_type_size(argument.type));
    total = llvm::SaturatingAdd(
        total, uint64_t(bytes),
        llvm::SaturatingMultiply<uint64_t>((isCache ? 4 : 1) * 8, elements));
  }
  return total;
}

llvm::Error VerifySession::checkMemory() {
  uint64_t most = 0;
  StringRef largest;
  for (auto [index, entry] : llvm::enumerate(input.plan.entries)) {
    int64_t last = rounds[std::size(rounds) - 1];
    chooseSizes(entry, last, last);
    auto total = memoryOf(entry, *input.model.entries[index]);
    if (!total)
      return total.takeError();
    if (*total > most)
      largest = entry.name;
    most = std::max(most, *total);
  }
  constexpr uint64_t gigabyte = 1'000'000'000;
  uint64_t available = availableMemory();
  // So little that it is none of the comparison's doing.
  if (most > available && available < kScarceBytes)
    return llvm::createStringError(kOutOfMemory);
  if (most > available)
    return llvm::createStringError(llvm::formatv(
        "comparing {0} with the reference takes about {1:f1} GB of memory, and "
        "{2:f1} GB are free",
        largest, double(most) / gigabyte, double(available) / gigabyte));
  if (most > gigabyte)
    mlir::emitRemark(mlir::UnknownLoc::get(input.module->getContext()))
        << llvm::formatv("comparing {0} with the reference takes about {1:f1} "
                         "GB of memory",
                         largest, double(most) / gigabyte)
               .str();
  return llvm::Error::success();
}

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
  unsigned kernel = 0;
  KernelVerifier verifier(input.module, plan, sizes, evaluator,
                          summaries[index], [&](StringRef name) {
                            show(plan.name + ", kernel " + Twine(++kernel) +
                                 " of " + Twine(plan.kernels) + ": " + name);
                          });
  heddle_context context = {};
  context.parallel_for = heddle_threads_parallel_for;
  context.parallel_for_data = &threads;
  context.observer = KernelVerifier::observe;
  context.observer_data = &verifier;
  context.error = &error;
  heddle_status status =
      device ? device->invoke(*entry, context, buffers, sizes)
             : heddle_invoke(&input.model, entry, &context, &input.weights,
                             buffers.data(), sizes.data(), workspace.data(),
                             workspaceSize);
  if (verifier.firstFailure())
    return llvm::createStringError(Twine(*verifier.firstFailure()));
  if (status != HEDDLE_OK)
    return llvm::createStringError(llvm::toString(toError(status, error)) +
                                   verifier.unfinished());
  show(plan.name + " as a whole");
  return modelVerifier.compare({plan, sizes, buffers}, histories,
                               summaries[index]);
}

void VerifySession::show(const Twine &part) const {
  if (input.progress)
    input.progress("call " + Twine(callsSoFar) + " of " + Twine(calls) + ": " +
                   part);
}

int VerifySession::repeatsOf(const EntryPlan &entry) {
  return entry.hasCaches() && !entry.symbol(SymbolRole::Length) ? 2 : 1;
}

llvm::Error VerifySession::callRound(unsigned index, int64_t round) {
  const EntryPlan &entry = input.plan.entries[index];
  bool isLong = entry.symbol(SymbolRole::Length).has_value();
  auto isStarts = [](const ArgumentPlan &argument) {
    return argument.role == ArgumentRole::Starts && argument.values;
  };
  for (int repeat = 0; repeat < repeatsOf(entry); ++repeat) {
    ++callsSoFar;
    chooseSizes(entry, round, round);
    auto states = statesOf(index);
    if (!states)
      return states.takeError();
    int64_t length = isLong || !entry.hasCaches() ? round : 1;
    for (const ArgumentPlan &argument : entry.arguments)
      if (isStarts(argument) && !states->empty())
        length = std::min(
            length,
            entry.evaluate(argument.values.getMaximum(), sizes) -
                *llvm::max_element(stateOf(entry, argument, *states)->starts));
    if (length < 1)
      continue;
    chooseSizes(entry, round, length);
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

// Which sizes go together is known by the call alone.
llvm::Error VerifySession::callIfAllowed(unsigned index) {
  ++callsSoFar;
  if (!areAllowed(input.plan.entries[index]))
    return llvm::Error::success();
  chooseLengths(input.plan.entries[index], rounds[0]);
  return call(index, {});
}

llvm::Error VerifySession::callEmpty(unsigned index) {
  const EntryPlan &entry = input.plan.entries[index];
  for (unsigned symbol : emptySymbolsOf(entry)) {
    chooseSizes(entry, rounds[0], rounds[0]);
    sizes[symbol] = 0;
    matchBroadcasts(entry, sizes);
    if (llvm::Error error = callIfAllowed(index))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error VerifySession::callRepeated(unsigned index) {
  const EntryPlan &entry = input.plan.entries[index];
  for (unsigned symbol : repeatedSymbolsOf(entry)) {
    chooseSizes(entry, rounds[0], rounds[0]);
    matchBroadcasts(entry, sizes, {symbol});
    if (llvm::Error error = callIfAllowed(index))
      return error;
  }
  return llvm::Error::success();
}

SmallVector<unsigned> VerifySession::emptySymbolsOf(const EntryPlan &entry) {
  SmallVector<unsigned> symbols;
  for (auto [number, symbol] : llvm::enumerate(entry.symbols))
    if (symbol.getMinimum() == 0 && !entry.hasCaches())
      symbols.push_back(number);
  return symbols;
}

SmallVector<unsigned> VerifySession::repeatedSymbolsOf(const EntryPlan &entry) {
  return entry.hasCaches() ? SmallVector<unsigned>()
                           : broadcastSymbolsOf(entry);
}

llvm::Error VerifySession::run() {
  if (llvm::Error error = checkMemory())
    return error;
  if (llvm::Error error = createPools())
    return error;
  for (const EntryPlan &entry : input.plan.entries)
    calls +=
        int(std::size(rounds)) * repeatsOf(entry) +
        int(emptySymbolsOf(entry).size() + repeatedSymbolsOf(entry).size());
  for (int64_t round : rounds) {
    // Quotients by 0 are infinite, which may hide other numbers: one round is
    // without them.
    hasZeros = round != rounds[0];
    for (auto [index, entry] : llvm::enumerate(input.plan.entries)) {
      summaries[index].kernels = entry.kernels;
      if (llvm::Error error = callRound(index, round))
        return error;
    }
  }
  for (unsigned index = 0; index < input.plan.entries.size(); ++index) {
    if (llvm::Error error = callEmpty(index))
      return error;
    if (llvm::Error error = callRepeated(index))
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

// In the copy of the process.
static llvm::Expected<std::string> verifyHere(const VerifyInput &input) {
  llvm::parallel::strategy = llvm::hardware_concurrency();
  heddle_error error = {};
  heddle_threads *threads = nullptr;
  if (llvm::Error failure = toError(
          heddle_threads_create(input.threads, nullptr, &threads, &error),
          error))
    return failure;
  std::unique_ptr<DeviceSession> device;
  if (input.model.device_kind != HEDDLE_DEVICE_NONE) {
    auto opened = DeviceSession::open(input.model, input.weights);
    if (!opened)
      return opened.takeError();
    device = std::move(*opened);
  }
  VerifySession session(input, *threads, device.get());
  if (llvm::Error error = session.run())
    return error;
  return session.describe();
}

static std::string describeEnd(int signal) {
  if (std::optional<StringRef> kernel = KernelVerifier::runningKernel())
    return ("kernel @" + *kernel +
            " has crashed, or touched memory that is not its own (" +
            strsignal(signal) + ")")
        .str();
  return std::string("the comparison was ended by a signal (") +
         strsignal(signal) +
         (signal == SIGKILL ? "), as the system does where memory runs out"
                            : ")");
}

void heddle::prepareVerify() {
  llvm::parallel::strategy = llvm::hardware_concurrency(1);
}

llvm::Expected<std::string> heddle::verify(const VerifyInput &input) {
  input.module->getContext()->disableMultithreading();
  KernelVerifier::shareRunningKernel();
  return runInChild([&] { return verifyHere(input); }, describeEnd);
}

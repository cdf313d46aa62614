// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/Verify.h"

#include "compiler/RuntimeError.h"
#include "compiler/Verify/VerifyKernels.h"
#include "compiler/Verify/VerifyModel.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

/// Memory of the alignment that the runtime wants, all of it NaN.
class Memory {
public:
  explicit Memory(size_t size)
      : bytes(llvm::alignTo(size, HEDDLE_ALIGNMENT) + HEDDLE_ALIGNMENT, 0xff) {}

  void *data() {
    return bytes.data() + llvm::offsetToAlignedAddr(
                              bytes.data(), llvm::Align(HEDDLE_ALIGNMENT));
  }

private:
  std::vector<uint8_t> bytes;
};

/// What entry points with caches of one type go on with.
struct CacheState {
  CacheType type;
  std::unique_ptr<Memory> memory;
  std::vector<int32_t> starts; ///< positions that are taken, of each sequence
  CacheHistory history;
};

/// Calls of all entry points, one after the other.
class Session {
public:
  Session(const VerifyInput &input, const reference::WeightSource *source)
      : input(input), evaluator(input.module, source),
        modelVerifier(input.original, source),
        summaries(input.plan.entries.size()) {}

  llvm::Error run();
  std::string describe() const;

private:
  // Two sequences, where the caller chooses, of which the second is about half
  // as long. The lengths of a call are no multiples of tiles and vectors; the
  // second one starts inside the cache's first block of positions and ends in
  // its second.
  static constexpr int64_t batch = 2;
  static constexpr int64_t rounds[] = {9, 35};
  static constexpr int64_t capacity = 50;

  llvm::Error callRound(unsigned index, int64_t round);
  llvm::Error call(unsigned index, ArrayRef<CacheState *> states);
  llvm::Expected<SmallVector<CacheState *>> statesOf(unsigned index);
  void chooseSizes(const EntryPlan &entry, int64_t length);
  void chooseLengths(const EntryPlan &entry, int64_t length);
  int64_t countElements(const ArgumentPlan &argument) const;
  void fill(const ArgumentPlan &argument, ArrayRef<int32_t> given, void *data);

  const VerifyInput &input;
  reference::Evaluator evaluator; ///< of kernels
  ModelVerifier modelVerifier;
  std::vector<VerifySummary> summaries;
  std::mt19937 random{1};
  std::vector<std::unique_ptr<CacheState>> caches;
  /// Of the current call.
  SmallVector<int64_t> sizes;
  std::vector<int32_t> starts;
  std::vector<std::vector<int32_t>> lengths; ///< of arguments that are lengths
  std::vector<int32_t> shortest;             ///< of those, for each sequence
};

} // namespace

//===-- Calls -------------------------------------------------------------===//

static bool hasRule(const EntryPlan &entry, heddle_value_rule rule) {
  return llvm::any_of(entry.arguments, [&](const ArgumentPlan &argument) {
    return argument.rule == rule;
  });
}

// Sizes with no meaning known here differ from all others, so that none is
// taken for another.
void Session::chooseSizes(const EntryPlan &entry, int64_t length) {
  sizes.clear();
  for (auto [index, symbol] : llvm::enumerate(entry.symbols)) {
    int64_t size = symbol.role == SizeRole::Batch      ? batch
                   : symbol.role == SizeRole::Length   ? length
                   : symbol.role == SizeRole::Capacity ? capacity
                                                       : 2 * length + 3 * index;
    sizes.push_back(std::clamp(size, symbol.minimum, symbol.maximum));
  }
}

int64_t Session::countElements(const ArgumentPlan &argument) const {
  int64_t elements = 1;
  for (int64_t extent : argument.extents)
    elements *= extent < 0 ? sizes[-1 - extent] : extent;
  return elements;
}

// Every argument gets lengths of its own, so that none is taken for another.
void Session::chooseLengths(const EntryPlan &entry, int64_t length) {
  lengths.assign(entry.arguments.size(), {});
  shortest.assign(batch, length);
  int64_t lessBy = 0;
  for (auto [index, argument] : llvm::enumerate(entry.arguments)) {
    std::vector<int32_t> &values = lengths[index];
    int64_t most = length;
    if (argument.rule == HEDDLE_RULE_LENGTH)
      most = std::min(most, argument.limit < 0 ? -argument.limit
                                               : sizes[argument.limit]);
    else if (argument.rule != HEDDLE_RULE_NONE ||
             !modelVerifier.isLength(entry.name, index))
      continue;
    for (int64_t b = 0; b < countElements(argument); ++b) {
      int64_t value = (b % 2 ? most / 2 + 1 : most) - b / 2 - lessBy;
      values.push_back(std::max<int64_t>(value, 1));
    }
    ++lessBy;
    shortest.resize(std::max(shortest.size(), values.size()), length);
    for (auto [least, value] : llvm::zip(shortest, values))
      least = std::min(least, value);
  }
}

// `given` are the values where the session knows them.
void Session::fill(const ArgumentPlan &argument, ArrayRef<int32_t> given,
                   void *data) {
  int64_t elements = countElements(argument);
  if (argument.type == HEDDLE_TYPE_F32) {
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < elements; ++i)
      static_cast<float *>(data)[i] = normal(random);
    return;
  }
  auto *integers = static_cast<int32_t *>(data);
  if (!given.empty()) {
    assert(int64_t(given.size()) == elements && "one for each sequence");
    llvm::copy(given, integers);
    return;
  }
  // Integers without a rule are positions and counts of tokens; where all sizes
  // are fixed, of a few.
  int64_t largest = sizes.empty() ? 16 : *llvm::max_element(sizes);
  if (argument.rule == HEDDLE_RULE_BELOW_LIMIT)
    largest = argument.limit - 1;
  if (argument.rule == HEDDLE_RULE_POSITION)
    largest =
        argument.limit -
        (argument.tokens < 0 ? sizes[-1 - argument.tokens] : argument.tokens);
  std::uniform_int_distribution<int32_t> upTo(0, largest);
  for (int64_t i = 0; i < elements; ++i)
    integers[i] = upTo(random);
}

// The states of the caches of an entry point, with the current sizes. Entry
// points share those of one type, of which each may take several.
llvm::Expected<SmallVector<CacheState *>> Session::statesOf(unsigned index) {
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
    heddle_error error = {};
    size_t bytes = 0;
    if (llvm::Error failure =
            toError(heddle_argument_size(input.model.entries[index], number,
                                         sizes.data(), &bytes, &error),
                    error))
      return failure;
    caches.push_back(std::make_unique<CacheState>(CacheState{
        argument.cache, std::make_unique<Memory>(bytes),
        std::vector<int32_t>(sizes[-1 - argument.extents[0]]),
        CacheHistory::create(argument.cache, sizes[-1 - argument.extents[0]],
                             sizes[-1 - argument.extents[1]])}));
    states.push_back(caches.back().get());
  }
  return states;
}

llvm::Error Session::call(unsigned index, ArrayRef<CacheState *> states) {
  const EntryPlan &plan = input.plan.entries[index];
  const heddle_entry *entry = input.model.entries[index];
  heddle_error error = {};
  size_t workspaceSize = 0;
  if (llvm::Error failure = toError(
          heddle_workspace_size(entry, sizes.data(), &workspaceSize, &error),
          error))
    return failure;
  Memory workspace(workspaceSize);
  std::vector<std::unique_ptr<Memory>> arguments;
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
    arguments.push_back(std::make_unique<Memory>(bytes));
    buffers.push_back(arguments.back()->data());
    if (argument.kind == HEDDLE_ARGUMENT_INPUT)
      fill(argument,
           argument.rule == HEDDLE_RULE_START ? starts : lengths[number],
           buffers.back());
  }
  std::optional<ArrayRef<int32_t>> valid;
  if (hasRule(plan, HEDDLE_RULE_LENGTH))
    valid = shortest;
  KernelVerifier verifier(input.module, plan, sizes, valid, evaluator,
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
  return modelVerifier.compare({plan, sizes, valid, buffers}, histories,
                               summaries[index]);
}

// What has one token is called once more, to go on after itself.
llvm::Error Session::callRound(unsigned index, int64_t round) {
  const EntryPlan &entry = input.plan.entries[index];
  bool isLong = entry.symbol(SizeRole::Length).has_value();
  for (int repeat = 0; repeat < (isLong ? 1 : 2); ++repeat) {
    chooseSizes(entry, round);
    auto states = statesOf(index);
    if (!states)
      return states.takeError();
    int64_t length = isLong ? round : 1;
    if (!states->empty()) {
      starts = states->front()->starts;
      length = std::min(length, sizes[*entry.symbol(SizeRole::Capacity)] -
                                    *llvm::max_element(starts));
    }
    if (length < 1)
      continue;
    chooseSizes(entry, length);
    chooseLengths(entry, length);
    if (llvm::Error error = call(index, *states))
      return error;
    if (hasRule(entry, HEDDLE_RULE_START))
      for (CacheState *state : *states)
        for (auto [start, taken] : llvm::zip(state->starts, shortest))
          start += taken;
  }
  return llvm::Error::success();
}

llvm::Error Session::run() {
  for (int64_t round : rounds)
    for (auto [index, entry] : llvm::enumerate(input.plan.entries)) {
      summaries[index].kernels = entry.launches.size();
      if (llvm::Error error = callRound(index, round))
        return error;
    }
  return llvm::Error::success();
}

std::string Session::describe() const {
  std::string text;
  for (auto [index, entry] : llvm::enumerate(input.plan.entries))
    text += summaries[index].describe(entry.name) + "\n";
  return text;
}

llvm::Expected<std::string> heddle::verify(const VerifyInput &input) {
  std::optional<reference::CheckpointSource> source;
  if (input.tensors)
    source.emplace(*input.tensors);
  Session session(input, source ? &*source : nullptr);
  if (llvm::Error error = session.run())
    return error;
  return session.describe();
}

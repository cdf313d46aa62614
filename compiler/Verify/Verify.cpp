// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/Verify.h"

#include "compiler/Import/FloatFormats.h"
#include "compiler/RuntimeError.h"
#include "compiler/Verify/VerifyBuffers.h"
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
  int64_t elementsOf(const EntryPlan &entry,
                     const ArgumentPlan &argument) const;
  CacheState *stateOf(const EntryPlan &entry, const ArgumentPlan &starts,
                      ArrayRef<CacheState *> states) const;
  bool isAppended(CacheType type) const;
  void fillCache(CacheState &state, size_t bytes);
  void fill(const EntryPlan &entry, const ArgumentPlan &argument,
            ArrayRef<int32_t> given, void *data);
  void fillNumbers(const ArgumentPlan &argument, int64_t elements, void *data);

  const VerifyInput &input;
  reference::Evaluator evaluator; ///< of kernels
  ModelVerifier modelVerifier;
  std::vector<VerifySummary> summaries;
  std::mt19937 random{1};
  std::vector<std::unique_ptr<CacheState>> caches;
  /// Of the current call.
  SmallVector<int64_t> sizes;
  std::vector<std::vector<int32_t>> lengths; ///< of arguments that are lengths
};

} // namespace

//===-- Calls -------------------------------------------------------------===//

// Sizes with no meaning known here differ from all others, so that none is
// taken for another.
void Session::chooseSizes(const EntryPlan &entry, int64_t length) {
  sizes.clear();
  for (auto [index, symbol] : llvm::enumerate(entry.symbols)) {
    int64_t size = 2 * length + 3 * index;
    if (symbol.getRole() == SymbolRole::Batch)
      size = batch;
    else if (symbol.getRole() == SymbolRole::Length)
      size = length;
    else if (symbol.getRole() == SymbolRole::Capacity)
      size = capacity;
    sizes.push_back(std::clamp(size, symbol.getMinimum(), symbol.getMaximum()));
  }
}

int64_t Session::elementsOf(const EntryPlan &entry,
                            const ArgumentPlan &argument) const {
  return entry.evaluate(argument.bytes, sizes) /
         int64_t(heddle_type_size(argument.type));
}

// Every argument gets lengths of its own, so that none is taken for another.
void Session::chooseLengths(const EntryPlan &entry, int64_t length) {
  lengths.assign(entry.arguments.size(), {});
  int64_t lessBy = 0;
  for (auto [argument, values] : llvm::zip_equal(entry.arguments, lengths)) {
    if (argument.role != ArgumentRole::Lengths)
      continue;
    int64_t most = length;
    if (argument.values)
      most =
          std::min(most, entry.evaluate(argument.values.getMaximum(), sizes));
    int64_t count = elementsOf(entry, argument);
    for (int64_t b = 0; b < count; ++b) {
      int64_t value = (b % 2 ? most / 2 + 1 : most) - b / 2 - lessBy;
      values.push_back(std::max<int64_t>(value, 1));
    }
    ++lessBy;
  }
}

// Of types whose every value is as good as another.
void Session::fillNumbers(const ArgumentPlan &argument, int64_t elements,
                          void *data) {
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> byte(INT8_MIN, INT8_MAX);
  for (int64_t i = 0; i < elements; ++i)
    switch (argument.type) {
    case HEDDLE_TYPE_BF16:
      static_cast<uint16_t *>(data)[i] = toBF16(normal(random));
      break;
    case HEDDLE_TYPE_F16:
      static_cast<uint16_t *>(data)[i] = toF16(normal(random));
      break;
    case HEDDLE_TYPE_I8:
      static_cast<int8_t *>(data)[i] = static_cast<int8_t>(byte(random));
      break;
    case HEDDLE_TYPE_I1:
      static_cast<uint8_t *>(data)[i] = byte(random) & 1;
      break;
    default:
      static_cast<float *>(data)[i] = normal(random);
    }
}

// `given` are the values where the session knows them.
void Session::fill(const EntryPlan &entry, const ArgumentPlan &argument,
                   ArrayRef<int32_t> given, void *data) {
  int64_t elements = elementsOf(entry, argument);
  bool isWide = argument.type == HEDDLE_TYPE_I64;
  if (!isWide && argument.type != HEDDLE_TYPE_I32)
    return fillNumbers(argument, elements, data);
  auto store = [&](int64_t index, int64_t value) {
    if (isWide)
      static_cast<int64_t *>(data)[index] = value;
    else
      static_cast<int32_t *>(data)[index] = static_cast<int32_t>(value);
  };
  if (!given.empty()) {
    assert(int64_t(given.size()) == elements && "one for each sequence");
    for (int64_t i = 0; i < elements; ++i)
      store(i, given[i]);
    return;
  }
  // Integers without a rule are positions and counts of tokens; where all sizes
  // are fixed, of a few.
  int64_t least = 0;
  int64_t largest = sizes.empty() ? 16 : *llvm::max_element(sizes);
  if (ValuesAttr values = argument.values) {
    least = values.getMinimum();
    largest = entry.evaluate(values.getMaximum(), sizes);
    if (values.getSize())
      largest -= entry.evaluate(values.getSize(), sizes);
  }
  std::uniform_int_distribution<int64_t> between(least,
                                                 std::max(least, largest));
  for (int64_t i = 0; i < elements; ++i)
    store(i, between(random));
}

// The cache that `starts` are positions in: the first that their maximum is
// about.
CacheState *Session::stateOf(const EntryPlan &entry, const ArgumentPlan &starts,
                             ArrayRef<CacheState *> states) const {
  const auto *state = states.begin();
  for (const ArgumentPlan &argument : entry.arguments) {
    if (argument.kind != HEDDLE_ARGUMENT_CACHE)
      continue;
    bool isItsCache = false;
    starts.values.getMaximum().walkSymbols([&](StringRef name) {
      isItsCache |= argument.extents[1].getName() == name;
    });
    if (isItsCache)
      return *state;
    ++state;
  }
  return states.front();
}

// Whether any function returns a cache of this type, as those do that append.
bool Session::isAppended(CacheType type) const {
  ModuleOp module = input.module;
  return llvm::any_of(
      module.getOps<func::FuncOp>(), [&](func::FuncOp function) {
        return llvm::is_contained(function.getResultTypes(), type);
      });
}

// What the model only reads comes from elsewhere: it holds any numbers.
void Session::fillCache(CacheState &state, size_t bytes) {
  std::normal_distribution<float> normal;
  auto *data = static_cast<float *>(state.memory->data());
  for (size_t i = 0; i < bytes / sizeof(float); ++i)
    data[i] = normal(random);
  readCache(data, *state.history.exact.storage);
  readCache(data, *state.history.perturbed.storage);
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
        CacheState{argument.cache, std::make_unique<Memory>(bytes),
                   std::vector<int32_t>(shape[0]),
                   CacheHistory::create(argument.cache, shape[0], shape[1])}));
    states.push_back(caches.back().get());
    if (!isAppended(argument.cache))
      fillCache(*states.back(), bytes);
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
llvm::Error Session::callRound(unsigned index, int64_t round) {
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

llvm::Error Session::run() {
  for (int64_t round : rounds)
    for (auto [index, entry] : llvm::enumerate(input.plan.entries)) {
      summaries[index].kernels = entry.kernels;
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

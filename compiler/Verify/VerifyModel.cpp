// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyModel.h"

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/Perturbation.h"
#include "compiler/Verify/VerifyBuffers.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using reference::CacheStorage;
using reference::CacheView;
using reference::Directions;
using reference::Perturbation;
using reference::Side;
using reference::Tensor;
using RefValue = reference::Value;

CacheHistory CacheHistory::create(CacheType type, int64_t batch,
                                  int64_t capacity) {
  return {CacheView::create(type, batch, capacity),
          CacheView::create(type, batch, capacity)};
}

//===-- The reference -----------------------------------------------------===//

// The function that an entry point was made of: that of its name, or the
// decoder, which has several.
static func::FuncOp functionOf(ModuleOp original, StringRef entry) {
  if (auto function = original.lookupSymbol<func::FuncOp>(entry))
    return function;
  auto functions = original.getOps<func::FuncOp>();
  return *llvm::find_if(functions, [](func::FuncOp function) {
    return function->hasAttr(kDecoderAttr);
  });
}

static Tensor readArgument(const FinishedCall &call, unsigned index) {
  const ArgumentPlan &argument = call.entry.arguments[index];
  return readTensor(argument.type, call.buffers[index],
                    call.entry.evaluate(argument.extents, call.sizes));
}

llvm::Expected<reference::Evaluator::Results>
ModelVerifier::evaluate(const FinishedCall &call,
                        ArrayRef<CacheHistory *> caches,
                        CacheView CacheHistory::*view) {
  SmallVector<RefValue> arguments;
  const auto *next = caches.begin();
  for (auto [index, argument] : llvm::enumerate(call.entry.arguments)) {
    if (argument.kind == HEDDLE_ARGUMENT_CACHE)
      arguments.push_back((*next++)->*view);
    else if (argument.kind == HEDDLE_ARGUMENT_INPUT)
      arguments.push_back(readArgument(call, index));
  }
  func::FuncOp function = functionOf(original, call.entry.name);
  llvm::StringMap<int64_t> symbols;
  for (auto [symbol, size] : llvm::zip_equal(call.entry.symbols, call.sizes))
    symbols[symbol.getName().getValue()] = size;
  auto results = evaluator.run(function.getName(), arguments, symbols);
  // The storage has been appended to, whatever the results are.
  for (CacheHistory *history : caches) {
    CacheView &cache = history->*view;
    cache.appends.assign(cache.storage->appends.begin(),
                         cache.storage->appends.end());
  }
  return results;
}

//===-- Comparing ---------------------------------------------------------===//

namespace {
/// One tensor of a call's results.
struct Compared {
  std::string name;
  SmallVector<int64_t> shape;
  ArrayRef<double> got, exact, perturbed;
  FloatType type; ///< null for integers
};
} // namespace

static FloatType floatTypeOf(ModuleOp module, heddle_type type) {
  return dyn_cast<FloatType>(findElementType(type)->get(module.getContext()));
}

// Integers of a cache stand for their products with scales, which are f32.
static FloatType floatTypeOf(CacheType cache, CachePart part) {
  auto type = dyn_cast<FloatType>(cache.getTypeOf(part));
  return type ? type : Float32Type::get(cache.getContext());
}

static llvm::Error compareTensor(const FinishedCall &call,
                                 const Compared &tensor,
                                 llvm::function_ref<bool(size_t)> isCompared,
                                 VerifySummary &summary) {
  std::vector<double> tolerances =
      tensor.type
          ? reference::tolerancesOf(tensor.exact, tensor.perturbed,
                                    reference::overflowOf(tensor.type),
                                    isCompared)
          : reference::tolerancesOfIntegers(tensor.exact, tensor.perturbed);
  auto worst =
      reference::findWorst(tensor.got, tensor.exact, tolerances, isCompared);
  if (!worst)
    return llvm::Error::success();
  for (auto [element, tolerance] : llvm::enumerate(tolerances))
    if (isCompared(element)) {
      ++summary.elements;
      summary.openElements += std::isinf(tolerance);
    }
  if (!(worst->ratio() <= 1))
    return llvm::createStringError(
        "%s: the model as a whole leaves its tolerance: %s",
        call.entry.name.c_str(),
        describeFailure(tensor.name, tensor.shape, *worst).c_str());
  if (summary.worstOfModel && worst->ratio() <= summary.worstOfModel->ratio())
    return llvm::Error::success();
  summary.worstOfModel = worst;
  summary.worstPlace =
      tensor.name + describeIndex(tensor.shape, worst->element);
  summary.largest = 0;
  for (auto [element, value] : llvm::enumerate(tensor.exact))
    if (isCompared(element) && std::isfinite(value))
      summary.largest = std::max(summary.largest, std::abs(value));
  return llvm::Error::success();
}

// Layer by layer, because roundings add up from each to the next.
llvm::Error ModelVerifier::compareCache(const FinishedCall &call,
                                        unsigned argument,
                                        const CacheHistory &cache,
                                        VerifySummary &summary) {
  const CacheStorage &exact = *cache.exact.storage;
  const CacheStorage &perturbed = *cache.perturbed.storage;
  CacheStorage got = exact;
  readCache(call.buffers[argument], got);
  for (int64_t layer = 0; layer < exact.type.getLayers(); ++layer)
    for (auto [part, name] : {std::pair(CachePart::Keys, "keys"),
                              std::pair(CachePart::Values, "values")}) {
      int64_t size = exact.index(part, 1, 0, 0);
      auto slice = [&, part = part](const CacheStorage &storage) {
        return ArrayRef(storage.part(part)).slice(layer * size, size);
      };
      Compared tensor{call.entry.arguments[argument].name + " layer " +
                          std::to_string(layer) + " " + name,
                      {exact.batch, exact.positions(), exact.type.getKvHeads(),
                       exact.type.getDimOf(part)},
                      slice(got),
                      slice(exact),
                      slice(perturbed),
                      floatTypeOf(exact.type, part)};
      // What has never been appended is not a number on both sides.
      auto isCompared = [&](size_t i) {
        return !std::isnan(tensor.exact[i]) || !std::isnan(tensor.got[i]);
      };
      if (llvm::Error error = compareTensor(call, tensor, isCompared, summary))
        return error;
    }
  return llvm::Error::success();
}

// Where a model diverges, products of numbers from the square root of overflow
// on become infinite or no number on the way, in each order of sums in another
// place, and those of zeros with them no number elsewhere: numbers alone are
// compared. Where none is large, infinities are what the model means. The
// largest number of a type is no such one, as masks are filled with it.
static bool hasDiverged(const Tensor &result, FloatType type) {
  if (!type)
    return false;
  double diverging = std::sqrt(reference::overflowOf(type));
  double largest =
      llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  return llvm::any_of(result.data, [&](double x) {
    double size = std::abs(x);
    return size >= diverging && size < largest;
  });
}

llvm::Error ModelVerifier::compareOutput(const FinishedCall &call,
                                         unsigned argument, const Tensor &exact,
                                         const Tensor &perturbed, bool diverges,
                                         VerifySummary &summary) {
  const ArgumentPlan &plan = call.entry.arguments[argument];
  Tensor got = readArgument(call, argument);
  if (got.shape != exact.shape)
    return llvm::createStringError("%s: %s has the shape %s, expected %s",
                                   call.entry.name.c_str(), plan.name.c_str(),
                                   reference::describe(got.shape).c_str(),
                                   reference::describe(exact.shape).c_str());
  separate(got, exact);
  std::optional<std::vector<double>> lengths;
  if (plan.padding)
    lengths = readArgument(call, *plan.padding).data;
  Padding padding(got.shape, lengths);
  // What is not a number as written may be one: attention that was found gives
  // 0 for a query that keeps no key.
  auto isOpen = [&](size_t element) {
    return diverges && !(std::isfinite(exact.data[element]) &&
                         std::isfinite(got.data[element]));
  };
  auto isCompared = [&](size_t element) {
    return !padding.covers(element) && !std::isnan(exact.data[element]) &&
           !isOpen(element);
  };
  for (size_t element = 0; element < exact.data.size(); ++element)
    if (!padding.covers(element) && isOpen(element)) {
      ++summary.elements;
      ++summary.openElements;
    }
  return compareTensor(call,
                       {plan.name, got.shape, got.data, exact.data,
                        perturbed.data, floatTypeOf(original, plan.type)},
                       isCompared, summary);
}

llvm::Expected<reference::Evaluator::Results>
ModelVerifier::evaluateMoved(const FinishedCall &call,
                             ArrayRef<CacheHistory *> caches,
                             Perturbation &perturbation) {
  evaluator.setObserver([&](Operation *op, ArrayRef<RefValue> operands,
                            MutableArrayRef<RefValue> results,
                            const reference::Environment &environment) {
    perturbation.follow(op, results, environment);
  });
  auto results = evaluate(call, caches, &CacheHistory::perturbed);
  evaluator.setObserver({});
  return results;
}

// The signs of two roundings differ in half of all elements, where these may
// cancel each other: of few elements, it takes several draws to see them add
// up.
static unsigned countDraws(ArrayRef<RefValue> results) {
  constexpr int64_t fewElements = 64;
  constexpr unsigned manyDraws = 16;
  int64_t fewest = fewElements;
  for (const RefValue &result : results)
    if (result.isTensor())
      fewest = std::min(fewest, llvm::product_of(result.shape()));
  return fewest == fewElements ? 1 : manyDraws;
}

// Of two results with roundings, for each element the one further away.
static Tensor furthest(const Tensor &exact, const Tensor &one,
                       const Tensor &other) {
  Tensor result = one;
  for (auto [far, want, moved] :
       llvm::zip_equal(result.data, exact.data, other.data))
    if (!(reference::differenceOf(want, moved) <=
          reference::differenceOf(want, far)))
      far = moved;
  return result;
}

llvm::Error ModelVerifier::addDraw(const FinishedCall &call,
                                   ArrayRef<CacheHistory *> caches,
                                   Perturbation perturbation,
                                   ArrayRef<RefValue> exact,
                                   MutableArrayRef<RefValue> furthest) {
  auto moved = evaluateMoved(call, caches, perturbation);
  if (!moved)
    return moved.takeError();
  for (auto [far, want, other] : llvm::zip_equal(furthest, exact, *moved))
    if (want.isTensor())
      far = ::furthest(*want.tensor(), *far.tensor(), *other.tensor());
  return llvm::Error::success();
}

llvm::Expected<reference::Evaluator::Results>
ModelVerifier::evaluateFurthest(const FinishedCall &call,
                                ArrayRef<CacheHistory *> caches,
                                ArrayRef<RefValue> exact) {
  bool hasCaches = !caches.empty();
  Perturbation first(++draws, hasCaches ? Directions::OfResults
                                        : Directions::OfExecutions);
  auto furthest = evaluateMoved(call, caches, first);
  if (!furthest || hasCaches)
    return furthest;
  SmallVector<Directions> more;
  for (unsigned number = 1; number < countDraws(exact); ++number)
    more.push_back(number % 2 && first.repeats() ? Directions::OfResults
                                                 : Directions::OfExecutions);
  if (more.empty() && first.repeats())
    more.push_back(Directions::OfResults);
  if (first.roundings() > Perturbation::fewRoundings)
    more.push_back(Directions::OfElements);
  for (Directions directions : more)
    if (llvm::Error error = addDraw(
            call, caches, Perturbation(++draws, directions), exact, *furthest))
      return error;
  return furthest;
}

llvm::Error ModelVerifier::compare(const FinishedCall &call,
                                   ArrayRef<CacheHistory *> caches,
                                   VerifySummary &summary) {
  auto exact = evaluate(call, caches, &CacheHistory::exact);
  if (!exact)
    return exact.takeError();
  unsigned seed = draws + 1; // of the first draw
  auto perturbed = evaluateFurthest(call, caches, *exact);
  if (!perturbed)
    return perturbed.takeError();
  VerifySummary before = summary;
  llvm::Error error = compareResults(call, caches, *exact, *perturbed, summary);
  // An operand at the end of a function's domain may be outside of it in code,
  // and inside in every draw. So what differs is looked at in more of them.
  constexpr unsigned moreDraws = 12;
  for (unsigned number = 0; number < moreDraws; ++number) {
    if (!error || !caches.empty())
      break;
    llvm::consumeError(std::move(error));
    constexpr Side sides[] = {Side::Backward, Side::Zero, Side::Forward};
    Perturbation other(seed, Directions::OfExecutions, sides[number % 3]);
    seed = number % 3 == 1 ? ++draws : seed;
    if (llvm::Error failure = addDraw(call, caches, other, *exact, *perturbed))
      return failure;
    summary = before;
    error = compareResults(call, caches, *exact, *perturbed, summary);
  }
  return error;
}

llvm::Error ModelVerifier::compareResults(const FinishedCall &call,
                                          ArrayRef<CacheHistory *> caches,
                                          ArrayRef<RefValue> exact,
                                          ArrayRef<RefValue> perturbed,
                                          VerifySummary &summary) {
  // Caches first: they name the layer that goes wrong.
  unsigned outputs = 0;
  const auto *next = caches.begin();
  for (auto [index, argument] : llvm::enumerate(call.entry.arguments)) {
    if (argument.kind == HEDDLE_ARGUMENT_CACHE)
      if (llvm::Error error = compareCache(call, index, **next++, summary))
        return error;
    outputs += argument.kind != HEDDLE_ARGUMENT_OUTPUT;
  }
  SmallVector<std::array<std::shared_ptr<const Tensor>, 2>> results;
  for (auto [want, moved] : llvm::zip_equal(exact, perturbed))
    if (want.isTensor())
      results.push_back({want.tensor(), moved.tensor()});
  bool diverges = llvm::any_of(llvm::enumerate(results), [&](auto result) {
    const auto &plan = call.entry.arguments[outputs + result.index()];
    return hasDiverged(*result.value()[0], floatTypeOf(original, plan.type));
  });
  for (auto [want, moved] : results)
    if (llvm::Error error =
            compareOutput(call, outputs++, *want, *moved, diverges, summary))
      return error;
  return llvm::Error::success();
}

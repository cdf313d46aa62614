// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Explain/CallInputs.h"

#include "compiler/Explain/MaskText.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using reference::Tensor;

//===-- Sizes -------------------------------------------------------------===//

static llvm::Expected<llvm::StringMap<int64_t>>
chooseSizes(const EntryPlan &entry,
            const std::map<std::string, int64_t> &given) {
  SmallVector<ChosenSize> symbols = entry.chosenSizes();
  auto chosen = usualSizes(entry.name, symbols, given);
  if (!chosen)
    return chosen.takeError();
  llvm::StringMap<int64_t> sizes;
  for (auto [symbol, size] : llvm::zip_equal(symbols, *chosen))
    sizes[symbol.name] = size;
  return sizes;
}

//===-- What is given -----------------------------------------------------===//

// "7, " where all elements are that integer.
static std::string describeElements(const Tensor &tensor) {
  if (tensor.data.empty() || !llvm::all_equal(tensor.data))
    return "";
  double element = tensor.data[0];
  return element == std::floor(element) && std::abs(element) < 0x1p53
             ? std::to_string(int64_t(element)) + ", "
             : "";
}

llvm::Expected<CallInputs> CallInputs::create(ModuleOp module,
                                              func::FuncOp function,
                                              const EntryPlan &entry,
                                              reference::Evaluator &evaluator,
                                              const ExplainedCall &call) {
  auto sizes = chooseSizes(entry, call.sizes);
  if (!sizes)
    return sizes.takeError();
  CallInputs inputs(function, entry,
                    KnownValues(module, evaluator, std::move(*sizes)));
  if (llvm::Error error = inputs.readInputs(call))
    return error;
  return inputs;
}

std::optional<SmallVector<int64_t>> CallInputs::shapeOf(unsigned argument) {
  SmallVector<int64_t> shape;
  for (SizeAttr size : entry.arguments[argument].extents) {
    std::optional<int64_t> extent = known.evaluate(size);
    if (!extent || *extent < 0)
      return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

llvm::Error CallInputs::readInputs(const ExplainedCall &call) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    const ArgumentPlan &plan = entry.arguments[index];
    if (plan.kind != HEDDLE_ARGUMENT_INPUT)
      continue;
    auto shape = shapeOf(index);
    if (!shape)
      return llvm::createStringError(llvm::Twine(entry.name) +
                                     ": with these sizes input '" + plan.name +
                                     "' has no shape; give others with --size");
    auto read = call.readInput(plan, *shape);
    if (!read)
      return read.takeError();
    if (!*read)
      continue;
    notes[index] = describeElements(**read) + "given";
    known.give(function.getArgument(index), std::move(**read));
  }
  return llvm::Error::success();
}

//===-- What is assumed ---------------------------------------------------===//

std::optional<unsigned> CallInputs::numberOf(mlir::Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<unsigned> CallInputs::argumentOf(LaunchOp launch,
                                               mlir::Value value) {
  auto inside = dyn_cast<BlockArgument>(value);
  if (!inside)
    return std::nullopt;
  return numberOf(launch.getArguments()[inside.getArgNumber()]);
}

llvm::Error CallInputs::assume(unsigned argument, int64_t otherwise) {
  if (!notes[argument].empty())
    return llvm::Error::success();
  const ArgumentPlan &plan = entry.arguments[argument];
  // What is added may be the numbers of another argument.
  std::shared_ptr<const Tensor> added;
  int64_t most = otherwise;
  if (plan.values) {
    auto maximum = known.evaluate(plan.values.getMaximum());
    auto size = plan.values.getSize() ? known.evaluate(plan.values.getSize())
                                      : std::optional<int64_t>(0);
    if (!maximum || !size)
      return llvm::Error::success();
    most = *maximum - *size;
    if (auto lengths = plan.lengths()) {
      if (llvm::Error error = assume(*lengths, most))
        return error;
      auto values = known.of(function.getArgument(*lengths));
      if (!values)
        return llvm::Error::success();
      added = values->tensor();
    }
  }
  auto shape = shapeOf(argument);
  Tensor tensor = Tensor::zeros(*shape);
  bool isWide = plan.type == HEDDLE_TYPE_I64;
  if (isWide)
    tensor.integers.resize(tensor.data.size());
  for (size_t index = 0; index < tensor.data.size(); ++index) {
    int64_t value = most - (added ? added->integer(index) : 0);
    if (plan.values && value < plan.values.getMinimum())
      return llvm::createStringError(
          llvm::Twine(entry.name) + ": with these sizes input '" + plan.name +
          "' is at least " + llvm::Twine(plan.values.getMinimum()) +
          " and at most " + llvm::Twine(value) +
          "; give others with --size, or lengths with --input");
    tensor.data[index] = double(value);
    if (isWide)
      tensor.integers[index] = value;
  }
  notes[argument] = describeElements(tensor) + "assumed";
  known.give(function.getArgument(argument), std::move(tensor));
  return llvm::Error::success();
}

llvm::Error CallInputs::assume(LaunchOp launch, AttentionOp attention) {
  if (!attention.getMask())
    return llvm::Error::success();
  // Of these, masks read sums as well.
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    const ArgumentPlan &plan = entry.arguments[index];
    bool isCount =
        plan.role == ArgumentRole::Lengths || plan.role == ArgumentRole::Starts;
    if (isCount && plan.values)
      if (llvm::Error error = assume(index, 0))
        return error;
  }
  ScoreSpace space = attention.getScoreSpace();
  auto queries = known.evaluate(space[size_t(ScoreDim::Query)]);
  auto keys = known.evaluate(space[size_t(ScoreDim::Key)]);
  if (!queries || !keys)
    return llvm::Error::success();
  llvm::Error result = llvm::Error::success();
  walkMasks(attention.getMask(), [&](Operation *op) {
    mlir::Value number;
    int64_t otherwise = std::max<int64_t>(*keys - *queries, 0);
    if (auto causal = dyn_cast<CausalMaskOp>(op)) {
      number = causal.getOffset();
    } else if (auto window = dyn_cast<WindowMaskOp>(op)) {
      number = window.getOffset();
    } else if (auto lengths = dyn_cast<LengthsMaskOp>(op)) {
      number = lengths.getLengths();
      otherwise = lengths.getOf() == ScoreDim::Query ? *queries : *keys;
    }
    if (!number || result)
      return;
    if (std::optional<unsigned> argument = argumentOf(launch, number))
      result = assume(*argument, otherwise);
  });
  return result;
}

//===-- As text -----------------------------------------------------------===//

llvm::SetVector<mlir::Value> CallInputs::sourcesOf(LaunchOp launch,
                                                   mlir::Value value) {
  llvm::SetVector<mlir::Value> visited, sources;
  visited.insert(value);
  for (size_t index = 0; index < visited.size(); ++index) {
    mlir::Value part = visited[index];
    auto argument = dyn_cast<BlockArgument>(part);
    if (argument && argument.getOwner()->getParentOp() ==
                        launch->getParentOfType<ModuleOp>().lookupSymbol(
                            launch.getKernel()))
      visited.insert(launch.getArguments()[argument.getArgNumber()]);
    else if (argument || part.getDefiningOp<WeightRefOp>())
      sources.insert(part);
    else
      visited.insert_range(part.getDefiningOp()->getOperands());
  }
  return sources;
}

std::string CallInputs::nameOf(LaunchOp launch, mlir::Value value) {
  SmallVector<std::string> names;
  auto sources = sourcesOf(launch, value);
  for (mlir::Value source : sources)
    if (std::optional<unsigned> argument = numberOf(source))
      names.push_back(entry.arguments[*argument].name);
    else if (auto weight = source.getDefiningOp<WeightRefOp>())
      names.push_back(weight.getWeight().str());
    else
      names.push_back("a loop");
  if (names.empty())
    return "constant";
  auto inside = dyn_cast<BlockArgument>(value);
  bool isPlain =
      inside && sources.contains(launch.getArguments()[inside.getArgNumber()]);
  return (isPlain ? "" : "from ") + llvm::join(names, ", ");
}

// Summaries of masks follow from the masks.
static void findTensors(AttentionOp attention,
                        llvm::SetVector<mlir::Value> &found) {
  walkMasks(attention.getMask(), [&](Operation *op) {
    if (auto documents = dyn_cast<DocumentsMaskOp>(op)) {
      found.insert(documents.getQueries());
      found.insert(documents.getKeys());
    } else if (auto dense = dyn_cast<DenseMaskOp>(op)) {
      found.insert(dense.getMask());
    } else {
      found.insert_range(op->getOperands());
    }
  });
}

std::string CallInputs::describe(LaunchOp launch, AttentionOp attention) {
  llvm::SetVector<mlir::Value> tensors, sources;
  if (attention.getMask())
    findTensors(attention, tensors);
  bool isKnown = true;
  for (mlir::Value tensor : tensors) {
    auto parts = sourcesOf(launch, tensor);
    sources.insert_range(parts);
    bool isGiven = llvm::all_of(parts, [&](mlir::Value part) {
      std::optional<unsigned> argument = numberOf(part);
      return !argument || !notes[*argument].empty();
    });
    if (isGiven && !known.of(launch, tensor))
      isKnown = false;
  }
  SmallVector<std::string> texts;
  for (mlir::Value source : sources)
    if (std::optional<unsigned> argument = numberOf(source)) {
      const std::string &note = notes[*argument];
      texts.push_back(entry.arguments[*argument].name + " (" +
                      (note.empty() ? "not known" : note) + ")");
    }
  if (!isKnown)
    texts.push_back("what only a call computes (not known)");
  return llvm::join(texts, ", ");
}

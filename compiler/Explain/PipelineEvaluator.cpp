// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Explain/PipelineEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using reference::Scalar;
using reference::ScalarOp;

PipelineEvaluator::PipelineEvaluator(halide::PipelineOp pipeline, SizeOf sizeOf,
                                     ArgumentOf argumentOf)
    : pipeline(pipeline), sizeOf(std::move(sizeOf)),
      argumentOf(std::move(argumentOf)) {
  for (Operation &op : pipeline.getBody().front()) {
    if (auto update = dyn_cast<halide::UpdateOp>(op))
      updates[pipeline.lookupSymbol(update.getFunc())].push_back(update);
    else if (op.getNumResults() == 1)
      top.push_back(makeStep(op));
  }
  setTask(0);
}

void PipelineEvaluator::setTask(int64_t number) {
  task = number;
  known.clear();
  for (const Step &step : top)
    run(step);
}

std::optional<int64_t>
PipelineEvaluator::evaluate(StringRef name, ArrayRef<int64_t> coordinates) {
  auto func = pipeline.lookupSymbol<halide::FuncOp>(name);
  Numbers at;
  for (int64_t coordinate : coordinates)
    at.push_back(Scalar::of(coordinate));
  Number value = valuesOf(func, at).front();
  if (!value)
    return std::nullopt;
  return value->integer;
}

void PipelineEvaluator::assume(StringRef name, int64_t value) {
  auto func = pipeline.lookupSymbol<halide::FuncOp>(name);
  known[func] = {Scalar::of(value)};
}

//===-- Blocks ------------------------------------------------------------===//

unsigned PipelineEvaluator::registerOf(mlir::Value value) {
  auto [found, isNew] = registers.try_emplace(value, numbers.size());
  if (isNew)
    numbers.emplace_back();
  return found->second;
}

PipelineEvaluator::Step PipelineEvaluator::makeStep(Operation &op) {
  Step step{&op, std::nullopt, {}, 0, nullptr};
  for (mlir::Value operand : op.getOperands())
    step.operands.push_back(registerOf(operand));
  if (op.getNumResults() == 1)
    step.result = registerOf(op.getResult(0));
  if (auto access = dyn_cast<halide::AccessOp>(op)) {
    step.source = pipeline.lookupSymbol(access.getSource());
  } else if (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) &&
             !isa<arith::ConstantOp>(op)) {
    llvm::Expected<ScalarOp> scalar = ScalarOp::of(&op);
    if (scalar)
      step.scalar = std::move(*scalar);
    else
      llvm::consumeError(scalar.takeError());
  }
  return step;
}

const PipelineEvaluator::Steps &PipelineEvaluator::stepsOf(Block &block) {
  std::unique_ptr<Steps> &found = steps[&block];
  if (!found) {
    found = std::make_unique<Steps>();
    for (Operation &op : block.without_terminator())
      found->push_back(makeStep(op));
  }
  return *found;
}

std::optional<int64_t> PipelineEvaluator::integerOf(mlir::Value value) {
  Number number = numbers[registerOf(value)];
  if (!number)
    return std::nullopt;
  return number->integer;
}

PipelineEvaluator::Numbers PipelineEvaluator::run(Block &block,
                                                  ArrayRef<Number> arguments) {
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    unsigned index = registerOf(argument);
    numbers[index] = value;
  }
  for (const Step &step : stepsOf(block))
    run(step);
  auto yield = cast<halide::YieldOp>(block.getTerminator());
  Numbers values;
  for (mlir::Value value : yield.getValues())
    values.push_back(numbers[registerOf(value)]);
  return values;
}

void PipelineEvaluator::run(const Step &step) {
  if (step.op->getNumResults() != 1)
    return;
  Numbers operands;
  for (unsigned operand : step.operands)
    operands.push_back(numbers[operand]);
  Number value = compute(step, operands);
  numbers[step.result] = value;
}

//===-- Ops ---------------------------------------------------------------===//

static PipelineEvaluator::Number valueOf(arith::ConstantOp op) {
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    return Scalar::of(real.getValueAsDouble());
  APInt number = cast<IntegerAttr>(op.getValue()).getValue();
  return Scalar::of(number.getBitWidth() == 1 ? int64_t(number.getZExtValue())
                                              : number.getSExtValue());
}

// Of truth values, one may decide.
static PipelineEvaluator::Number
combineTruth(ArrayRef<PipelineEvaluator::Number> operands, int64_t deciding) {
  for (const PipelineEvaluator::Number &operand : operands)
    if (operand && operand->integer == deciding)
      return operand;
  return std::nullopt;
}

PipelineEvaluator::Number
PipelineEvaluator::compute(const Step &step, ArrayRef<Number> operands) {
  Operation *op = step.op;
  if (step.source)
    return access(step, operands);
  if (isa<arith::SelectOp>(op)) {
    if (operands[0])
      return operands[operands[0]->integer ? 1 : 2];
    bool isSame = operands[1] && operands[2] &&
                  operands[1]->integer == operands[2]->integer &&
                  operands[1]->real == operands[2]->real;
    return isSame ? operands[1] : std::nullopt;
  }
  if (step.scalar) {
    if (llvm::all_of(operands, [](const Number &x) { return bool(x); })) {
      SmallVector<Scalar, 4> values;
      for (const Number &operand : operands)
        values.push_back(*operand);
      return (*step.scalar)(values);
    }
    if (op->getResult(0).getType().isInteger(1)) {
      if (isa<arith::AndIOp>(op))
        return combineTruth(operands, 0);
      if (isa<arith::OrIOp>(op))
        return combineTruth(operands, 1);
    }
    return std::nullopt;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return valueOf(constant);
  if (isa<halide::PromiseClampedOp>(op))
    return operands[0];
  if (isa<halide::ModOp>(op)) {
    if (!operands[0] || !operands[1] || operands[1]->integer == 0)
      return std::nullopt;
    int64_t x = operands[0]->integer, y = operands[1]->integer;
    return Scalar::of(x - llvm::divideFloorSigned(x, y) * y);
  }
  if (auto param = dyn_cast<halide::ParamOp>(op)) {
    std::optional<int64_t> size = sizeOf(param.getSize());
    return size ? Number(Scalar::of(*size)) : std::nullopt;
  }
  if (isa<halide::TaskOp>(op))
    return Scalar::of(task);
  return std::nullopt;
}

//===-- Inputs and funcs --------------------------------------------------===//

static bool isSame(ArrayRef<PipelineEvaluator::Number> x,
                   ArrayRef<PipelineEvaluator::Number> y) {
  return llvm::equal(x, y, [](const auto &a, const auto &b) {
    return a && b && a->integer == b->integer;
  });
}

PipelineEvaluator::Number
PipelineEvaluator::access(const Step &step, ArrayRef<Number> coordinates) {
  if (auto input = dyn_cast<halide::InputOp>(step.source))
    return readInput(input, coordinates);
  int64_t index = cast<halide::AccessOp>(step.op).getIndex();
  for (Partial *partial : partials)
    if (partial->func == step.source)
      return isSame(partial->coordinates, coordinates) ? partial->values[index]
                                                       : std::nullopt;
  return valuesOf(cast<halide::FuncOp>(step.source), coordinates)[index];
}

PipelineEvaluator::Number
PipelineEvaluator::readInput(halide::InputOp input,
                             ArrayRef<Number> coordinates) {
  if (!input.getArgument() || input.getPart())
    return std::nullopt;
  auto tensor = argumentOf(*input.getArgument());
  if (!tensor)
    return std::nullopt;
  int64_t element = 0, stride = 1;
  auto dynamic = input.getExtents().begin();
  for (auto [coordinate, fixed] :
       llvm::zip_equal(coordinates, input.getStaticExtents())) {
    std::optional<int64_t> extent = fixed;
    if (ShapedType::isDynamic(fixed))
      extent = integerOf(*dynamic++);
    if (!coordinate || !extent || coordinate->integer < 0 ||
        coordinate->integer >= *extent)
      return std::nullopt;
    element += coordinate->integer * stride;
    stride *= *extent;
  }
  if (stride != int64_t(tensor->data.size()))
    return std::nullopt;
  return reference::getElement(*tensor, input.getType(), element);
}

PipelineEvaluator::Numbers
PipelineEvaluator::valuesOf(halide::FuncOp func, ArrayRef<Number> coordinates) {
  if (coordinates.empty())
    if (auto found = known.find(func); found != known.end())
      return found->second;
  Partial partial{func, Numbers(coordinates),
                  run(func.getBody().front(), coordinates)};
  for (halide::UpdateOp op : updates.lookup(func))
    if (!update(op, partial)) {
      partial.values.assign(func.getTypes().size(), std::nullopt);
      break;
    }
  if (coordinates.empty())
    known[func] = partial.values;
  return partial.values;
}

// Updates of what masks keep write where they read.
bool PipelineEvaluator::update(halide::UpdateOp op, Partial &partial) {
  Block &block = op.getBody().front();
  auto yield = cast<halide::YieldOp>(block.getTerminator());
  if (!yield.getCoordinates().empty() ||
      !block.getOps<halide::WhereOp>().empty())
    return false;
  SmallVector<int64_t> extents;
  auto dynamic = op.getExtents().begin();
  for (int64_t extent : op.getStaticExtents()) {
    std::optional<int64_t> value = extent;
    if (ShapedType::isDynamic(extent))
      value = integerOf(*dynamic++);
    if (!value)
      return false;
    extents.push_back(*value);
  }
  if (extents.size() != 1)
    return false;
  partials.push_back(&partial);
  Numbers arguments = partial.coordinates;
  arguments.emplace_back();
  for (int64_t at = 0; at < extents[0]; ++at) {
    arguments.back() = Scalar::of(at);
    Numbers next = run(block, arguments);
    partial.values = std::move(next);
  }
  partials.pop_back();
  return true;
}

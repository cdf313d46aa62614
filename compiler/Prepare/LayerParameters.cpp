// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/LayerParameters.h"

using namespace mlir;
using namespace heddle;

std::string heddle::joinNames(StringRef prefix, const Twine &name) {
  return prefix.empty() ? name.str() : (prefix + "." + name).str();
}

// "[?, 64]"
static std::string describe(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(shape, stream, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << '?';
    else
      stream << size;
  });
  stream << ']';
  return text;
}

static bool fits(RankedTensorType type, ArrayRef<int64_t> shape) {
  return isa<FloatType>(type.getElementType()) &&
         llvm::equal(type.getShape(), shape, [](int64_t found, int64_t size) {
           return ShapedType::isDynamic(size) || found == size;
         });
}

FailureOr<WeightOp> LayerParameters::take(StringRef name,
                                          ArrayRef<int64_t> shape) {
  auto symbol = FlatSymbolRefAttr::get(op->getContext(), name);
  auto weight = symbols.lookup<WeightOp>(name);
  if (!weight)
    return op->emitOpError("expected a heddle.weight ")
           << symbol << " of floats and shape " << describe(shape)
           << ", found none";
  if (!fits(weight.getTensorType(), shape)) {
    InFlightDiagnostic error = op->emitOpError("expected heddle.weight ")
                               << symbol << " to be of floats and shape "
                               << describe(shape) << ", found "
                               << weight.getType();
    error.attachNote(weight.getLoc()) << "the weight";
    return error;
  }
  taken.insert(weight);
  return weight;
}

FailureOr<Value> LayerParameters::get(StringRef name, ArrayRef<int64_t> shape) {
  FailureOr<WeightOp> weight = take(name, shape);
  if (failed(weight))
    return failure();
  return Value(
      WeightRefOp::create(b, op->getLoc(), weight->getTensorType(), name));
}

FailureOr<Value> LayerParameters::getOptional(StringRef name,
                                              ArrayRef<int64_t> shape) {
  return has(name) ? get(name, shape) : FailureOr<Value>(Value());
}

Value LayerParameters::getRows(WeightOp weight, int64_t first, int64_t count) {
  RankedTensorType type = weight.getTensorType();
  if (first == 0 && count == type.getDimSize(0))
    return WeightRefOp::create(b, op->getLoc(), type, weight.getSymName());
  SmallVector<int64_t> shape(type.getShape()), offsets(shape.size(), 0);
  shape.front() = count;
  offsets.front() = first;
  return WeightRefOp::create(b, op->getLoc(), type.clone(shape),
                             weight.getSymName(),
                             b.getDenseI64ArrayAttr(offsets), LayoutAttr());
}

LogicalResult LayerParameters::checkAllTaken(StringRef prefix) {
  std::string start = (prefix + ".").str();
  for (auto weight : cast<ModuleOp>(symbols.getOp()).getOps<WeightOp>()) {
    if (!weight.getSymName().starts_with(start) || taken.contains(weight))
      continue;
    InFlightDiagnostic error =
        op->emitOpError("expected to use each heddle.weight under \"")
        << prefix << "\", but has no use for "
        << FlatSymbolRefAttr::get(weight.getSymNameAttr());
    error.attachNote(weight.getLoc()) << "the weight";
    return error;
  }
  return success();
}

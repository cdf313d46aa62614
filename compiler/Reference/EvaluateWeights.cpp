// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/ElementFormats.h"
#include "compiler/Reference/Evaluate.h"

using namespace mlir;

namespace heddle::reference {

llvm::Expected<Value> evaluateElements(Operation *op, ElementsAttr elements) {
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return fail(op, "expected a dense value");
  Tensor tensor = Tensor::zeros(dense.getType().getShape());
  Type type = dense.getElementType();
  if (isa<FloatType>(type)) {
    for (auto [element, value] :
         llvm::zip_equal(tensor.data, dense.getValues<APFloat>())) {
      // Exact: no type of a weight is wider than double.
      bool losesInfo;
      APFloat wide = value;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
      element = wide.convertToDouble();
    }
    return tensor;
  }
  if (!isWeightElementType(type))
    return fail(op, "expected elements of " + kElementTypes);
  if (type.isInteger(64))
    for (const APInt &value : dense.getValues<APInt>())
      tensor.integers.push_back(value.getSExtValue());
  for (auto [element, value] :
       llvm::zip_equal(tensor.data, dense.getValues<APInt>()))
    element = isNeverNegative(type) ? double(value.getZExtValue())
                                    : double(value.getSExtValue());
  return tensor;
}

llvm::Expected<Value> evaluate(WeightOp op, const TensorSource *source) {
  RankedTensorType type = op.getTensorType();
  heddle_type rounded = findElementType(type.getElementType())->type;
  if (std::optional<ArrayRef<uint8_t>> bytes = op.getValueBytes())
    return StoredTensor{SmallVector<int64_t>(type.getShape()), rounded, rounded,
                        *bytes};
  if (op.getValueAttr())
    return evaluateElements(op, op.getValueAttr());
  StringRef tensor = op.getSourceAttr().getValue();
  std::string name = "tensor '" + tensor.str() + "'";
  const TensorEntry *entry = source ? source->find(tensor) : nullptr;
  if (!entry)
    return fail(op,
                "expected " + name + " in the source of weights, found none");
  if (ArrayRef<int64_t>(entry->shape) != type.getShape())
    return fail(op, "expected " + name + " of shape " +
                        describe(type.getShape()) + ", found " +
                        describe(entry->shape));
  if (!canConvert(entry->type, rounded))
    return fail(
        op, "expected " + name +
                (isFloat(rounded) ? " of floats" : " of the weight's type") +
                ", found another");
  StoredTensor stored{SmallVector<int64_t>(entry->shape), *entry->type, rounded,
                      entry->data};
  if (entry->part) {
    int64_t elements = llvm::product_of(entry->shape);
    auto decoded = std::make_shared<std::vector<uint8_t>>(
        elements * bytesOfElement(*entry->type));
    entry->read(0, elements, decoded->data());
    stored.data = *decoded;
    stored.decoded = std::move(decoded);
  }
  return stored;
}

namespace {
/// The evaluator keeps what it has read of weights.
struct WeightRefModel
    : ReferenceOpInterface::ExternalModel<WeightRefModel, WeightRefOp> {
  llvm::Expected<Results> run(Operation *op, Evaluator &evaluator,
                              Environment &) const {
    auto reference = cast<WeightRefOp>(op);
    auto weight = SymbolTable::lookupNearestSymbolFrom<WeightOp>(
        op, reference.getWeightAttr());
    return asResults(evaluator.weight(weight, reference));
  }
};
} // namespace

void registerWeights(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    WeightRefOp::attachInterface<WeightRefModel>(*context);
    attach<Exact, WeightRefOp>(context);
  });
}

} // namespace heddle::reference

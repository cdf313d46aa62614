// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of codes and scales, which are made of floats group by group.

#include "compiler/Weights/WeightInterfaces.h"

using namespace mlir;
using namespace heddle;

// The elements of the groups that `box` of the codes, or of the scales, is
// about.
static Box boxOfGroups(QuantizeOp op, bool isOfScales, const Box &box) {
  int64_t axis = op.getAxis(), group = op.getGroup();
  int64_t first = box.offsets[axis], end = first + box.sizes[axis];
  if (!isOfScales) {
    first /= group;
    end = llvm::divideCeil(end, group);
  }
  Box groups = box;
  groups.offsets[axis] = first * group;
  groups.sizes[axis] = (end - first) * group;
  return groups;
}

namespace {
/// The numbers of whole groups.
class Groups {
public:
  Groups(QuantizeOp op, const ElementBlock &block)
      : group(op.getGroup()), size(block.sizes[op.getAxis()]),
        stride(llvm::product_of(
            ArrayRef(block.sizes).drop_front(op.getAxis() + 1))),
        elements(block.elements()) {
    for (int64_t i = 0; i < block.elements(); ++i)
      elements[i] = loadNumber(block.data.data(), block.type, i);
    scales.resize(elements.size() / group);
    for (auto [i, element] : llvm::enumerate(elements)) {
      double &scale = scales[groupOf(i)];
      // NaN stays.
      if (!(std::abs(element) <= scale) && !std::isnan(scale))
        scale = std::abs(element);
    }
    heddle_type type =
        findElementType(getElementTypeOrSelf(op.getScales()))->type;
    for (double &scale : scales)
      scale = roundTo(type, scale / QuantizeOp::kLargest);
  }

  ArrayRef<double> allScales() const { return scales; }

  /// The code of an element whose place along the axis is `place`, in a slice
  /// of all others, `outer` before and `inner` after the axis.
  int8_t code(int64_t outer, int64_t place, int64_t inner) const {
    int64_t index = (outer * size + place) * stride + inner;
    double scale = scales[groupOf(index)];
    double code = std::nearbyint(float(elements[index] / scale));
    if (scale == 0 || std::isnan(code))
      return 0;
    constexpr double most = QuantizeOp::kLargest;
    return int8_t(std::clamp(code, -most, most));
  }
  int64_t inner() const { return stride; }

private:
  int64_t groupOf(int64_t index) const {
    return index / stride / group * stride + index % stride;
  }

  int64_t group, size, stride;
  std::vector<double> elements, scales;
};
} // namespace

static llvm::Expected<ElementBlock> readQuantized(QuantizeOp op,
                                                  bool isOfScales,
                                                  const Box &box,
                                                  BoxEvaluation &reader) {
  Box whole = boxOfGroups(op, isOfScales, box);
  llvm::Expected<ElementBlock> input = reader.read(op.getInput(), whole);
  if (!input)
    return input;
  Groups groups(op, *input);
  if (isOfScales) {
    ElementBlock block(HEDDLE_TYPE_F64, box.sizes);
    std::memcpy(block.data.data(), groups.allScales().data(),
                block.data.size());
    return block;
  }
  ElementBlock block(HEDDLE_TYPE_I8, box.sizes);
  int64_t axis = op.getAxis(), size = box.sizes[axis];
  int64_t first = box.offsets[axis] - whole.offsets[axis];
  for (int64_t i = 0; i < block.elements(); ++i) {
    int64_t inner = i % groups.inner(), rest = i / groups.inner();
    block.data[i] =
        uint8_t(groups.code(rest / size, first + rest % size, inner));
  }
  return block;
}

namespace {
struct Quantized
    : WeightExpressionOpInterface::ExternalModel<Quantized, QuantizeOp> {
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned result,
                                       const Box &box,
                                       BoxEvaluation &reader) const {
    return readQuantized(cast<QuantizeOp>(op), result == 1, box, reader);
  }
};
} // namespace

void heddle::registerWeightQuantization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    QuantizeOp::attachInterface<Quantized>(*context);
  });
}

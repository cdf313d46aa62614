// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of codes and scales, which are made of floats group by group, of what
// is decoded of them, and of integers that are made of words.

#include "compiler/Weights/GroupMembers.h"
#include "compiler/Weights/WeightInterfaces.h"

#include "llvm/Support/Endian.h"

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
/// Quantises whole groups.
class Groups {
public:
  /// The groups are all of `block`. Their codes are put into `codes`, if that
  /// is there.
  Groups(QuantizeOp op, const ElementBlock &block, ElementBlock *codes)
      : lowest(op.getLowest()), largest(op.getLargest()),
        isFitted(op.getLeastSquares()),
        scaleType(cast<FloatType>(getElementTypeOrSelf(op.getScales()))),
        scales(block.elements() / op.getGroup()) {
    int64_t group = op.getGroup();
    int64_t stride =
        llvm::product_of(ArrayRef(block.sizes).drop_front(op.getAxis() + 1));
    std::vector<double> members(group);
    std::vector<int16_t> encoded(group);
    for (int64_t i = 0, end = scales.size(); i < end; ++i) {
      int64_t first = i / stride * stride * group + i % stride;
      loadNumbers(block.data.data(), block.type, first, stride, members);
      scales[i] = store(isFitted ? fit(members) : spread(members));
      if (!codes)
        continue;
      encodeMembers(members, scales[i], lowest, largest, encoded);
      for (int64_t k = 0; k < group; ++k)
        put(*codes, first + k * stride, encoded[k]);
    }
  }

  ArrayRef<double> allScales() const { return scales; }

private:
  static void put(ElementBlock &codes, int64_t place, int16_t code) {
    if (codes.type == HEDDLE_TYPE_I8)
      codes.data[place] = uint8_t(code);
    else
      llvm::support::endian::write16le(&codes.data[2 * place], code);
  }

  // Not beyond the largest number, but for infinities.
  double store(double scale) const {
    double most = llvm::APFloat::getLargest(scaleType.getFloatSemantics())
                      .convertToDouble();
    return roundTo(findElementType(scaleType)->type,
                   std::isinf(scale) ? scale : std::clamp(scale, -most, most));
  }

  // With which the largest element is the largest code.
  double spread(ArrayRef<double> members) const {
    return std::abs(findLargest(members)) / largest;
  }

  // With the least sum of squared errors, of the candidates.
  double fit(ArrayRef<double> members) const {
    double most = findLargest(members);
    if (!std::isfinite(most))
      return std::nan("");
    return most == 0 ? 0 : fitScale(members, most, lowest, largest);
  }

  double lowest, largest; ///< codes
  bool isFitted;
  FloatType scaleType;
  std::vector<double> scales;
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
  if (isOfScales) {
    Groups groups(op, *input, /*codes=*/nullptr);
    ElementBlock block(HEDDLE_TYPE_F64, box.sizes);
    std::memcpy(block.data.data(), groups.allScales().data(),
                block.data.size());
    return block;
  }
  bool areBytes =
      getElementTypeOrSelf(op.getCodes()).getIntOrFloatBitWidth() <= 8;
  heddle_type type = areBytes ? HEDDLE_TYPE_I8 : HEDDLE_TYPE_I16;
  ElementBlock codes(type, whole.sizes);
  Groups(op, *input, &codes);
  if (whole.sizes == box.sizes)
    return codes;
  ElementBlock block(type, box.sizes);
  Box part = box;
  for (size_t dim = 0; dim < part.offsets.size(); ++dim)
    part.offsets[dim] -= whole.offsets[dim];
  copyElements(bytesOfElement(type), block.data.data(), denseOffsets(box.sizes),
               codes.data.data(), offsetsIn(whole.sizes, part));
  return block;
}

// (q - z) * s - m, both products and differences rounded to f32.
static llvm::Expected<ElementBlock>
readDequantized(DequantizeOp op, const Box &box, BoxEvaluation &reader) {
  int64_t axis = op.getAxis();
  auto sizeOf = [&](Value value) {
    return cast<RankedTensorType>(value.getType()).getDimSize(axis);
  };
  int64_t group = sizeOf(op.getCodes()) / sizeOf(op.getScales());
  Box groups = box;
  groups.offsets[axis] /= group;
  groups.sizes[axis] =
      llvm::divideCeil(box.offsets[axis] + box.sizes[axis], group) -
      groups.offsets[axis];
  llvm::Expected<ElementBlock> codes = reader.read(op.getCodes(), box);
  if (!codes)
    return codes;
  llvm::Expected<ElementBlock> scales = reader.read(op.getScales(), groups);
  if (!scales)
    return scales;
  std::optional<ElementBlock> zeros, minimums;
  for (auto [part, to] : {std::pair(op.getZeros(), &zeros),
                          std::pair(op.getMinimums(), &minimums)}) {
    if (!part)
      continue;
    llvm::Expected<ElementBlock> read = reader.read(part, groups);
    if (!read)
      return read;
    *to = std::move(*read);
  }
  ElementBlock block(HEDDLE_TYPE_F64, box.sizes);
  int64_t stride = llvm::product_of(ArrayRef(box.sizes).drop_front(axis + 1));
  int64_t size = box.sizes[axis], count = groups.sizes[axis];
  int64_t first = box.offsets[axis] % group;
  for (int64_t i = 0; i < block.elements(); ++i) {
    int64_t inner = i % stride, place = i / stride % size;
    int64_t outer = i / stride / size;
    int64_t at = (outer * count + (first + place) / group) * stride + inner;
    double code = loadNumber(codes->data.data(), codes->type, i);
    if (zeros)
      code -= loadNumber(zeros->data.data(), zeros->type, at);
    double value =
        float(code * loadNumber(scales->data.data(), scales->type, at));
    if (minimums)
      value =
          float(value - loadNumber(minimums->data.data(), minimums->type, at));
    std::memcpy(block.data.data() + i * sizeof(double), &value, sizeof(double));
  }
  return block;
}

// The words that have the bits of a box, and what these are.
static llvm::Expected<ElementBlock> readUnpacked(UnpackOp op, const Box &box,
                                                 BoxEvaluation &reader) {
  int64_t axis = op.getAxis(), bits = op.getBits(), wide = op.getWordBits();
  int64_t first = box.offsets[axis] * bits, count = box.sizes[axis];
  Box words = box;
  words.offsets[axis] = first / wide;
  words.sizes[axis] =
      llvm::divideCeil(first + count * bits, wide) - words.offsets[axis];
  llvm::Expected<ElementBlock> input = reader.read(op.getWords(), words);
  if (!input)
    return input;
  first -= words.offsets[axis] * wide;
  int64_t stride = llvm::product_of(ArrayRef(box.sizes).drop_front(axis + 1));
  Type element = getElementTypeOrSelf(op.getResult());
  ElementBlock block(findElementType(element)->type, box.sizes);
  int64_t bytes = bytesOfElement(block.type);
  for (int64_t i = 0; i < block.elements(); ++i) {
    int64_t inner = i % stride, place = i / stride % count;
    int64_t row = i / stride / count * words.sizes[axis];
    int64_t number = 0;
    for (int64_t bit = 0; bit < bits; ++bit) {
      int64_t at = first + place * bits + bit;
      auto word = int64_t(loadNumber(input->data.data(), input->type,
                                     (row + at / wide) * stride + inner));
      number |= (word >> at % wide & 1) << bit;
    }
    number += op.getOffset();
    std::memcpy(block.data.data() + i * bytes, &number, bytes);
  }
  return block;
}

static llvm::Expected<ElementBlock>
readOffsetBinary(OffsetBinaryOp op, const Box &box, BoxEvaluation &reader) {
  llvm::Expected<ElementBlock> block = reader.read(op.getCodes(), box);
  if (!block)
    return block;
  Type type = getElementTypeOrSelf(op.getResult());
  auto lowest = uint8_t(1 << (type.getIntOrFloatBitWidth() - 1));
  for (uint8_t &code : block->data)
    code = uint8_t(code + lowest);
  block->type = findElementType(type)->type;
  return block;
}

namespace {
struct OffsetBinary
    : WeightExpressionOpInterface::ExternalModel<OffsetBinary, OffsetBinaryOp> {
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned, const Box &box,
                                       BoxEvaluation &reader) const {
    return readOffsetBinary(cast<OffsetBinaryOp>(op), box, reader);
  }
};

struct Unpacked
    : WeightExpressionOpInterface::ExternalModel<Unpacked, UnpackOp> {
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned, const Box &box,
                                       BoxEvaluation &reader) const {
    return readUnpacked(cast<UnpackOp>(op), box, reader);
  }
};

struct Dequantized
    : WeightExpressionOpInterface::ExternalModel<Dequantized, DequantizeOp> {
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned, const Box &box,
                                       BoxEvaluation &reader) const {
    return readDequantized(cast<DequantizeOp>(op), box, reader);
  }
};

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
    DequantizeOp::attachInterface<Dequantized>(*context);
    QuantizeOp::attachInterface<Quantized>(*context);
    OffsetBinaryOp::attachInterface<OffsetBinary>(*context);
    UnpackOp::attachInterface<Unpacked>(*context);
  });
}

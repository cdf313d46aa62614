// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of tensors whose elements are those of other tensors, at other places.

#include "compiler/Weights/WeightInterfaces.h"

using namespace mlir;
using namespace heddle;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

// The block whose element i, j, .. is element from[0][i] + from[1][j] + .. of
// `source`.
static ElementBlock gather(const ElementBlock &source, ArrayRef<int64_t> sizes,
                           ArrayRef<Offsets> from) {
  ElementBlock block(source.type, sizes);
  copyElements(bytesOfElement(block.type), block.data.data(),
               denseOffsets(sizes), source.data.data(), from);
  return block;
}

static llvm::Expected<ElementBlock>
readBox(TransposeOp op, unsigned, const Box &box, BoxEvaluation &reader) {
  Box inInput = box;
  for (auto [dim, source] : llvm::enumerate(op.getPermutation())) {
    inInput.offsets[source] = box.offsets[dim];
    inInput.sizes[source] = box.sizes[dim];
  }
  llvm::Expected<ElementBlock> input = reader.read(op.getInput(), inInput);
  if (!input)
    return input;
  std::vector<Offsets> dense = denseOffsets(input->sizes), from;
  for (int64_t source : op.getPermutation())
    from.push_back(dense[source]);
  return gather(*input, box.sizes, from);
}

//===-- the same elements with other sizes --------------------------------===//

// The part of a dense array of this shape that has its elements `first` to
// `last`: the dimensions up to the first one of which they need several
// indices, and all of the later ones.
static Box coverRange(ArrayRef<int64_t> shape, int64_t first, int64_t last) {
  Box box = Box::whole(shape);
  int64_t stride = llvm::product_of(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    stride /= shape[dim];
    box.offsets[dim] = first / stride;
    box.sizes[dim] = last / stride - first / stride + 1;
    if (box.sizes[dim] > 1)
      break;
    first %= stride;
    last %= stride;
  }
  return box;
}

// The number of each element of a box, in a dense array of this shape.
static std::vector<int64_t> numberElements(ArrayRef<int64_t> shape,
                                           const Box &box) {
  std::vector<int64_t> numbers = {0};
  for (const Offsets &offsets : offsetsIn(shape, box)) {
    std::vector<int64_t> next;
    next.reserve(numbers.size() * offsets.size());
    for (int64_t number : numbers)
      for (int64_t offset : offsets)
        next.push_back(number + offset);
    numbers = std::move(next);
  }
  return numbers;
}

namespace {
/// Dimensions of input and result that have equally many elements. One of both
/// may have none, and the other one dimensions of size 1.
struct ReshapeGroup {
  SmallVector<int64_t> input, result;
};
} // namespace

// The smallest such groups.
static SmallVector<ReshapeGroup> groupDimensions(ArrayRef<int64_t> input,
                                                 ArrayRef<int64_t> result) {
  SmallVector<ReshapeGroup> groups;
  while (!input.empty() || !result.empty()) {
    ReshapeGroup group;
    int64_t left = 1, right = 1;
    auto take = [](ArrayRef<int64_t> &from, SmallVector<int64_t> &to,
                   int64_t &product) {
      product *= from.front();
      to.push_back(from.front());
      from = from.drop_front();
    };
    do {
      if (!input.empty() && (left <= right || result.empty()))
        take(input, group.input, left);
      else
        take(result, group.result, right);
    } while (left != right);
    groups.push_back(std::move(group));
  }
  return groups;
}

// A box of a dense tensor of `shape` that has the elements of `input`, in
// their order.
static llvm::Expected<ElementBlock> readReshaped(Value input,
                                                 ArrayRef<int64_t> shape,
                                                 const Box &box,
                                                 BoxEvaluation &reader) {
  if (box.elements() == 0)
    return ElementBlock(findElementType(getElementTypeOrSelf(input))->type,
                        box.sizes);
  Box inInput;
  // For each group, the numbers of its elements of the box, and the dimensions
  // of the input.
  std::vector<Offsets> numbers;
  SmallVector<SmallVector<int64_t>> inputs;
  size_t dim = 0;
  for (const ReshapeGroup &group : groupDimensions(shapeOf(input), shape)) {
    size_t rank = group.result.size();
    Box part{SmallVector<int64_t>(ArrayRef(box.offsets).slice(dim, rank)),
             SmallVector<int64_t>(ArrayRef(box.sizes).slice(dim, rank))};
    dim += rank;
    numbers.push_back(numberElements(group.result, part));
    Box cover =
        coverRange(group.input, numbers.back().front(), numbers.back().back());
    llvm::append_range(inInput.offsets, cover.offsets);
    llvm::append_range(inInput.sizes, cover.sizes);
    inputs.push_back(group.input);
  }
  llvm::Expected<ElementBlock> block = reader.read(input, inInput);
  if (!block)
    return block;
  // Numbers in a group -> offsets in the block.
  int64_t stride = 1;
  size_t end = inInput.sizes.size();
  for (size_t group = inputs.size(); group-- > 0;) {
    size_t rank = inputs[group].size(), begin = end - rank;
    int64_t first = 0, covered = 1;
    for (size_t i = 0; i < rank; ++i) {
      first = first * inputs[group][i] + inInput.offsets[begin + i];
      covered *= inInput.sizes[begin + i];
    }
    // What is covered lies side by side.
    for (int64_t &number : numbers[group])
      number = (number - first) * stride;
    stride *= covered;
    end = begin;
  }
  SmallVector<int64_t> sizes;
  for (const Offsets &offsets : numbers)
    sizes.push_back(offsets.size());
  ElementBlock result = gather(*block, sizes, numbers);
  result.sizes = box.sizes;
  return result;
}

static llvm::Expected<ElementBlock>
readBox(ReshapeOp op, unsigned, const Box &box, BoxEvaluation &reader) {
  return readReshaped(op.getInput(), shapeOf(op.getResult()), box, reader);
}

static llvm::Expected<ElementBlock>
readBox(ExpandOp op, unsigned, const Box &box, BoxEvaluation &reader) {
  return readReshaped(op.getInput(), shapeOf(op.getResult()), box, reader);
}

static llvm::Expected<ElementBlock>
readBox(SqueezeOp op, unsigned, const Box &box, BoxEvaluation &reader) {
  return readReshaped(op.getInput(), shapeOf(op.getResult()), box, reader);
}

//===-- parts -------------------------------------------------------------===//

static llvm::Expected<ElementBlock>
readBox(SliceOp op, unsigned, const Box &box, BoxEvaluation &reader) {
  Sizes offsets = toSizes(op.getOffsets());
  Box inInput = box;
  std::vector<Offsets> from(box.sizes.size());
  for (auto [dim, step] : llvm::enumerate(op.getSteps())) {
    int64_t first = *offsets[dim].asNumber() + box.offsets[dim] * step;
    int64_t span = std::max<int64_t>(box.sizes[dim] - 1, 0) * step;
    inInput.offsets[dim] = std::min(first, first + span);
    inInput.sizes[dim] = box.sizes[dim] ? std::abs(span) + 1 : 0;
    first -= inInput.offsets[dim];
    for (int64_t i = 0; i < box.sizes[dim]; ++i)
      from[dim].push_back(first + i * step);
  }
  llvm::Expected<ElementBlock> input = reader.read(op.getInput(), inInput);
  if (!input)
    return input;
  int64_t stride = 1;
  for (size_t dim = from.size(); dim-- > 0; stride *= inInput.sizes[dim])
    for (int64_t &offset : from[dim])
      offset *= stride;
  return gather(*input, box.sizes, from);
}

static llvm::Expected<ElementBlock>
readBox(SplitOp op, unsigned result, const Box &box, BoxEvaluation &reader) {
  Box inInput = box;
  for (Value before : op.getResults().take_front(result))
    inInput.offsets[op.getAxis()] += shapeOf(before)[op.getAxis()];
  return reader.read(op.getInput(), inInput);
}

static llvm::Expected<ElementBlock>
readBox(ConcatOp op, unsigned, const Box &box, BoxEvaluation &reader) {
  size_t axis = op.getAxis();
  int64_t first = box.offsets[axis], end = first + box.sizes[axis], start = 0;
  std::vector<ElementBlock> parts;
  for (Value input : op.getInputs()) {
    int64_t stop = start + shapeOf(input)[axis];
    Box part = box;
    part.offsets[axis] = std::max(first, start) - start;
    part.sizes[axis] = std::min(end, stop) - std::max(first, start);
    start = stop;
    if (part.sizes[axis] <= 0)
      continue;
    llvm::Expected<ElementBlock> block = reader.read(input, part);
    if (!block)
      return block;
    parts.push_back(std::move(*block));
  }
  if (parts.empty())
    return ElementBlock(
        findElementType(getElementTypeOrSelf(op.getType()))->type, box.sizes);
  // Some may have been computed, and others be as they are stored.
  bool isEven = llvm::all_of(parts, [&](const ElementBlock &part) {
    return part.type == parts[0].type;
  });
  ElementBlock result(isEven ? parts[0].type : HEDDLE_TYPE_F64, box.sizes);
  Box place = Box::whole(box.sizes);
  place.sizes[axis] = 0;
  for (const ElementBlock &part : parts) {
    place.offsets[axis] += place.sizes[axis];
    place.sizes[axis] = part.sizes[axis];
    ElementBlock wide = isEven ? part : part.asDoubles();
    copyElements(bytesOfElement(wide.type), result.data.data(),
                 offsetsIn(box.sizes, place), wide.data.data(),
                 denseOffsets(wide.sizes));
  }
  return result;
}

static llvm::Expected<ElementBlock>
readBox(BroadcastOp op, unsigned, const Box &box, BoxEvaluation &reader) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  size_t more = box.sizes.size() - shape.size();
  Box inInput;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isRepeated = size == 1;
    inInput.offsets.push_back(isRepeated ? 0 : box.offsets[more + dim]);
    inInput.sizes.push_back(isRepeated ? 1 : box.sizes[more + dim]);
  }
  llvm::Expected<ElementBlock> input = reader.read(op.getInput(), inInput);
  if (!input)
    return input;
  std::vector<Offsets> dense = denseOffsets(inInput.sizes), from;
  for (auto [dim, size] : llvm::enumerate(box.sizes))
    from.push_back(dim < more || shape[dim - more] == 1 ? Offsets(size, 0)
                                                        : dense[dim - more]);
  return gather(*input, box.sizes, from);
}

// Of a table of numbers, each the nearest one that there is.
static llvm::Expected<ElementBlock> readGathered(GatherOp op, const Box &box,
                                                 BoxEvaluation &reader) {
  size_t axis = op.getAxis(), ids = shapeOf(op.getIndices()).size();
  int64_t extent = shapeOf(op.getInput())[axis];
  Box ofIndices;
  llvm::append_range(ofIndices.offsets, ArrayRef(box.offsets).slice(axis, ids));
  llvm::append_range(ofIndices.sizes, ArrayRef(box.sizes).slice(axis, ids));
  Box ofInput = box;
  for (auto *numbers : {&ofInput.offsets, &ofInput.sizes})
    numbers->erase(numbers->begin() + axis, numbers->begin() + axis + ids);
  ofInput.offsets.insert(ofInput.offsets.begin() + axis, 0);
  ofInput.sizes.insert(ofInput.sizes.begin() + axis, extent);
  llvm::Expected<ElementBlock> input = reader.read(op.getInput(), ofInput);
  if (!input)
    return input;
  llvm::Expected<ElementBlock> indices =
      reader.read(op.getIndices(), ofIndices);
  if (!indices)
    return indices;
  // All indices are one dimension, as both blocks are dense.
  std::vector<Offsets> from = denseOffsets(input->sizes);
  Offsets places;
  for (int64_t i = 0; i < indices->elements(); ++i) {
    double index = loadNumber(indices->data.data(), indices->type, i);
    places.push_back(
        from[axis][int64_t(std::clamp(index, 0.0, double(extent - 1)))]);
  }
  SmallVector<int64_t> sizes(input->sizes);
  sizes[axis] = places.size();
  from[axis] = std::move(places);
  ElementBlock result = gather(*input, sizes, from);
  result.sizes = box.sizes;
  return result;
}

//===-- registration ------------------------------------------------------===//

namespace {
/// Calls the function of the op, which a member of its name would hide.
template <typename Op>
llvm::Expected<ElementBlock> callReadBox(Op op, unsigned result, const Box &box,
                                         BoxEvaluation &reader) {
  return readBox(op, result, box, reader);
}

template <typename Op>
struct Movement : WeightExpressionOpInterface::ExternalModel<Movement<Op>, Op> {
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned result,
                                       const Box &box,
                                       BoxEvaluation &reader) const {
    return callReadBox(cast<Op>(op), result, box, reader);
  }
};

struct Gathered
    : WeightExpressionOpInterface::ExternalModel<Gathered, GatherOp> {
  bool canReadBox(Operation *op) const {
    auto gather = cast<GatherOp>(op);
    return !gather.getWrap() && !gather.getCoordinates() &&
           shapeOf(gather.getInput())[gather.getAxis()] > 0;
  }
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned, const Box &box,
                                       BoxEvaluation &reader) const {
    return readGathered(cast<GatherOp>(op), box, reader);
  }
};

template <typename... Ops> void attachMovements(MLIRContext *context) {
  (Ops::template attachInterface<Movement<Ops>>(*context), ...);
}
} // namespace

void heddle::registerWeightMovements(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachMovements<TransposeOp, ReshapeOp, ExpandOp, SqueezeOp, SliceOp,
                    SplitOp, ConcatOp, BroadcastOp>(context);
    GatherOp::attachInterface<Gathered>(*context);
  });
}

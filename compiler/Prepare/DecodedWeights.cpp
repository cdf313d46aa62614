// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// t = generic { sitofp q * s }; y = generic tables(t) { read t[i, k] }
//   -> y = generic tables(q, s) { sitofp read q[i, k] * read s[i, k floordiv
//   32] }

#include "compiler/Prepare/DecodedWeights.h"

#include "compiler/Prepare/Views.h"
#include "compiler/Weights/WeightInterfaces.h"
#include "dialect/Heddle/Coordinates.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

bool heddle::isOfWeightsAlone(Operation *op) {
  auto quantize = dyn_cast<QuantizeOp>(op);
  return isa<OffsetBinaryOp, UnpackOp>(op) ||
         (quantize && quantize.getLeastSquares()) ||
         (quantize && isHalfByte(getElementTypeOrSelf(quantize.getCodes())));
}

bool heddle::followsFromWeights(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<WeightRefOp>(op))
    return true;
  return isa_and_nonnull<WeightExpressionOpInterface>(op) &&
         llvm::all_of(op->getOperands(), followsFromWeights);
}

bool heddle::decodes(GenericOp op) {
  if (op.hasReduction() || op.getNumResults() != 1 || !op.getTables().empty())
    return false;
  auto widthOf = [](Value value) {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  };
  auto isNarrower = [&](Value input) {
    return widthOf(input) < widthOf(op.getResult(0));
  };
  return llvm::any_of(op.getInputs(), isNarrower) &&
         llvm::all_of(op.getBody().front().without_terminator(),
                      [](Operation &inside) { return isDecoding(&inside); });
}

bool heddle::decodesWeight(GenericOp op) {
  return decodes(op) && llvm::all_of(op.getInputs(), [](Value input) {
           OpOperand *all = choiceOf(input);
           return bool((all ? all->get() : input).getDefiningOp<WeightRefOp>());
         });
}

static SmallVector<ReadOp> readsOf(GenericOp op, Value table) {
  return llvm::filter_to_vector(
      op.getBody().getOps<ReadOp>(),
      [&](ReadOp read) { return read.getTable() == table; });
}

// Whether a coordinate of an input that is limited to the input stands for the
// coordinate of the result that is limited to the result: the same one, or that
// of its group.
static bool hasSameLimits(SizeAttr coordinate, SizeAttr size,
                          const Sizes &over) {
  if (coordinate.asNumber())
    return true;
  if (std::optional<unsigned> dimension = asDimension(coordinate))
    return over[*dimension] == size;
  if (coordinate.getKind() != SizeKind::FloorDiv)
    return false;
  auto dimension = asDimension(cast<SizeAttr>(coordinate.getOperands()[0]));
  auto group = cast<SizeAttr>(coordinate.getOperands()[1]);
  return dimension && group * size == over[*dimension];
}

// Whether elements of the table that `producer` makes can be read as elements
// of its inputs, wherever an index is.
static bool readsAsTable(GenericOp producer) {
  Sizes over = toSizes(producer.getOver());
  for (auto [number, input] : llvm::enumerate(producer.getInputs()))
    for (auto [coordinate, size] : llvm::zip_equal(
             simplifiedCoordinates(producer, number), sizesOf(input)))
      if (!hasSameLimits(coordinate, size, over))
        return false;
  return true;
}

// An element of what a table is made of, where `read` reads the table.
static Value readPart(ImplicitLocOpBuilder &b, ReadOp read, Value part,
                      const Sizes &at) {
  SmallVector<Value> coordinates;
  for (SizeAttr coordinate : at)
    coordinates.push_back(
        emitCoordinate(b, coordinate, [&](unsigned dimension) {
          return read.getCoordinates()[dimension];
        }));
  return ReadOp::create(b, scalarTypeOf(getElementTypeOrSelf(part)), part,
                        coordinates, /*fill=*/Value());
}

static void decodeTable(GenericOp op, unsigned index) {
  Value table = op.getTableArguments()[index];
  auto producer = op.getTables()[index].getDefiningOp<GenericOp>();
  Block &body = op.getBody().front();
  unsigned end = op.getInputs().size() + op.getTables().size();
  SmallVector<Value> parts;
  for (Value input : producer.getInputs())
    parts.push_back(
        body.insertArgument(end++, input.getType(), producer.getLoc()));
  for (ReadOp read : readsOf(op, table)) {
    ImplicitLocOpBuilder b(read.getLoc(), read);
    IRMapping mapping;
    for (auto [number, part] : llvm::enumerate(parts))
      mapping.map(
          producer.getInputArguments()[number],
          readPart(b, read, part, simplifiedCoordinates(producer, number)));
    Block &decoding = producer.getBody().front();
    for (Operation &inside : decoding.without_terminator())
      b.clone(inside, mapping);
    Value decoded = decoding.getTerminator()->getOperand(0);
    read.getResult().replaceAllUsesWith(mapping.lookup(decoded));
    read.erase();
  }
  body.eraseArgument(cast<BlockArgument>(table).getArgNumber());
  op.getTablesMutable().append(producer.getInputs());
  op.getTablesMutable().erase(index);
}

void heddle::decodeTables(GenericOp op) {
  for (unsigned index = 0; index < op.getTables().size();) {
    auto producer = op.getTables()[index].getDefiningOp<GenericOp>();
    // Fill values, which stand outside of a table, are not decoded.
    auto isFilled = [](ReadOp read) { return bool(read.getFill()); };
    bool isDecoded =
        producer && decodesWeight(producer) && readsAsTable(producer) &&
        llvm::none_of(readsOf(op, op.getTableArguments()[index]), isFilled);
    if (isDecoded)
      decodeTable(op, index);
    else
      ++index;
  }
}

bool heddle::isOfBFloats(Value matrix) {
  if (auto widened = matrix.getDefiningOp<CastOp>();
      widened && getElementTypeOrSelf(matrix).isF32())
    matrix = widened.getInput();
  auto type = dyn_cast<RankedTensorType>(matrix.getType());
  return type && type.getElementType().isBF16() &&
         (type.getRank() == 2 || type.getRank() == 3) &&
         followsFromWeights(matrix);
}

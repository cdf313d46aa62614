// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// t = generic { sitofp q * s }; y = generic tables(t) { read t[i, k] }
//   -> y = generic tables(q, s) { sitofp read q[i, k] * read s[i, k floordiv
//   32] }

#include "compiler/Prepare/DecodedWeights.h"

#include "compiler/Prepare/Views.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

bool heddle::isOfWeightsAlone(Operation *op) {
  auto quantize = dyn_cast<QuantizeOp>(op);
  return isa<UnpackOp>(op) || (quantize && quantize.getLeastSquares()) ||
         (quantize && isHalfByte(getElementTypeOrSelf(quantize.getCodes())));
}

bool heddle::decodesWeight(GenericOp op) {
  auto widthOf = [](Value value) {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  };
  auto isNarrower = [&](Value input) {
    return widthOf(input) < widthOf(op.getResult(0));
  };
  auto isWeight = [](Value input) {
    return bool(input.getDefiningOp<WeightRefOp>());
  };
  return !op.hasReduction() && op.getNumResults() == 1 &&
         op.getTables().empty() && llvm::any_of(op.getInputs(), isNarrower) &&
         llvm::all_of(op.getInputs(), isWeight) &&
         llvm::all_of(op.getBody().front().without_terminator(),
                      [](Operation &op) { return isDecoding(&op); });
}

static SmallVector<ReadOp> readsOf(GenericOp op, Value table) {
  return llvm::filter_to_vector(
      op.getBody().getOps<ReadOp>(),
      [&](ReadOp read) { return read.getTable() == table; });
}

// What is decoded of zeros alone is 0.
static bool isFilledWithZero(ReadOp read) {
  return !read.getFill() || matchPattern(read.getFill(), m_PosZeroFloat()) ||
         matchPattern(read.getFill(), m_Zero());
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
  Type scalar = scalarTypeOf(getElementTypeOrSelf(part));
  Value fill;
  if (read.getFill())
    fill = arith::ConstantOp::create(b, b.getZeroAttr(scalar));
  return ReadOp::create(b, scalar, part, coordinates, fill);
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
    bool isDecoded = producer && decodesWeight(producer) &&
                     llvm::all_of(readsOf(op, op.getTableArguments()[index]),
                                  isFilledWithZero);
    if (isDecoded)
      decodeTable(op, index);
    else
      ++index;
  }
}

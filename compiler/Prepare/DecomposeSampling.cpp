// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/LogitRows.h"

using namespace mlir;

namespace heddle {

// Weights are summed in blocks of so many, and these in groups of so many. An
// id is found by its group, its block in that, its part of the block and its
// place there, each among the running sums of a few terms: no sum is made of
// all weights before each id.
static constexpr int64_t kPart = 16, kParts = 16, kBlock = kParts * kPart;
static constexpr int64_t kGroup = 32;

// The largest number below 1, and the factor that makes any number the one
// below it.
static constexpr double kBelowOne = 1 - 0x1p-24;

namespace {
/// One of the terms of a level, in each row: its number among all of that level
/// and how much of what is searched for is left inside of it.
struct Term {
  Value index, rest;
};

/// Values without a dimension of their own have one number for each row.
class SampleBuilder : LogitRows {
public:
  SampleBuilder(SampleOp op, OpBuilder &b)
      : LogitRows(b, op, op.getLogits()), op(op),
        blocks(countOf(vocabulary, kBlock)), groups(countOf(blocks, kGroup)),
        largest(LogitRows::largest()) {}

  Value build();

private:
  void addWeightTables(GenericBuilder &g) {
    addTables(g, {largest, op.getTemperature(), op.getMinP()});
  }
  /// The weight of an id, with these tables.
  Element weightAt(GenericBody &body, Element place);

  /// [rows, blocks]
  Value sumsOfBlocks();
  /// [rows, groups]
  Value sumsOfGroups(Value ofBlocks);
  /// [rows, 32]: those of the blocks of a group.
  Value sumsIn(Value group, Value ofBlocks);
  /// [rows, 16]: those of the parts of a block.
  Value sumsOfParts(Value block);
  /// [rows, 16]: the weights of a part.
  Value weightsOf(Value part);

  /// Inclusive running sums of `terms` [rows, count].
  Value runningSums(Value terms, SizeAttr count);
  /// What is searched for among all.
  Value target(Value sums, SizeAttr count);
  /// The first of `count` terms whose running sum is above what is left of
  /// `from`, whose terms they are. It is above 0.
  Term find(Term from, Value sums, SizeAttr count);

  SampleOp op;
  SizeAttr blocks, groups;
  Value largest;
};
} // namespace

//===-- Terms -------------------------------------------------------------===//

Element SampleBuilder::weightAt(GenericBody &body, Element place) {
  Element w = weight(logit(body, place), readRow(body, 1), readRow(body, 2));
  Element least = minimum(readRow(body, 3), w.constant(1));
  return select(w < least, w.constant(0), w);
}

Value SampleBuilder::sumsOfBlocks() {
  GenericBuilder g = begin({blocks}, {number(kBlock)});
  addWeightTables(g);
  g.result(f32, 0.0);
  return g.build([&](GenericBody &body) {
    Element block = body.index(rank());
    Element place = block * block.constant(kBlock) + body.index(rank() + 1);
    return body.accumulator(0) + weightAt(body, place);
  });
}

Value SampleBuilder::sumsOfGroups(Value ofBlocks) {
  GenericBuilder g = begin({groups}, {number(kGroup)});
  g.table(ofBlocks);
  g.result(f32, 0.0);
  return g.build([&](GenericBody &body) {
    Element group = body.index(rank()), sum = body.accumulator(0);
    Element place = group * group.constant(kGroup) + body.index(rank() + 1);
    return sum + read(body, 0, place, sum.constant(0));
  });
}

Value SampleBuilder::sumsIn(Value group, Value ofBlocks) {
  GenericBuilder g = begin({number(kGroup)});
  addRowInputs(g, group);
  g.table(ofBlocks);
  g.result(f32);
  return g.build([&](GenericBody &body) {
    Element group = body.input(0);
    Element place = group * group.constant(kGroup) + body.index(rank());
    return read(body, 0, place, body.constant(numberOf(f32, 0)));
  });
}

Value SampleBuilder::sumsOfParts(Value block) {
  GenericBuilder g = begin({number(kParts)}, {number(kPart)});
  addRowInputs(g, block);
  addWeightTables(g);
  g.result(f32, 0.0);
  return g.build([&](GenericBody &body) {
    Element block = body.input(0), part = body.index(rank());
    Element place = block * block.constant(kBlock) +
                    part * part.constant(kPart) + body.index(rank() + 1);
    return body.accumulator(0) + weightAt(body, place);
  });
}

Value SampleBuilder::weightsOf(Value part) {
  GenericBuilder g = begin({number(kPart)});
  addRowInputs(g, part);
  addWeightTables(g);
  g.result(f32);
  return g.build([&](GenericBody &body) {
    Element part = body.input(0);
    return weightAt(body, part * part.constant(kPart) + body.index(rank()));
  });
}

//===-- The search --------------------------------------------------------===//

Value SampleBuilder::runningSums(Value terms, SizeAttr count) {
  GenericBuilder g = begin({count}, {count});
  addInput(g, terms, g.dim(rank() + 1));
  g.result(f32, 0.0);
  return g.build([&](GenericBody &body) {
    Element term = body.input(0);
    Element counts = body.index(rank() + 1) <= body.index(rank());
    return body.accumulator(0) + select(counts, term, term.constant(0));
  });
}

Value SampleBuilder::target(Value sums, SizeAttr count) {
  GenericBuilder g = begin({});
  addRowInputs(g, op.getUniform());
  addInput(g, sums, g.size(count) - 1);
  g.result(f32);
  return g.build([](GenericBody &body) {
    Element uniform = body.input(0), zero = uniform.constant(0);
    uniform = select(uniform > zero, uniform, zero);
    return minimum(uniform, uniform.constant(kBelowOne)) * body.input(1);
  });
}

// What is left may have become as large as all terms together, as sums in other
// orders differ in their roundings. It is kept below: so one running sum is
// above it, and the first of these grows by its term.
Term SampleBuilder::find(Term from, Value sums, SizeAttr count) {
  GenericBuilder limit = begin({});
  addRowInputs(limit, from.rest);
  addInput(limit, sums, limit.size(count) - 1);
  limit.result(f32);
  Value rest = limit.build([](GenericBody &body) {
    Element sum = body.input(1);
    return minimum(body.input(0), sum * sum.constant(kBelowOne));
  });

  auto reduce = [&](Type type, auto combine) {
    GenericBuilder g = begin({}, {count});
    addRowInputs(g, rest);
    addInput(g, sums, g.dim(rank()));
    g.result(type, numberOf(type, 0));
    return g.build([&](GenericBody &body) {
      Element sum = body.input(1);
      return combine(body.accumulator(0), sum, sum <= body.input(0));
    });
  };
  Value place =
      reduce(b.getI32Type(), [](Element count, Element, Element isBefore) {
        return count + cast(isBefore, count.type());
      });
  Value before =
      reduce(f32, [](Element largest, Element sum, Element isBefore) {
        return maximum(largest, select(isBefore, sum, sum.constant(0)));
      });

  GenericBuilder next = begin({});
  addRowInputs(next, {rest, before, place});
  if (from.index)
    addRowInputs(next, from.index);
  next.result(f32);
  next.result(b.getI32Type());
  SmallVector<Value> found =
      next.buildAll([&](GenericBody &body) -> SmallVector<Element> {
        Element place = body.input(2);
        if (from.index)
          place = body.input(3) * body.size(count) + place;
        return {body.input(0) - body.input(1), place};
      });
  return {found[1], found[0]};
}

Value SampleBuilder::build() {
  Value ofBlocks = sumsOfBlocks();
  Value sums = runningSums(sumsOfGroups(ofBlocks), groups);
  Term group = find({nullptr, target(sums, groups)}, sums, groups);
  auto findAmong = [&](Term from, Value terms, int64_t count) {
    return find(from, runningSums(terms, number(count)), number(count));
  };
  Term block = findAmong(group, sumsIn(group.index, ofBlocks), kGroup);
  Term part = findAmong(block, sumsOfParts(block.index), kParts);
  Term id = findAmong(part, weightsOf(part.index), kPart);

  GenericBuilder g = begin({});
  addRowInputs(g, {largest, id.index});
  Type type = getElementTypeOrSelf(op.getResult());
  g.result(type);
  return g.build([&](GenericBody &body) {
    Element largest = body.input(0), index = body.input(1);
    Element isFinite = largest - largest == largest.constant(0);
    return cast(select(isFinite, index, index.constant(-1)), type);
  });
}

static Values decompose(SampleOp op, OpBuilder &b) {
  return {SampleBuilder(op, b).build()};
}

void registerSamplingDecompositions(MLIRContext *context) {
  attachDecompositions<SampleOp>(context);
}

} // namespace heddle

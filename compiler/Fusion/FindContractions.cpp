// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic { sum + x * w }
//   -> the same with #heddle.contraction<rows(0) columns(1)>

#include "compiler/Fusion/Contraction.h"
#include "compiler/Fusion/Passes.h"
#include "dialect/Heddle/Coordinates.h"

namespace heddle {
#define GEN_PASS_DEF_FINDCONTRACTIONS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Whether an input has elements of its own for neighbours along `dimension`.
static bool hasOwnElements(GenericOp op, unsigned input, unsigned dimension) {
  return llvm::any_of(op.getCoordinates(input), [&](SizeAttr coordinate) {
    return tellsApart(coordinate, dimension);
  });
}

// The inputs of a factor, that of its elements first: one that has an element
// for each number of any dimension that the factor has.
static SmallVector<unsigned> orderInputs(GenericOp op,
                                         ArrayRef<unsigned> inputs) {
  SmallVector<unsigned> ordered(inputs);
  if (inputs.size() == 1)
    return ordered;
  const auto *elements = llvm::find_if(inputs, [&](unsigned input) {
    return llvm::all_of(llvm::seq(op.getExtents().size()), [&](size_t dim) {
      return hasOwnElements(op, input, dim) || !readDimension(op, inputs, dim);
    });
  });
  if (elements == inputs.end())
    return {};
  llvm::erase(ordered, *elements);
  ordered.insert(ordered.begin(), *elements);
  return ordered;
}

// Whatever the spelling: what matters is which dimensions each factor has.
// Where a sum of products is no contraction, `reason` says why.
static ContractionAttr findContraction(GenericOp op, std::string &reason) {
  auto sum = SumOfProducts::of(op, reason);
  if (!sum)
    return {};
  auto fail = [&](const Twine &why) {
    reason = why.str();
    return ContractionAttr();
  };
  if (!cast<TypedAttr>(op.getInitial()[0]).getType().isF32())
    return fail("sums are made in f32 alone");
  // Without elements there is nothing to divide into tiles; lowering refuses
  // it.
  Sizes extents = op.getExtents();
  if (llvm::any_of(extents, [](SizeAttr size) { return size.asNumber() == 0; }))
    return {};
  SmallVector<unsigned> inputs[2];
  for (unsigned factor : {0, 1}) {
    inputs[factor] = orderInputs(op, sum->factors[factor].inputs);
    if (inputs[factor].empty())
      return fail("no input has all dimensions of a factor");
  }
  size_t rank = op.getOver().size();
  std::optional<unsigned> columns;
  bool hasColumns = false; // more than one element for each row
  for (unsigned dimension = 0; dimension < extents.size(); ++dimension) {
    if (extents[dimension].asNumber() == 1)
      continue;
    bool byFirst = readDimension(op, inputs[0], dimension);
    bool bySecond = readDimension(op, inputs[1], dimension);
    if (dimension >= rank && !(byFirst && bySecond))
      return fail("only one factor has dimension " + Twine(dimension) +
                  ", which is summed up");
    if (!byFirst && !bySecond)
      return fail("no factor has dimension " + Twine(dimension));
    hasColumns |= dimension < rank;
    if (dimension < rank)
      columns = byFirst && bySecond ? std::nullopt
                                    : std::optional<unsigned>(byFirst ? 0 : 1);
  }
  if (!hasColumns)
    return {};
  if (!columns)
    return fail("both factors have the last dimension of the result");
  return ContractionAttr::get(op.getContext(), inputs[1 - *columns],
                              inputs[*columns], integerTerms(op, *sum),
                              multipliesPairs(op, *sum));
}

namespace {
struct FindContractions : heddle::impl::FindContractionsBase<FindContractions> {
  using FindContractionsBase::FindContractionsBase;

  void runOnOperation() override {
    getOperation()->walk([&](GenericOp op) {
      std::string reason;
      op->removeDiscardableAttr(kContractionAttr);
      if (ContractionAttr contraction = findContraction(op, reason))
        op->setAttr(kContractionAttr, contraction);
      else if (remarks && !reason.empty())
        op.emitRemark("a sum of products that is no contraction, and is "
                      "computed as any other sum: ")
            << reason;
    });
  }
};
} // namespace

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor.insert %y into %x[%i] -> heddle.generic that compares its index with
// the number %i (BodyConversion.h)

#include "compiler/Prepare/ConvertElements.h"
#include "compiler/Prepare/ElementsBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

FailureOr<Value> heddle::convert(tensor::GenerateOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(
      op, getMixedValues(op.getType().getShape(), op.getDynamicExtents(), b));
  if (failed(sizes))
    return failure();
  Block &body = op.getBody().front();
  ElementsBuilder g(op, *sizes, b);
  g.numbers(body);
  return g.build(
      op.getType().getElementType(),
      [&](ElementsBuilder &inside) -> FailureOr<Value> {
        BodyConversion &conversion = inside.conversion();
        for (BlockArgument index : body.getArguments())
          conversion.mapIndex(index, index.getArgNumber());
        if (failed(conversion.convert(body, /*dimensions=*/{})))
          return failure();
        FailureOr<SmallVector<Value>> yielded = conversion.yielded(body);
        return succeeded(yielded) ? yielded->front() : FailureOr<Value>();
      });
}

FailureOr<Value> heddle::convert(tensor::SplatOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(
      op, getMixedValues(op.getType().getShape(), op.getDynamicSizes(), b));
  if (failed(sizes))
    return failure();
  ElementsBuilder g(op, *sizes, b);
  g.numbers(op.getInput());
  return g.build(op.getType().getElementType(), [&](ElementsBuilder &body) {
    return body.conversion().bring(op.getInput());
  });
}

// Each element is chosen by its place.
FailureOr<Value> heddle::convert(tensor::FromElementsOp op, OpBuilder &b) {
  constexpr size_t most = 64;
  size_t count = op.getElements().size();
  if (count < 1 || count > most)
    return op.emitOpError("expected 1 to ")
           << most << " elements, found " << count
           << ": more of them are a constant or a tensor.generate";
  Sizes sizes = sizesOf(op.getResult());
  ElementsBuilder g(op, sizes, b);
  g.numbers(op.getElements());
  return g.build(
      op.getType().getElementType(),
      [&](ElementsBuilder &body) -> FailureOr<Value> {
        std::optional<Element> place;
        for (unsigned dim = 0; dim < sizes.size(); ++dim) {
          Element index = body.index(dim);
          place = place ? *place * body.size(sizes[dim]) + index : index;
        }
        std::optional<Element> chosen;
        for (auto [number, value] : llvm::enumerate(op.getElements())) {
          FailureOr<Element> element = body.number(value);
          if (failed(element))
            return failure();
          chosen = chosen ? select(*place == place->constant(number), *element,
                                   *chosen)
                          : *element;
        }
        return chosen->value();
      });
}

// At an index that the tensor does not have nothing is inserted.
FailureOr<Value> heddle::convert(tensor::InsertOp op, OpBuilder &b) {
  ElementsBuilder g(op, sizesOf(op.getDest()), b);
  g.input(op.getDest());
  g.numbers(op.getScalar());
  g.numbers(op.getIndices());
  return g.build(getElementTypeOrSelf(op.getType()),
                 [&](ElementsBuilder &body) -> FailureOr<Value> {
                   FailureOr<Element> element = body.number(op.getScalar());
                   if (failed(element))
                     return failure();
                   std::optional<Element> isHere;
                   for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
                     FailureOr<Element> at = body.coordinate(index);
                     if (failed(at))
                       return failure();
                     Element isEqual = body.index(dim) == *at;
                     isHere = isHere ? *isHere & isEqual : isEqual;
                   }
                   return (isHere ? select(*isHere, *element, body.input(0))
                                  : *element)
                       .value();
                 });
}

FailureOr<Value> heddle::convert(tensor::ExtractOp op, OpBuilder &b) {
  ElementsBuilder g(op, /*sizes=*/{}, b);
  g.numbers(op.getResult());
  return g.build(op.getType(), [&](ElementsBuilder &body) {
    return body.conversion().bring(op.getResult());
  });
}

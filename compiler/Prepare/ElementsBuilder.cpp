// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/ElementsBuilder.h"

using namespace mlir;
using namespace heddle;

FailureOr<Value> ElementsBuilder::build(
    Type elementType,
    llvm::function_ref<FailureOr<Value>(ElementsBuilder &)> fill) {
  Location loc = op->getLoc();
  for (Value table : tables)
    if (table.getDefiningOp<tensor::EmptyOp>())
      return op->emitOpError("reads tensor.empty, whose elements are nothing");
  SmallVector<AffineMap> maps(inputs.size(),
                              b.getMultiDimIdentityMap(sizes.size()));
  generic = GenericOp::create(
      b, loc, tensorOf(sizes, elementType), inputs, tables.getArrayRef(),
      toArray(b.getContext(), sizes), b.getArrayAttr({}),
      b.getAffineMapArrayAttr(maps), b.getArrayAttr({}), b.getArrayAttr({}));
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&generic.getBody());
  for (Value input : inputs)
    body->addArgument(scalarTypeOf(getElementTypeOrSelf(input)), loc);
  for (Value table : tables)
    body->addArgument(table.getType(), loc);
  inside = ImplicitLocOpBuilder::atBlockEnd(loc, body);
  numbersInside.emplace(op, generic, tables.getArrayRef(), *inside);
  FailureOr<Value> element = fill(*this);
  if (failed(element))
    return failure();
  YieldOp::create(*inside, *element);
  return generic.getResult(0);
}

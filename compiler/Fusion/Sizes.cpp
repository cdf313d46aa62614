// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/Sizes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static ArrayAttr firstOf(ArrayAttr names) {
  return ArrayAttr::get(names.getContext(), names.getValue().take_front());
}

LogicalResult Sizes::follow(Operation *op) {
  auto same = [&](Value result, Value operand) {
    names[result] = names.lookup(operand);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LastTokenOp op) {
        names[op.getResult()] = firstOf(names.lookup(op.getInput()));
        return success();
      })
      .Case([&](CacheReadOp op) {
        // [batch, capacity, channels]
        names[op.getKey()] = names[op.getValue()] = names.lookup(op.getCache());
        return success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        // All other ops keep the dynamic dimensions of their first operand.
        for (Value result : op->getResults()) {
          bool isDynamic = isa<CacheType>(result.getType());
          if (auto type = dyn_cast<RankedTensorType>(result.getType()))
            isDynamic = !type.hasStaticShape();
          if (!isDynamic)
            continue;
          Value source = isa<CacheType>(result.getType()) || op->getNumOperands()
                             ? op->getOperand(0)
                             : Value();
          if (!source || !names.lookup(source))
            return op->emitOpError("has a dynamic dimension without a name");
          (void)same(result, source);
        }
        return success();
      });
}

FailureOr<Sizes> Sizes::of(FunctionOpInterface function) {
  Sizes sizes;
  for (BlockArgument argument : function.getArguments()) {
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      kSizesAttr);
    size_t expected = 0;
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      expected = type.getNumDynamicDims();
    else if (isa<CacheType>(argument.getType()))
      expected = 2;
    if (expected != (names ? names.size() : 0))
      return function.emitOpError("expected ")
             << kSizesAttr << " of " << expected << " names on argument "
             << argument.getArgNumber();
    if (names)
      sizes.names[argument] = names;
  }
  for (Operation &op : function.getFunctionBody().front().without_terminator())
    if (failed(sizes.follow(&op)))
      return failure();
  return sizes;
}

std::string heddle::rowsOf(RankedTensorType type, ArrayAttr sizes) {
  std::string rows;
  unsigned nextName = 0;
  auto append = [&](StringRef factor) {
    if (!rows.empty())
      rows += '*';
    rows += factor;
  };
  for (int64_t extent : type.getShape().drop_back()) {
    if (ShapedType::isDynamic(extent))
      append(cast<StringAttr>(sizes[nextName++]).getValue());
    else if (extent != 1)
      append(std::to_string(extent));
  }
  return rows.empty() ? "1" : rows;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/Sizes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

// How many names a value of this type has.
static size_t countNames(Type type) {
  if (isa<CacheType>(type))
    return 2;
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumDynamicDims() : 0;
}

// Neither scalars nor vectors have sizes that could be compared.
static bool hasSizes(Type type) {
  return isa<RankedTensorType, CacheType, MaskType>(type);
}

static LogicalResult checkTypes(Operation *op) {
  auto check = [&](StringRef what, ValueRange values) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(values.getTypes()))
      if (!hasSizes(type))
        return op->emitOpError("expected ")
               << what << " " << index
               << " to be a ranked tensor, a cache or a mask, found " << type;
    return success();
  };
  return failure(failed(check("operand", op->getOperands())) ||
                 failed(check("result", op->getResults())));
}

// Dimension `dim` of `value`: a name, or a number.
Attribute Sizes::dimension(Value value, unsigned dim) const {
  ArrayAttr known = names.lookup(value);
  if (isa<CacheType>(value.getType()))
    return known[dim];
  auto type = cast<RankedTensorType>(value.getType());
  if (type.isDynamicDim(dim))
    return known[type.getDynamicDimIndex(dim)];
  return StringAttr::get(type.getContext(), Twine(type.getDimSize(dim)));
}

LogicalResult Sizes::expectSame(Operation *op, StringRef what, Value a,
                                unsigned dimA, Value b, unsigned dimB) const {
  Attribute expected = dimension(a, dimA), found = dimension(b, dimB);
  if (expected == found)
    return success();
  return op->emitOpError("expected ")
         << what << " to be " << expected << ", found " << found;
}

// Follows a mask to what it is made of, whose integers are one a sequence.
LogicalResult Sizes::checkMask(AttentionOp attention, Value mask) const {
  auto expectBatch = [&](StringRef what, Value counts) -> LogicalResult {
    if (!counts)
      return success();
    return expectSame(attention, what, attention.getQuery(), 0, counts, 0);
  };
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (!op)
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](CausalMaskOp op) {
        return expectBatch("the number of offsets in the mask", op.getOffset());
      })
      .Case([&](LengthsMaskOp op) {
        return expectBatch("the number of lengths in the mask",
                           op.getLengths());
      })
      .Case<AndMaskOp, OrMaskOp, NotMaskOp>([&](Operation *op) {
        return LogicalResult::success(
            llvm::all_of(op->getOperands(), [&](Value operand) {
              return succeeded(checkMask(attention, operand));
            }));
      })
      .Default(success());
}

LogicalResult Sizes::check(Operation *op) const {
  auto expectBatch = [&](StringRef what, Value a, Value b) {
    return expectSame(op, what, a, 0, b, 0);
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AttentionOp op) {
        Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
        return failure(
            failed(expectBatch("the batch of the key", query, key)) ||
            failed(expectBatch("the batch of the value", query, value)) ||
            failed(
                expectSame(op, "the length of the value", key, 1, value, 1)) ||
            failed(checkMask(op, op.getMask())));
      })
      .Case([&](CacheAppendOp op) {
        Value cache = op.getCache(), key = op.getKey(), value = op.getValue();
        return failure(
            failed(expectBatch("the batch of the key", cache, key)) ||
            failed(expectBatch("the batch of the value", cache, value)) ||
            failed(
                expectSame(op, "the length of the value", key, 1, value, 1)) ||
            failed(
                expectBatch("the number of starts", cache, op.getStarts())) ||
            failed(
                expectBatch("the number of lengths", cache, op.getLengths())));
      })
      .Case([&](RotaryOp op) {
        return expectBatch("the number of starts", op.getInput(),
                           op.getStarts());
      })
      .Case([&](LastTokenOp op) {
        return expectBatch("the number of lengths", op.getInput(),
                           op.getLengths());
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return success();
        for (Value operand : op->getOperands())
          for (int64_t dim :
               llvm::seq(cast<RankedTensorType>(operand.getType()).getRank()))
            if (failed(expectSame(op, "the size of all operands",
                                  op->getOperand(0), dim, operand, dim)))
              return failure();
        return success();
      });
}

LogicalResult Sizes::follow(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LastTokenOp op) {
        // [batch, channels] of [batch, length, channels]
        if (size_t count = countNames(op.getType()))
          names[op.getResult()] = ArrayAttr::get(
              op.getContext(),
              names.lookup(op.getInput()).getValue().take_front(count));
        return success();
      })
      .Case([&](CacheReadOp op) {
        // [batch, capacity, channels]
        names[op.getKey()] = names[op.getValue()] = names.lookup(op.getCache());
        return success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        // All other ops keep the dynamic dimensions of an operand.
        for (Value result : op->getResults()) {
          size_t count = countNames(result.getType());
          if (!count)
            continue;
          auto source = llvm::find_if(op->getOperands(), [&](Value operand) {
            ArrayAttr known = names.lookup(operand);
            return known && known.size() == count;
          });
          if (source == op->getOperands().end())
            return op->emitOpError("has a dynamic dimension without a name");
          names[result] = names.lookup(*source);
        }
        return success();
      });
}

FailureOr<Sizes> Sizes::of(FunctionOpInterface function) {
  Sizes sizes;
  for (BlockArgument argument : function.getArguments()) {
    if (!hasSizes(argument.getType()))
      return function.emitOpError("expected argument ")
             << argument.getArgNumber()
             << " to be a ranked tensor, a cache or a mask, found "
             << argument.getType();
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      kSizesAttr);
    size_t expected = countNames(argument.getType());
    bool areStrings = !names || llvm::all_of(names, [](Attribute name) {
      return isa<StringAttr>(name);
    });
    if (expected != (names ? names.size() : 0) || !areStrings)
      return function.emitOpError("expected ")
             << kSizesAttr << " of " << expected << " names on argument "
             << argument.getArgNumber();
    if (names)
      sizes.names[argument] = names;
  }
  for (Operation &op : function.getFunctionBody().front().without_terminator())
    if (failed(checkTypes(&op)) || failed(sizes.check(&op)) ||
        failed(sizes.follow(&op)))
      return failure();
  return sizes;
}

SizeRole SizeRoles::roleOf(StringRef size) const {
  if (capacities.contains(size))
    return SizeRole::Capacity;
  if (lengths.contains(size))
    return SizeRole::Length;
  return batches.contains(size) ? SizeRole::Batch : SizeRole::Other;
}

SizeRoles SizeRoles::of(FunctionOpInterface function) {
  SizeRoles roles;
  for (BlockArgument argument : function.getArguments()) {
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      kSizesAttr);
    if (!names)
      continue;
    auto nameAt = [&](unsigned index) {
      return cast<StringAttr>(names[index]).getValue();
    };
    if (isa<CacheType>(argument.getType())) {
      roles.batches.insert(nameAt(0));
      roles.capacities.insert(nameAt(1));
      continue;
    }
    auto type = cast<RankedTensorType>(argument.getType());
    unsigned leading = type.getRank();
    if (!type.getElementType().isInteger())
      --leading; // without the channels
    if (leading != 2)
      continue;
    if (type.isDynamicDim(0))
      roles.batches.insert(nameAt(0));
    if (type.isDynamicDim(1))
      roles.lengths.insert(nameAt(type.getDynamicDimIndex(1)));
  }
  return roles;
}

SmallVector<StringRef> heddle::factorsOf(StringRef size) {
  SmallVector<StringRef> factors;
  size.split('/').first.split(factors, '*');
  return factors;
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

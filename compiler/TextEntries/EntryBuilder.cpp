// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/EntryBuilder.h"

#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

std::string heddle::symbolOf(SizeAttr size) {
  return size.getKind() == SizeKind::Symbol ? size.getName().str() : "";
}

EntryBuilder::EntryBuilder(func::FuncOp function)
    : function(function), context(function.getContext()),
      b(function.getLoc(),
        OpBuilder::atBlockBegin(&function.getBody().front())) {}

static Value constantOf(ImplicitLocOpBuilder &b, double number, Type type) {
  auto attribute = isa<FloatType>(type)
                       ? Attribute(FloatAttr::get(type, number))
                       : Attribute(IntegerAttr::get(type, int64_t(number)));
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get({}, type), attribute));
}

Value EntryBuilder::splat(double number, ArrayRef<SizeAttr> over, Type type) {
  return make<BroadcastOp>(over, type, constantOf(b, number, type),
                           array(over));
}

Value EntryBuilder::forSequences(Value counts, ArrayRef<SizeAttr> over) {
  Sizes ones(over.size(), number(1));
  ones[0] = over[0];
  Type type = getElementTypeOrSelf(counts);
  return make<BroadcastOp>(over, type,
                           make<ReshapeOp>(ones, type, counts, array(ones)),
                           array(over));
}

Value EntryBuilder::isBelow(Value counts, ArrayRef<SizeAttr> over,
                            int64_t dim) {
  Value place =
      make<IotaOp>(over, getElementTypeOrSelf(counts), dim, array(over));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place,
                               forSequences(counts, over));
}

Value EntryBuilder::placesFrom(Value counts, ArrayRef<SizeAttr> over,
                               int64_t dim) {
  Value place =
      make<IotaOp>(over, getElementTypeOrSelf(counts), dim, array(over));
  return arith::AddIOp::create(b, place, forSequences(counts, over));
}

Value EntryBuilder::where(Value condition, Value x, double otherwise) {
  Type type = getElementTypeOrSelf(x);
  return make<WhereOp>(sizesOf(x), type, condition, x,
                       constantOf(b, otherwise, type));
}

BlockArgument EntryBuilder::addArgument(StringRef name, Type type) {
  unsigned index = body().getNumArguments();
  auto attributes =
      b.getDictionaryAttr(b.getNamedAttr(kNameAttr, b.getStringAttr(name)));
  (void)function.insertArgument(index, type, attributes, function.getLoc());
  return body().getArgument(index);
}

void EntryBuilder::setRole(BlockArgument argument, ArgumentRole role) {
  function.setArgAttr(argument.getArgNumber(), kRoleAttr,
                      ArgumentRoleAttr::get(context, role));
}

void EntryBuilder::eraseArguments(ArrayRef<BlockArgument> old) {
  llvm::BitVector numbers(body().getNumArguments());
  for (BlockArgument argument : old)
    if (argument)
      numbers.set(argument.getArgNumber());
  (void)function.eraseArguments(numbers);
}

void EntryBuilder::eraseDead() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

// What has a dimension of 1 may have one of all sequences then.
static void forgetSizesOfUsers(Value value) {
  for (Operation *user : value.getUsers())
    for (Value result : user->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !llvm::is_contained(type.getShape(), 1))
        continue;
      SmallVector<int64_t> unknown(type.getRank(), ShapedType::kDynamic);
      result.setType(RankedTensorType::get(unknown, type.getElementType()));
      forgetSizesOfUsers(result);
    }
}

LogicalResult EntryBuilder::replaceShared(Value shared, Value own) {
  forgetSizesOfUsers(shared);
  shared.replaceAllUsesWith(own);
  return resolveSizes(function);
}

int64_t EntryBuilder::gatherBy(BlockArgument numbers) {
  int64_t rows = INT64_MAX;
  for (Operation *user : llvm::make_early_inc_range(numbers.getUsers())) {
    auto lookup = dyn_cast<EmbeddingOp>(user);
    if (!lookup)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(lookup);
    Value table = lookup.getTable();
    rows = std::min(rows, *sizesOf(table)[0].asNumber());
    Value read =
        make<GatherOp>(sizesOf(lookup.getResult()), getElementTypeOrSelf(table),
                       table, numbers, /*axis=*/0, IntegerAttr(),
                       /*wrap=*/false);
    lookup.getResult().replaceAllUsesWith(read);
    lookup.erase();
  }
  return rows;
}

DictionaryAttr EntryBuilder::describe(StringRef name, ArgumentRole role) {
  NamedAttrList attributes;
  attributes.set(kNameAttr, b.getStringAttr(name));
  if (role != ArgumentRole::Other)
    attributes.set(kRoleAttr, ArgumentRoleAttr::get(context, role));
  return attributes.getDictionary(context);
}

void EntryBuilder::dropSizes() {
  auto drop = [](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      value.setType(type.dropEncoding());
    else if (auto cache = dyn_cast<CacheType>(value.getType()))
      value.setType(cache.withSizes({}));
  };
  for (BlockArgument argument : body().getArguments()) {
    SmallVector<std::string> texts;
    for (SizeAttr size : sizesOf(argument))
      if (!size.asNumber())
        texts.push_back(size.str());
    SmallVector<StringRef> names(texts.begin(), texts.end());
    function.setArgAttr(argument.getArgNumber(), kSizesAttr,
                        b.getStrArrayAttr(names));
  }
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), drop);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), drop);
  });
  function.setType(b.getFunctionType(
      body().getArgumentTypes(), body().getTerminator()->getOperandTypes()));
}

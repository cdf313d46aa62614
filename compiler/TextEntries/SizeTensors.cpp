// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/SizeTensors.h"

#include "compiler/TextEntries/EntryBuilder.h"
#include "compiler/TextEntries/Values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

namespace {

/// Of keys that a query attends to, the last ones up to its own have one
/// number, and those before them another.
struct Window {
  int64_t count;
  double inside, outside;
};

class SizeTensors : EntryBuilder {
public:
  SizeTensors(func::FuncOp function, DecoderSizes &sizes, Value starts,
              const TensorSource *tensors)
      : EntryBuilder(function), sizes(sizes), starts(starts), tensors(tensors) {
  }

  llvm::Error settle() {
    find();
    if (found.empty())
      return llvm::Error::success();
    SizeProbe probe(function, sizes, found, tensors);
    if (!probe)
      return llvm::createStringError("what it computes of sizes cannot be "
                                     "computed here");
    sizes.mostTokens = probe.mostTokens();
    DecoderCall whole{/*batch=*/1, /*length=*/1, probe.mostTokens()};
    auto values = probe.evaluate(whole);
    if (!values)
      return values.takeError();
    SmallVector<std::optional<Window>> windows;
    for (auto [value, all] : llvm::zip_equal(found, *values))
      windows.push_back(windowOf(value, *all.tensor()));
    llvm::BitVector isSame(found.size(), true), isWindow(found.size(), true);
    for (const DecoderCall &call : probe.calls()) {
      auto own = probe.evaluate(call);
      if (!own)
        return own.takeError();
      for (size_t index : llvm::seq(found.size())) {
        const Tensor &few = *(*own)[index].tensor();
        if (!isSameIn(call, found[index], few, *(*values)[index].tensor()))
          isSame.reset(index);
        if (!windows[index] ||
            !isWindowIn(call, found[index], few, *windows[index]))
          isWindow.reset(index);
      }
    }
    for (size_t index : llvm::seq(found.size())) {
      bool isKnown = true;
      if (isSame[index])
        replace(found[index], *(*values)[index].tensor());
      else
        isKnown = isWindow[index] &&
                  succeeded(replace(found[index], *windows[index]));
      if (!isKnown)
        return llvm::createStringError(
            "what " + nodeOf(found[index].getDefiningOp()) +
            " computes of sizes depends on how many tokens there are, or "
            "where in a call they stand");
    }
    return llvm::Error::success();
  }

private:
  //===-- what there is ---------------------------------------------------===//

  // Values of sizes alone that something else reads.
  void find() {
    llvm::MapVector<Operation *, bool> ops = opsOfSizes(function, sizes);
    for (auto [op, isOfTokens] : ops) {
      if (!isOfTokens)
        continue;
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !ops.contains(user) && !isPlace(result, user);
            }))
          found.push_back(result);
    }
  }

  // Whether it is the places of tokens of a call, behind those before.
  bool isPlace(Value value, Operation *user) {
    auto sum = dyn_cast<arith::AddIOp>(user);
    if (!sum || !value.getDefiningOp<IotaOp>())
      return false;
    Value other = sum.getLhs() == value ? sum.getRhs() : sum.getLhs();
    while (Value viewed = viewedBy(other))
      other = viewed;
    return other == starts;
  }

  //===-- what they say of keys -------------------------------------------===//

  bool isSize(Value value, int64_t fromEnd, const std::string &symbol) {
    Sizes all = sizesOf(value);
    return int64_t(all.size()) >= fromEnd &&
           all[all.size() - fromEnd] == SizeAttr::symbol(context, symbol);
  }

  // Calls `visit` for elements of a call, and of keys only for those that the
  // query attends to, with their coordinates.
  void visitKept(Value value, ArrayRef<int64_t> shape, const DecoderCall &call,
                 llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
    bool hasKeys = isSize(value, 1, sizes.capacity);
    bool hasQueries = hasKeys && isSize(value, 2, sizes.length);
    SmallVector<int64_t> at(shape.size(), 0);
    int64_t count = llvm::product_of(shape);
    for (int64_t element = 0; element < count; ++element) {
      int64_t rest = element;
      for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
        at[dim] = rest % shape[dim];
      int64_t query = hasQueries ? at[at.size() - 2] : call.length - 1;
      if (!hasKeys || at.back() <= call.past() + query)
        visit(at);
    }
  }

  // Dimensions that are longer elsewhere start again.
  static double elementAt(const Tensor &tensor, ArrayRef<int64_t> at) {
    int64_t place = 0;
    for (auto [coordinate, size] : llvm::zip_equal(at, tensor.shape))
      place = place * size + coordinate % size;
    return tensor.number(place);
  }

  // All queries of all calls have the keys of one behind all tokens, as far as
  // they attend to them.
  bool isSameIn(const DecoderCall &call, Value value, const Tensor &few,
                const Tensor &all) {
    bool isSame = true;
    visitKept(value, few.shape, call, [&](ArrayRef<int64_t> at) {
      double a = elementAt(few, at), b = elementAt(all, at);
      isSame &= a == b || (std::isnan(a) && std::isnan(b));
    });
    return isSame;
  }

  //===-- windows ---------------------------------------------------------===//

  // That of a [length, keys] mask which all sequences share, for a query behind
  // all tokens.
  std::optional<Window> windowOf(Value value, const Tensor &all) {
    if (!isSize(value, 1, sizes.capacity) || !isSize(value, 2, sizes.length) ||
        all.rows() != 1)
      return std::nullopt;
    int64_t keys = all.channels(), count = 1;
    Window window{0, all.number(keys - 1), all.number(0)};
    while (count < keys && all.number(keys - 1 - count) == window.inside)
      ++count;
    window.count = count;
    return count < keys && sizesOf(value).size() <= 4 ? std::optional(window)
                                                      : std::nullopt;
  }

  bool isWindowIn(const DecoderCall &call, Value value, const Tensor &few,
                  const Window &window) {
    bool isOne = true;
    visitKept(value, few.shape, call, [&](ArrayRef<int64_t> at) {
      bool isInside =
          call.past() + at[at.size() - 2] - at.back() < window.count;
      isOne &=
          elementAt(few, at) == (isInside ? window.inside : window.outside);
    });
    return isOne;
  }

  // Each sequence has its own, for scores of [batch, heads, length, keys].
  LogicalResult replace(Value value, const Window &window) {
    b.setInsertionPointAfter(value.getDefiningOp());
    Sizes over{symbol(sizes.batch), number(1), symbol(sizes.length),
               symbol(sizes.capacity)};
    Type type = getElementTypeOrSelf(value), integer = b.getI32Type();
    // Other sizes than those of the places in masks of caches, so that nothing
    // but one formula computes either.
    Sizes perQuery = over;
    perQuery.back() = number(1);
    Value place = make<BroadcastOp>(
        over, integer, placesFrom(starts, perQuery, 2), array(over));
    Value last =
        arith::AddIOp::create(b, make<IotaOp>(over, integer, 3, array(over)),
                              splat(window.count - 1, over, integer));
    bool isTruth = type.isInteger(1);
    auto predicate = isTruth && window.inside == 0 ? arith::CmpIPredicate::sgt
                                                   : arith::CmpIPredicate::sle;
    Value own = arith::CmpIOp::create(b, predicate, place, last);
    if (!isTruth)
      own = where(own, splat(window.inside, over, type), window.outside);
    return replaceShared(value, own);
  }

  //===-- constants -------------------------------------------------------===//

  // Of keys that no query attends to, no number matters.
  void replace(Value value, const Tensor &all) {
    if (!isSize(value, 1, sizes.capacity))
      return;
    double number = all.number(0);
    for (size_t element : llvm::seq(all.data.size()))
      if (all.number(element) != number)
        return;
    Type type = getElementTypeOrSelf(value);
    Attribute attribute =
        isa<FloatType>(type)
            ? Attribute(FloatAttr::get(type, number))
            : Attribute(IntegerAttr::get(type, int64_t(number)));
    OpBuilder b(value.getDefiningOp());
    Value constant = arith::ConstantOp::create(
        b, value.getLoc(),
        DenseElementsAttr::get(RankedTensorType::get({}, type), attribute));
    value.replaceAllUsesWith(BroadcastOp::create(
        b, value.getLoc(), value.getType(), constant, array(sizesOf(value))));
  }

  DecoderSizes &sizes;
  Value starts;
  const TensorSource *tensors;
  SmallVector<Value> found;
};

} // namespace

llvm::Error heddle::settleSizeTensors(func::FuncOp function,
                                      DecoderSizes &sizes, Value starts,
                                      const TensorSource *tensors) {
  return SizeTensors(function, sizes, starts, tensors).settle();
}

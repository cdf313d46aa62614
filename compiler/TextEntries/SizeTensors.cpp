// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/SizeTensors.h"

#include "compiler/TextEntries/Values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

namespace {

class SizeTensors {
public:
  SizeTensors(func::FuncOp function, DecoderSizes &sizes, Value starts,
              const TensorSource *tensors)
      : function(function), sizes(sizes), starts(starts), tensors(tensors),
        context(function.getContext()) {}

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
    for (const DecoderCall &call : probe.calls()) {
      auto own = probe.evaluate(call);
      if (!own)
        return own.takeError();
      if (llvm::Error error = compare(call, *own, *values))
        return error;
    }
    for (auto [value, all] : llvm::zip_equal(found, *values))
      replace(value, *all.tensor());
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
  llvm::Error compare(const DecoderCall &call, const Probe::Results &values,
                      const Probe::Results &whole) {
    for (size_t index = 0; index < found.size(); ++index) {
      const Tensor &few = *values[index].tensor(),
                   &all = *whole[index].tensor();
      bool isSame = true;
      visitKept(found[index], few.shape, call, [&](ArrayRef<int64_t> at) {
        double a = elementAt(few, at), b = elementAt(all, at);
        isSame &= a == b || (std::isnan(a) && std::isnan(b));
      });
      if (!isSame)
        return llvm::createStringError(
            "what " + nodeOf(found[index].getDefiningOp()) +
            " computes of sizes depends on how many tokens there are, or "
            "where in a call they stand");
    }
    return llvm::Error::success();
  }

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
    value.replaceAllUsesWith(
        BroadcastOp::create(b, value.getLoc(), value.getType(), constant,
                            toArray(context, sizesOf(value))));
  }

  func::FuncOp function;
  DecoderSizes &sizes;
  Value starts;
  const TensorSource *tensors;
  MLIRContext *context;
  SmallVector<Value> found;
};

} // namespace

llvm::Error heddle::settleSizeTensors(func::FuncOp function,
                                      DecoderSizes &sizes, Value starts,
                                      const TensorSource *tensors) {
  return SizeTensors(function, sizes, starts, tensors).settle();
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/SizeTensors.h"

#include "compiler/TextEntries/KeyUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

namespace {

class SizeTensors {
public:
  SizeTensors(func::FuncOp function, const DecoderSizes &sizes,
              const TensorSource *tensors)
      : function(function), sizes(sizes), tensors(tensors),
        context(function.getContext()) {}

  llvm::Expected<int64_t> settle() {
    find();
    if (found.empty())
      return kLargest;
    probe.emplace(function, sizes, found, tensors);
    if (!*probe)
      return llvm::createStringError("what it computes of sizes has no "
                                     "reference");
    // Tables are for so many tokens alone.
    for (int64_t total = kLargest; total >= kSmallest; total /= 2) {
      SmallVector<Probe::Results> large;
      for (int64_t length : kProbedLengths) {
        auto values = probe->evaluate({length, total});
        if (!values) {
          llvm::consumeError(values.takeError());
          break;
        }
        large.push_back(std::move(*values));
      }
      if (large.size() != std::size(kProbedLengths))
        continue;
      for (auto [length, values] : llvm::zip_equal(kProbedLengths, large))
        if (llvm::Error error = compare({length, total}, values))
          return error;
      replace(total, large);
      return total;
    }
    return llvm::createStringError("what it computes of sizes cannot be "
                                   "computed here");
  }

private:
  static constexpr int64_t kLargest = 1 << 16, kSmallest = 64;

  //===-- what there is ---------------------------------------------------===//

  // Values of sizes alone that something else reads.
  void find() {
    llvm::MapVector<Operation *, bool> ops = opsOfSizes(function, sizes);
    for (auto [op, isOfTokens] : ops) {
      if (!isOfTokens)
        continue;
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !ops.contains(user); }))
          found.push_back(result);
    }
  }

  //===-- what they say of keys -------------------------------------------===//

  bool isSize(Value value, int64_t fromEnd, const std::string &symbol) {
    Sizes all = sizesOf(value);
    return int64_t(all.size()) >= fromEnd &&
           all[all.size() - fromEnd] == SizeAttr::symbol(context, symbol);
  }

  // Calls `visit` for elements that a call of `small` tokens has, and of keys
  // only for those that the query attends to, with their coordinates.
  void visitKept(Value value, ArrayRef<int64_t> shape, const DecoderCall &small,
                 llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
    bool hasKeys = isSize(value, 1, sizes.capacity);
    bool hasQueries = hasKeys && isSize(value, 2, sizes.length);
    SmallVector<int64_t> at(shape.size(), 0);
    int64_t count = llvm::product_of(shape);
    for (int64_t element = 0; element < count; ++element) {
      int64_t rest = element;
      for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
        at[dim] = rest % shape[dim];
      int64_t query = hasQueries ? at[at.size() - 2] : small.length - 1;
      if (!hasKeys || at.back() <= small.past() + query)
        visit(at);
    }
  }

  static double elementAt(const Tensor &tensor, ArrayRef<int64_t> at) {
    int64_t place = 0;
    for (auto [coordinate, size] : llvm::zip_equal(at, tensor.shape))
      place = place * size + coordinate;
    return tensor.number(place);
  }

  // The same for keys that a query attends to, however many come after them.
  llvm::Error compare(const DecoderCall &large,
                      const Probe::Results &largeValues) {
    for (int64_t past : kProbedPasts) {
      DecoderCall small{large.length, past + large.length};
      auto values = probe->evaluate(small);
      if (!values)
        return values.takeError();
      for (size_t index = 0; index < found.size(); ++index) {
        const Tensor &few = *(*values)[index].tensor(),
                     &many = *largeValues[index].tensor();
        bool isSame = true;
        visitKept(found[index], few.shape, small, [&](ArrayRef<int64_t> at) {
          double a = elementAt(few, at), b = elementAt(many, at);
          isSame &= a == b || (std::isnan(a) && std::isnan(b));
        });
        if (!isSame)
          return llvm::createStringError(
              "what " + nodeOf(found[index].getDefiningOp()) +
              " computes of sizes depends on how many tokens there are before "
              "those of a call");
      }
    }
    return llvm::Error::success();
  }

  // Of keys that no query attends to, no number matters.
  void replace(int64_t total, ArrayRef<Probe::Results> ofLengths) {
    for (size_t index = 0; index < found.size(); ++index) {
      Value value = found[index];
      if (!isSize(value, 1, sizes.capacity))
        continue;
      std::optional<double> number;
      bool isOne = true;
      for (auto [length, values] : llvm::zip_equal(kProbedLengths, ofLengths)) {
        const Tensor &tensor = *values[index].tensor();
        visitKept(value, tensor.shape, {length, total},
                  [&](ArrayRef<int64_t> at) {
                    double element = elementAt(tensor, at);
                    isOne &= element == number.value_or(element);
                    number = element;
                  });
      }
      if (!number || !isOne)
        continue;
      Type type = getElementTypeOrSelf(value);
      Attribute attribute =
          isa<FloatType>(type)
              ? Attribute(FloatAttr::get(type, *number))
              : Attribute(IntegerAttr::get(type, int64_t(*number)));
      OpBuilder b(value.getDefiningOp());
      Value constant = arith::ConstantOp::create(
          b, value.getLoc(),
          DenseElementsAttr::get(RankedTensorType::get({}, type), attribute));
      value.replaceAllUsesWith(
          BroadcastOp::create(b, value.getLoc(), value.getType(), constant,
                              toArray(context, sizesOf(value))));
    }
  }

  func::FuncOp function;
  const DecoderSizes &sizes;
  const TensorSource *tensors;
  MLIRContext *context;
  SmallVector<Value> found;
  std::optional<SizeProbe> probe;
};

} // namespace

llvm::Expected<int64_t> heddle::settleSizeTensors(func::FuncOp function,
                                                  const DecoderSizes &sizes,
                                                  const TensorSource *tensors) {
  return SizeTensors(function, sizes, tensors).settle();
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// concat(-x[.., 8:16], x[.., 0:8])
//   -> generic { c < 8 ? -x[.., (c + 8) mod 16] : x[.., (c + 8) mod 16] }

#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {
#define GEN_PASS_DEF_JOINSLICES
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// A range of a dimension of a tensor, which is read with or without a minus.
struct Part {
  Value tensor;
  int64_t first, size;
  bool isNegated;
};

/// The parts of heddle.concat, where they are known.
class Parts {
public:
  explicit Parts(ConcatOp op) : axis(op.getAxis()) {
    isKnown = llvm::all_of(op.getInputs(), [&](Value v) { return add(v); });
  }

  /// Whether these are all elements of one tensor, each once, from some place
  /// on to its end, and the others from its beginning.
  bool areRotated() const {
    if (!isKnown || list.size() < 2)
      return false;
    auto size = sizesOf(list.front().tensor)[axis].asNumber();
    int64_t place = list.front().first, sum = 0;
    for (const Part &part : list) {
      if (!size || part.tensor != list.front().tensor || part.first != place)
        return false;
      sum += part.size;
      place = (place + part.size) % *size;
    }
    return sum == size;
  }

  Value replace(ConcatOp op) const {
    OpBuilder b(op);
    Sizes sizes = sizesOf(op.getResult());
    GenericBuilder g(b, op.getLoc(), sizes);
    int64_t size = *sizes[axis].asNumber();
    SmallVector<AffineExpr> at = g.dims(0, sizes.size());
    at[axis] = (at[axis] + list.front().first) % size;
    g.input(list.front().tensor, at);
    g.result(getElementTypeOrSelf(op.getResult()));
    return g.build([&](GenericBody &body) {
      Element x = body.input(0);
      auto signedAs = [&](const Part &part) {
        return part.isNegated ? apply<arith::NegFOp>(x) : x;
      };
      // From the last part on, whose sign those have that agree with it.
      Element result = signedAs(list.back());
      bool isNegated = list.back().isNegated;
      int64_t end = size;
      for (const Part &part : llvm::reverse(list)) {
        if (part.isNegated != isNegated) {
          Element place = body.index(axis);
          result = select(place < place.constant(end), signedAs(part), result);
          isNegated = part.isNegated;
        }
        end -= part.size;
      }
      return result;
    });
  }

private:
  bool add(Value value) {
    Part part{value, 0, 0, false};
    if (auto negation = part.tensor.getDefiningOp<arith::NegFOp>()) {
      part.isNegated = true;
      part.tensor = negation.getOperand();
    }
    auto size = sizesOf(part.tensor)[axis].asNumber();
    if (!size)
      return false;
    part.size = *size;
    auto slice = part.tensor.getDefiningOp<SliceOp>();
    auto split = part.tensor.getDefiningOp<SplitOp>();
    if (slice) {
      Sizes offsets = toSizes(slice.getOffsets()),
            whole = sizesOf(slice.getInput());
      for (auto [dim, step] : llvm::enumerate(slice.getSteps()))
        if (dim == axis
                ? step != 1 || !offsets[dim].asNumber()
                : sizesOf(slice.getResult())[dim] != whole[dim] || step != 1)
          return false;
      part.first = *offsets[axis].asNumber();
      part.tensor = slice.getInput();
    } else if (split && split.getAxis() == axis) {
      unsigned number = cast<OpResult>(part.tensor).getResultNumber();
      for (SizeAttr before :
           ArrayRef(toSizes(split.getSizes())).take_front(number)) {
        if (!before.asNumber())
          return false;
        part.first += *before.asNumber();
      }
      part.tensor = split.getInput();
    } else {
      return false;
    }
    list.push_back(part);
    return true;
  }

  unsigned axis;
  bool isKnown;
  SmallVector<Part> list;
};

struct JoinSlices : heddle::impl::JoinSlicesBase<JoinSlices> {
  void runOnOperation() override {
    getOperation()->walk([](ConcatOp op) {
      Parts parts(op);
      if (!parts.areRotated())
        return;
      op.replaceAllUsesWith(parts.replace(op));
      op.erase();
    });
  }
};

} // namespace

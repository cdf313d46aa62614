// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// slot[p] = first[e[p]] * rows + how many pairs before p have the expert e[p]
// chosen[t] = the last expert whose tiles begin at t or before
// y[t, r, n] = sum_k x[owner[t, r], k] W[chosen[t], n, k]

#include "compiler/Prepare/ExpertGroups.h"

#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;
using namespace heddle;

// Of a tile: two register tiles, so that a matrix is read once for so many
// rows, and an expert's last tile leaves few of them free. A step of a decoder
// has one token of each sequence, and few of an expert.
static constexpr int64_t kManyRows = 12, kFewRows = 4;

bool heddle::areWorthGrouping(ExpertLinearOp op) {
  auto type = llvm::cast<RankedTensorType>(op.getWeight().getType());
  Type element = type.getElementType();
  bool isFloat = isa<FloatType>(element) &&
                 element.getIntOrFloatBitWidth() >= 16 &&
                 element.getIntOrFloatBitWidth() <= 32;
  return isFloat && op.getWeight().getDefiningOp<WeightRefOp>() &&
         type.getDimSize(0) > 1 && type.getDimSize(1) >= kFewestTileColumns;
}

namespace {

class GroupedProduct {
public:
  GroupedProduct(OpBuilder &b, ExpertLinearOp op)
      : b(b), op(op), loc(op.getLoc()), i32(b.getI32Type()),
        over(sizesOf(op.getExperts())), weight(sizesOf(op.getWeight())),
        pairs(product(b.getContext(), over)),
        tileRows(isStep() ? kFewRows : kManyRows), rows(number(tileRows)) {
    // Every tile has a pair, and every expert rows to spare in one at most.
    tiles = min(pairs, floorDiv(pairs + weight[0] * (tileRows - 1), rows));
  }

  Value build() {
    findSlots();
    return readResult(multiply(readRows()));
  }

private:
  bool isStep() const {
    return over.size() < 2 || over[over.size() - 2].asNumber() == 1;
  }
  SizeAttr number(int64_t value) {
    return SizeAttr::number(b.getContext(), value);
  }
  Value reshaped(Value x, const Sizes &sizes) {
    return ReshapeOp::create(b, loc, tensorOf(sizes, getElementTypeOrSelf(x)),
                             x, toArray(b.getContext(), sizes));
  }

  // How many numbers of the dimension that is reduced satisfy `isCounted`, and
  // `first` more.
  Value count(SizeAttr of, Value among, int64_t first,
              llvm::function_ref<Element(GenericBody &)> isCounted,
              Value own = Value()) {
    GenericBuilder g(b, loc, {of}, {sizesOf(among)[0]});
    g.input(among, {g.dim(1)});
    if (own)
      g.input(own, {g.dim(0)});
    g.result(i32, double(first));
    return g.build([&](GenericBody &body) {
      Element sum = body.accumulator(0);
      return sum + select(isCounted(body), sum.constant(1), sum.constant(0));
    });
  }

  void findSlots() {
    Value experts = reshaped(op.getExperts(), {pairs});
    int64_t last = *weight[0].asNumber() - 1;
    experts =
        buildElementwise(b, loc, {pairs}, experts, i32, [&](GenericBody &body) {
          Element expert = asCoordinate(body.input(0));
          return maximum(minimum(expert, expert.constant(double(last))),
                         expert.constant(0));
        });
    Value rank = count(
        pairs, experts, 0,
        [](GenericBody &body) {
          return (body.input(0) == body.input(1)) &
                 (body.index(1) < body.index(0));
        },
        experts);
    Value sizes = count(weight[0], experts, 0, [](GenericBody &body) {
      return body.input(0) == body.index(0);
    });
    // The number of an expert's first tile.
    GenericBuilder before(b, loc, {weight[0]}, {weight[0]});
    before.input(sizes, {before.dim(1)});
    before.result(i32, 0.0);
    Value first = before.build([&](GenericBody &body) {
      Element sum = body.accumulator(0), size = body.input(0);
      Element own =
          (size + size.constant(tileRows - 1)) / size.constant(tileRows);
      return sum + select(body.index(1) < body.index(0), own, sum.constant(0));
    });
    chosen = count(tiles, first, -1, [](GenericBody &body) {
      return body.input(0) <= body.index(0);
    });
    GenericBuilder place(b, loc, {pairs});
    place.input(experts);
    place.input(rank);
    place.table(first);
    place.result(i32);
    slots = place.build([&](GenericBody &body) {
      Element tile = body.read(0, {body.input(0)});
      return tile * tile.constant(tileRows) + body.input(1);
    });
  }

  // x[owner[t, r], k]
  Value readRows() {
    GenericBuilder none(b, loc, {tiles * tileRows});
    none.result(i32);
    Value zeros = none.build([&](GenericBody &body) {
      return body.constant(b.getI32IntegerAttr(0));
    });
    Value numbers = IotaOp::create(b, loc, tensorOf({pairs}, i32), /*axis=*/0,
                                   toArray(b.getContext(), Sizes{pairs}));
    Value owners = ScatterOp::create(
        b, loc, zeros.getType(), ScatterKind::Assign, zeros, slots, numbers,
        /*axis=*/0, /*coordinates=*/IntegerAttr(), /*wrap=*/false);
    Sizes inputs = sizesOf(op.getInput());
    SizeAttr depth = inputs.pop_back_val();
    GenericBuilder g(b, loc, {tiles, rows, depth});
    g.input(reshaped(owners, {tiles, rows}), g.dims(0, 2));
    g.table(op.getInput());
    g.result(getElementTypeOrSelf(op.getInput()));
    return g.build([&](GenericBody &body) {
      Element owner = body.input(0);
      SmallVector<Element> point{body.index(2)};
      if (!op.hasOwnInputs())
        owner = owner / body.size(over.back());
      for (SizeAttr size : llvm::reverse(ArrayRef(inputs).drop_front())) {
        point.insert(point.begin(), remainder(owner, body.size(size)));
        owner = owner / body.size(size);
      }
      point.insert(point.begin(), owner);
      return body.read(0, point);
    });
  }

  // sum_k x[t, r, k] W[chosen[t], n, k]
  Value multiply(Value x) {
    Sizes sizes{tiles, weight[1], weight[2]};
    Type stored = getElementTypeOrSelf(op.getWeight());
    GenericBuilder choice(b, loc, sizes);
    choice.input(chosen, {choice.dim(0)});
    choice.table(op.getWeight());
    choice.result(stored);
    Value matrices = choice.build([](GenericBody &body) {
      return body.read(0, {body.input(0), body.index(1), body.index(2)});
    });
    GenericBuilder g(b, loc, {tiles, rows, weight[1]}, {weight[2]});
    g.input(x, {g.dim(0), g.dim(1), g.dim(3)});
    g.input(matrices, {g.dim(0), g.dim(2), g.dim(3)});
    Type type = accumulatorOf(op.getInput());
    g.result(type, 0.0);
    return g.build([&](GenericBody &body) {
      return body.accumulator(0) +
             cast(body.input(0), type) * cast(body.input(1), type);
    });
  }

  Value readResult(Value products) {
    Sizes sizes = over;
    sizes.push_back(weight[1]);
    GenericBuilder g(b, loc, sizes);
    g.input(reshaped(slots, over), g.dims(0, over.size()));
    g.table(products);
    g.result(getElementTypeOrSelf(products));
    return g.build([&](GenericBody &body) {
      Element slot = body.input(0), height = slot.constant(tileRows);
      return body.read(
          0, {slot / height, remainder(slot, height), body.index(over.size())});
    });
  }

  OpBuilder &b;
  ExpertLinearOp op;
  Location loc;
  Type i32;
  Sizes over;   ///< tokens, and the choices of each
  Sizes weight; ///< experts, outputs, inputs
  SizeAttr pairs;
  int64_t tileRows;
  SizeAttr rows, tiles;
  Value slots, chosen;
};

} // namespace

Value heddle::buildGroupedProduct(OpBuilder &b, ExpertLinearOp op) {
  return GroupedProduct(b, op).build();
}

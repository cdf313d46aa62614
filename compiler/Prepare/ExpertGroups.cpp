// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// slot[p] = first[e[p]] * rows + how many pairs before p have the expert e[p]
// chosen[t] = the last expert whose tiles begin at t or before: of a tile that
//   has no pairs, the last of all
// y[t, r, n] = sum_k x[owner[t, r], k] W[chosen[t], n, k]

#include "compiler/Prepare/ExpertGroups.h"

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

// Of a tile: two register tiles, so that a matrix is read once for so many
// rows, and an expert's last tile leaves few of them free. A step of a decoder
// has one token of each sequence, and few of an expert.
static constexpr int64_t kManyRows = 12, kFewRows = 4;

// Whether an op, or the heddle.generic that was made of it, makes floats of a
// weight wider and does nothing else.
static bool widensWeight(Operation *op) {
  if (!op || op->getNumOperands() != 1 ||
      !op->getOperand(0).getDefiningOp<WeightRefOp>() ||
      !isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))))
    return false;
  if (auto generic = dyn_cast<GenericOp>(op)) {
    Block &body = generic.getBody().front();
    return decodesWeight(generic) && body.getOperations().size() == 2 &&
           isa<arith::ExtFOp>(body.front());
  }
  return isa<CastOp, arith::ExtFOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() <
             getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
}

// The weight that matrices are widened from, or they themselves.
static Value storedWeight(ExpertLinearOp op) {
  Operation *widening = op.getWeight().getDefiningOp();
  return widensWeight(widening) ? widening->getOperand(0) : op.getWeight();
}

bool heddle::areWorthGrouping(ExpertLinearOp op) {
  Value weight = storedWeight(op);
  auto type = llvm::cast<RankedTensorType>(weight.getType());
  Type element = type.getElementType();
  bool isFloat = isa<FloatType>(element) &&
                 element.getIntOrFloatBitWidth() >= 16 &&
                 element.getIntOrFloatBitWidth() <= 32;
  auto pairs = llvm::cast<RankedTensorType>(op.getExperts().getType());
  bool isOne = pairs.hasStaticShape() && pairs.getNumElements() == 1;
  return isFloat && !isOne && accumulatorOf(op.getInput()).isF32() &&
         weight.getDefiningOp<WeightRefOp>() && type.getDimSize(0) > 1 &&
         type.getDimSize(1) >= kFewestTileColumns;
}

namespace {

class GroupedProduct {
public:
  GroupedProduct(OpBuilder &b, ExpertLinearOp op)
      : b(b), op(op), loc(op.getLoc()), i32(b.getI32Type()),
        over(sizesOf(op.getExperts())), weight(sizesOf(op.getWeight())),
        pairs(product(b.getContext(), over)),
        tileRows(isStep() ? kFewRows : kManyRows), rows(number(tileRows)) {
    // No more tiles have pairs than there are of these, and every expert has
    // rows to spare in one at most.
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
              llvm::function_ref<Element(GenericBody &)> isCounted) {
    GenericBuilder g(b, loc, {of}, {sizesOf(among)[0]});
    g.input(among, {g.dim(1)});
    g.result(i32, double(first));
    return g.build([&](GenericBody &body) {
      Element sum = body.accumulator(0);
      return sum + select(isCounted(body), sum.constant(1), sum.constant(0));
    });
  }

  // How many pairs before each have the same expert: those of earlier blocks
  // of pairs, and those of its own.
  Value countBefore(Value experts) {
    constexpr int64_t size = 64;
    SizeAttr block = number(size), blocks = ceilDiv(pairs, size);
    auto same = [&](GenericBody &body, Element place, Element expert) {
      Element other = body.read(0, {place}, expert.constant(-1));
      return select(other == expert, expert.constant(1), expert.constant(0));
    };
    GenericBuilder own(b, loc, {blocks, weight[0]}, {block});
    own.table(experts);
    own.result(i32, 0.0);
    Value counts = own.build([&](GenericBody &body) {
      Element first = body.index(0) * body.index(0).constant(size);
      return body.accumulator(0) +
             same(body, first + body.index(2), body.index(1));
    });
    GenericBuilder sums(b, loc, {blocks, weight[0]}, {blocks});
    sums.input(counts, {sums.dim(2), sums.dim(1)});
    sums.result(i32, 0.0);
    Value earlier = sums.build([](GenericBody &body) {
      Element sum = body.accumulator(0);
      return sum + select(body.index(2) < body.index(0), body.input(0),
                          sum.constant(0));
    });
    GenericBuilder near(b, loc, {pairs}, {block});
    near.input(experts, {near.dim(0)});
    near.table(experts);
    near.result(i32, 0.0);
    Value inBlock = near.build([&](GenericBody &body) {
      Element pair = body.index(0), sum = body.accumulator(0);
      Element place =
          pair - remainder(pair, pair.constant(size)) + body.index(1);
      return sum + select(place < pair, same(body, place, body.input(0)),
                          sum.constant(0));
    });
    GenericBuilder g(b, loc, {pairs});
    g.input(inBlock);
    g.input(experts);
    g.table(earlier);
    g.result(i32);
    return g.build([](GenericBody &body) {
      Element block = body.index(0) / body.index(0).constant(size);
      return body.input(0) + body.read(0, {block, body.input(1)});
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
    Value rank = countBefore(experts);
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
      if (inputs.empty()) // one token, whose numbers all choices read
        return body.read(0, point);
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
    Value all = storedWeight(op);
    GenericBuilder choice(b, loc, sizes);
    choice.input(chosen, {choice.dim(0)});
    choice.table(all);
    choice.result(getElementTypeOrSelf(all));
    Value matrices = choice.build([](GenericBody &body) {
      return body.read(0, {body.input(0), body.index(1), body.index(2)});
    });
    matrices.getDefiningOp()->setAttr(kChoiceAttr, b.getUnitAttr());
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

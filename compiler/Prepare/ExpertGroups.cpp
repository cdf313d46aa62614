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
#include "compiler/Target/MachineModel.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"
#include "dialect/Heddle/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

// The tensor that a factor of a layer is decoded from: integers, or bf16; null
// of others.
static Value storedAs(Value factor) {
  Operation *decoding = factor.getDefiningOp();
  if (!decoding || decoding->getNumOperands() == 0)
    return {};
  Value stored = decoding->getOperand(0);
  Type type = getElementTypeOrSelf(stored);
  return type.isBF16() || isa<IntegerType>(type) ? stored : Value();
}

// The inputs of a factor that have one scale; 0 where it has none, or nobody
// knows.
static int64_t groupOf(Value factor) {
  Operation *decoding = factor.getDefiningOp();
  std::optional<int64_t> inputs = sizesOf(factor).back().asNumber();
  if (!decoding || decoding->getNumOperands() < 2 || !inputs)
    return 0;
  Sizes scales = sizesOf(decoding->getOperand(1));
  std::optional<int64_t> count =
      scales.empty() ? std::nullopt : scales.back().asNumber();
  return count && *count > 0 ? *inputs / *count : 0;
}

// The layer whose tiles `op` has: what it is subtracted from, so that one
// kernel computes both.
static ExpertLinearOp tilesOf(ExpertLinearOp op) {
  Value result = op.getResult();
  auto difference = result.hasOneUse()
                        ? dyn_cast<arith::SubFOp>(*result.user_begin())
                        : arith::SubFOp();
  if (!difference || difference.getRhs() != result)
    return op;
  Value from = difference.getLhs();
  while (auto earlier = from.getDefiningOp<arith::SubFOp>())
    from = earlier.getLhs();
  auto product = from.getDefiningOp<ExpertLinearOp>();
  return product && product.getExperts() == op.getExperts() ? product : op;
}

// Rows of a tile; a module without a target has the default ones.
static int64_t chooseTileRows(ExpertLinearOp op, bool isStep) {
  auto module = op->getParentOfType<ModuleOp>();
  MachineModel machine;
  if (module->hasAttr(kTargetAttr))
    if (auto known = MachineModel::of(module); succeeded(known))
      machine = *known;
  if (isStep)
    return machine.expertRowsOfStep;
  auto full = [&](int64_t rows) {
    return llvm::divideCeil(machine.expertRows, rows) * rows;
  };
  op = tilesOf(op);
  Value input = storedAs(op.getInput()), matrix = storedAs(op.getWeight());
  if (!input || !matrix || machine.integerTerms == 1)
    return full(machine.tileRows(machine.panelWidth));
  auto isOf = [&](llvm::function_ref<bool(Type)> is) {
    return is(getElementTypeOrSelf(input)) && is(getElementTypeOrSelf(matrix));
  };
  bool arePairs = isOf([](Type type) { return type.isBF16(); });
  int64_t ofInput = groupOf(op.getInput()), ofMatrix = groupOf(op.getWeight());
  bool areIntegers = isOf([](Type type) { return isa<IntegerType>(type); }) &&
                     ofInput > 0 && ofMatrix > 0;
  if (areIntegers && std::gcd(ofInput, ofMatrix) <= machine.shortBlock)
    return full(machine.shortBlockRows);
  bool areFull =
      isOf([](Type type) { return type.isBF16() || type.isInteger(8); });
  if (areFull && machine.tileRegisterRows > 0)
    return machine.tileRegisterRows;
  bool areGrouped = areIntegers || (arePairs && machine.productPairs() > 1);
  return full(machine.tileRows(areGrouped ? machine.groupedPanelWidth
                                          : machine.panelWidth));
}

// Whether `op` has a matrix for each expert, in every part that it is made of.
static bool keepsExperts(GenericOp op) {
  for (unsigned input = 0; input < op.getInputs().size(); ++input) {
    Sizes at = simplifiedCoordinates(op, input);
    bool isExpert = !at.empty() && (asDimension(at[0]) == 0 ||
                                    op.getExtents()[0].asNumber() == 1);
    if (!isExpert || sizesOf(op.getInputs()[input])[0] != op.getExtents()[0] ||
        llvm::any_of(ArrayRef(at).drop_front(), [](SizeAttr coordinate) {
          return usesDimension(coordinate, 0);
        }))
      return false;
  }
  return true;
}

// The op, or the heddle.generic that was made of it, that matrices are decoded
// by; null of those that are read as they are stored.
static Operation *decodingOf(Value matrices) {
  Operation *op = matrices.getDefiningOp();
  if (auto generic = dyn_cast_or_null<GenericOp>(op))
    return decodesWeight(generic) && keepsExperts(generic) ? op : nullptr;
  bool widens =
      isa_and_nonnull<CastOp, arith::ExtFOp>(op) &&
      op->getOperand(0).getDefiningOp<WeightRefOp>() &&
      getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() <
          getElementTypeOrSelf(matrices).getIntOrFloatBitWidth();
  return widens ? op : nullptr;
}

// Whether `op` decodes rows, of parts that have the same ones.
static bool decodesRows(GenericOp op) {
  if (!decodes(op))
    return false;
  Sizes extents = op.getExtents();
  unsigned last = extents.size() - 1;
  auto isSame = [&](SizeAttr coordinate, unsigned dimension) {
    return asDimension(coordinate) == dimension ||
           (coordinate.asNumber() == 0 && extents[dimension].asNumber() == 1);
  };
  for (unsigned part = 0; part < op.getInputs().size(); ++part) {
    Sizes at = simplifiedCoordinates(op, part);
    if (at.size() != extents.size())
      return false;
    for (unsigned dimension = 0; dimension < last; ++dimension)
      if (!isSame(at[dimension], dimension) ||
          usesDimension(at.back(), dimension))
        return false;
  }
  return true;
}

bool heddle::areWorthGrouping(ExpertLinearOp op) {
  Value weight = op.getWeight();
  bool isOfWeights = weight.getDefiningOp<WeightRefOp>() || decodingOf(weight);
  auto type = llvm::cast<RankedTensorType>(weight.getType());
  auto pairs = llvm::cast<RankedTensorType>(op.getExperts().getType());
  bool isOne = pairs.hasStaticShape() && pairs.getNumElements() == 1;
  return isOfWeights && !type.getElementType().isF64() && !isOne &&
         accumulatorOf(op.getInput()).isF32() &&
         type.getDimSize(1) >= kFewestTileColumns;
}

namespace {

class GroupedProduct {
public:
  GroupedProduct(OpBuilder &b, ExpertLinearOp op)
      : b(b), op(op), loc(op.getLoc()), i32(b.getI32Type()),
        over(sizesOf(op.getExperts())), weight(sizesOf(op.getWeight())),
        pairs(product(b.getContext(), over)),
        tileRows(chooseTileRows(op, isStep())), rows(number(tileRows)) {
    // No more tiles have pairs than there are of these, and every expert has
    // rows to spare in one at most.
    tiles = min(pairs, floorDiv(pairs + weight[0] * (tileRows - 1), rows));
  }

  Value build() {
    findSlots();
    findOwners();
    return readResult(multiply(readInputs()));
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

  // The pair of each row of a tile.
  void findOwners() {
    GenericBuilder none(b, loc, {tiles * tileRows});
    none.result(i32);
    Value zeros = none.build([&](GenericBody &body) {
      return body.constant(b.getI32IntegerAttr(0));
    });
    Value numbers = IotaOp::create(b, loc, tensorOf({pairs}, i32), /*axis=*/0,
                                   toArray(b.getContext(), Sizes{pairs}));
    Value all = ScatterOp::create(
        b, loc, zeros.getType(), ScatterKind::Assign, zeros, slots, numbers,
        /*axis=*/0, /*coordinates=*/IntegerAttr(), /*wrap=*/false);
    owners = reshaped(all, {tiles, rows});
  }

  // x[owner[t, r], k]
  Value readRows(Value x) {
    Sizes inputs = sizesOf(x);
    SizeAttr depth = inputs.pop_back_val();
    GenericBuilder g(b, loc, {tiles, rows, depth});
    g.input(owners, g.dims(0, 2));
    g.table(x);
    g.result(getElementTypeOrSelf(x));
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

  // Inputs that are decoded are put side by side as they are.
  Value readInputs() {
    auto decoding = op.getInput().getDefiningOp<GenericOp>();
    if (!decoding || !decodesRows(decoding))
      return readRows(op.getInput());
    unsigned last = sizesOf(op.getInput()).size() - 1;
    GenericBuilder g(b, loc, {tiles, rows, weight[2]});
    for (auto [number, part] : llvm::enumerate(decoding.getInputs())) {
      SizeAttr at = simplifiedCoordinates(decoding, number).back();
      at = at.substitute([&](StringRef name) {
        return name == dimensionSymbol(b.getContext(), last).getName()
                   ? dimensionSymbol(b.getContext(), 2)
                   : SizeAttr();
      });
      g.input(readRows(part), {g.dim(0), g.dim(1), g.affine(at)});
    }
    g.result(getElementTypeOrSelf(op.getInput()));
    return g.build([&](GenericBody &body) {
      IRMapping parts;
      for (auto [number, part] : llvm::enumerate(decoding.getInputArguments()))
        parts.map(part, body.input(number).value());
      Block &inside = decoding.getBody().front();
      for (Operation &each : inside.without_terminator())
        body.builder().clone(each, parts);
      return Element(body.builder(),
                     parts.lookup(inside.getTerminator()->getOperand(0)));
    });
  }

  // y[t, ..] = all[chosen[t], ..]
  Value choose(Value all) {
    Sizes sizes = sizesOf(all);
    sizes[0] = tiles;
    GenericBuilder choice(b, loc, sizes);
    choice.input(chosen, {choice.dim(0)});
    choice.table(all);
    choice.result(getElementTypeOrSelf(all));
    Value part = choice.build([&](GenericBody &body) {
      SmallVector<Element> point = body.indices(sizes.size());
      point[0] = body.input(0);
      return body.read(0, point);
    });
    part.getDefiningOp()->setAttr(kChoiceAttr, b.getUnitAttr());
    return part;
  }

  // The matrix of each tile, which is decoded where it is read.
  Value chooseMatrices() {
    Operation *decoding = decodingOf(op.getWeight());
    if (!decoding)
      return choose(op.getWeight());
    IRMapping parts;
    for (Value part : decoding->getOperands())
      if (!parts.contains(part))
        parts.map(part, choose(part));
    Operation *decoded = b.clone(*decoding, parts);
    Value matrices = decoded->getResult(0);
    Sizes sizes{tiles, weight[1], weight[2]};
    matrices.setType(tensorOf(sizes, getElementTypeOrSelf(matrices)));
    if (auto generic = dyn_cast<GenericOp>(decoded))
      generic.setOverAttr(toArray(b.getContext(), sizes));
    return matrices;
  }

  // sum_k x[t, r, k] W[chosen[t], n, k]
  Value multiply(Value x) {
    GenericBuilder g(b, loc, {tiles, rows, weight[1]}, {weight[2]});
    g.input(x, {g.dim(0), g.dim(1), g.dim(3)});
    g.input(chooseMatrices(), {g.dim(0), g.dim(2), g.dim(3)});
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
  Value slots, chosen, owners;
};

} // namespace

Value heddle::buildGroupedProduct(OpBuilder &b, ExpertLinearOp op) {
  return GroupedProduct(b, op).build();
}

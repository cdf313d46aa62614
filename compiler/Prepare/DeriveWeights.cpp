// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %w = heddle.weight_ref @w; %t = heddle.transpose %w
//   -> heddle.weight @w.transpose { the same }; %t = heddle.weight_ref
//   @w.transpose

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Weights/WeightInterfaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

namespace heddle {
#define GEN_PASS_DEF_DERIVEWEIGHTS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

static int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

// Whether elements take more memory than those that they are made of.
static bool isWideningCast(Operation *op) {
  if (!isa<arith::ExtFOp, CastOp>(op))
    return false;
  auto bits = [](Value value) {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  };
  return bits(op->getResult(0)) > bits(op->getOperand(0));
}

// Whether an op gives elements that do not lie in memory as those of a weight.
static bool makesElements(Operation *op) {
  return !isa<arith::ConstantOp, WeightRefOp, ReshapeOp, ExpandOp, SqueezeOp>(
             op) &&
         !isWideningCast(op);
}

// A box of a weight is a reference to that part.
static void referToPart(SliceOp op) {
  auto whole = op.getInput().getDefiningOp<WeightRefOp>();
  auto isOne = [](int64_t step) { return step == 1; };
  if (!whole || whole.getLayout() || !op.getType().hasStaticShape() ||
      !llvm::all_of(op.getSteps(), isOne))
    return;
  SmallVector<int64_t> offsets;
  for (auto offset : op.getOffsets().getAsRange<SizeAttr>()) {
    std::optional<int64_t> number = offset.asNumber();
    if (!number)
      return;
    offsets.push_back(*number);
  }
  OpBuilder b(op);
  if (op.getType() != whole.getType())
    whole = WeightRefOp::createPart(b, op.getLoc(), whole, offsets,
                                    op.getType().getShape());
  op.replaceAllUsesWith(whole.getResult());
  op.erase();
}

namespace {
/// What a function computes of weights and of splat constants alone.
class Expressions {
public:
  explicit Expressions(const SymbolTable &symbols) : symbols(symbols) {}

  /// Looks at an op whose operands have been looked at.
  void add(Operation *op);

  /// Whether `value` is best stored: an expression of weights that is no larger
  /// than these. What only repeats elements, widens their type, or counts them
  /// by other dimensions is left to the kernels that read it.
  bool isWorthStoring(Value value) const;
  /// The same, and a user is not part of something else that is stored.
  bool isRoot(Value value) const {
    return isWorthStoring(value) &&
           !llvm::all_of(value.getUsers(),
                         [&](Operation *user) { return isPartOfStored(user); });
  }
  /// The ops that compute `value`, in their order.
  SmallVector<Operation *> opsOf(Value value) const;
  bool isExpression(Operation *op) const { return hasWeight.contains(op); }

private:
  bool isPartOfStored(Operation *op) const;

  bool decideWorth(Value value) const;
  bool decidePart(Operation *op) const;

  const SymbolTable &symbols;
  /// Expressions, and whether they have a weight.
  llvm::DenseMap<Operation *, bool> hasWeight;
  /// Answers that were given: one value may be asked for by many users.
  mutable llvm::DenseMap<Value, bool> worth;
  mutable llvm::DenseMap<Operation *, bool> parts;
};
} // namespace

void Expressions::add(Operation *op) {
  if (auto reference = dyn_cast<WeightRefOp>(op)) {
    auto weight = symbols.lookup<WeightOp>(reference.getWeight());
    if (!weight.isDerived() && !reference.getLayout())
      hasWeight[op] = true;
    return;
  }
  auto expression = dyn_cast<WeightExpressionOpInterface>(op);
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() &&
           isWeightElementType(tensor.getElementType());
  };
  auto isKnown = [&](Value operand) {
    return operand.getDefiningOp() && isExpression(operand.getDefiningOp());
  };
  if (!expression || !llvm::all_of(op->getResultTypes(), isStatic) ||
      !llvm::all_of(op->getOperands(), isKnown) || !expression.canReadBox())
    return;
  hasWeight[op] = llvm::any_of(op->getOperands(), [&](Value operand) {
    return hasWeight.at(operand.getDefiningOp());
  });
}

SmallVector<Operation *> Expressions::opsOf(Value value) const {
  llvm::SetVector<Operation *> ops;
  auto visit = [&](auto &visit, Operation *op) -> void {
    if (ops.contains(op))
      return;
    for (Value operand : op->getOperands())
      visit(visit, operand.getDefiningOp());
    ops.insert(op);
  };
  visit(visit, value.getDefiningOp());
  return ops.takeVector();
}

bool Expressions::isWorthStoring(Value value) const {
  auto known = worth.find(value);
  if (known != worth.end())
    return known->second;
  bool isWorth = decideWorth(value);
  return worth[value] = isWorth;
}

bool Expressions::decideWorth(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || !hasWeight.lookup(op) || isa<WeightRefOp>(op) ||
      isWideningCast(op))
    return false;
  SmallVector<Operation *> ops = opsOf(value);
  if (llvm::none_of(ops, makesElements))
    return false;
  // Decoded weights stay integers, unless they become other ones.
  if (llvm::any_of(ops, llvm::IsaPred<DequantizeOp>))
    return isa<QuantizeOp>(op) || isa<IntegerType>(getElementTypeOrSelf(value));
  if (llvm::any_of(ops, isOfWeightsAlone))
    return true;
  int64_t read = 0;
  for (Operation *part : ops)
    for (Value operand : part->getOperands())
      if (operand.getDefiningOp<WeightRefOp>())
        read += elementsOf(operand);
  return elementsOf(value) <= read;
}

bool Expressions::isPartOfStored(Operation *op) const {
  auto known = parts.find(op);
  if (known != parts.end())
    return known->second;
  bool isPart = decidePart(op);
  return parts[op] = isPart;
}

bool Expressions::decidePart(Operation *op) const {
  if (!isExpression(op))
    return false;
  return llvm::all_of(op->getResults(), [&](Value result) {
    return isWorthStoring(result) ||
           (!result.use_empty() &&
            llvm::all_of(result.getUsers(), [&](Operation *user) {
              return isPartOfStored(user);
            }));
  });
}

//===-- the pass ----------------------------------------------------------===//

namespace {
struct DeriveWeights : heddle::impl::DeriveWeightsBase<DeriveWeights> {
  void runOnOperation() override {
    SmallVector<SliceOp> slices;
    getOperation().walk([&](SliceOp op) { slices.push_back(op); });
    llvm::for_each(slices, referToPart);
    SymbolTable symbols(getOperation());
    Expressions expressions(symbols);
    SmallVector<Value> roots;
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isa<GenericOp>(op)) // a body of scalars
          return WalkResult::skip();
        expressions.add(op);
        ops.push_back(op);
        return WalkResult::advance();
      });
    for (Operation *op : ops)
      llvm::copy_if(op->getResults(), std::back_inserter(roots),
                    [&](Value value) { return expressions.isRoot(value); });
    // All of them before any is replaced, as one may be a part of another.
    SmallVector<WeightOp> weights;
    for (Value root : roots)
      weights.push_back(derive(root, expressions, symbols));
    for (auto [root, weight] : llvm::zip_equal(roots, weights)) {
      OpBuilder b(root.getDefiningOp());
      Value stored = WeightRefOp::create(b, root.getLoc(), root.getType(),
                                         weight.getSymName());
      root.replaceAllUsesWith(stored);
    }
    // Other ops without uses may still say what calls have to check.
    for (Operation *op : llvm::reverse(ops))
      if (expressions.isExpression(op) && isOpTriviallyDead(op))
        op->erase();
  }

private:
  /// A weight whose body computes `root`; one for all that are computed alike.
  WeightOp derive(Value root, const Expressions &expressions,
                  SymbolTable &symbols);

  llvm::StringMap<WeightOp> known; ///< by what textOf says of their bodies
};
} // namespace

// Equal for ops that compute the same.
static std::string textOf(ArrayRef<Operation *> ops, Value root) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DenseMap<Value, unsigned> numbers;
  for (Operation *op : ops) {
    stream << op->getName() << op->getAttrDictionary() << '(';
    for (Value operand : op->getOperands())
      stream << numbers.at(operand) << ' ';
    stream << ')';
    for (Value result : op->getResults()) {
      numbers.try_emplace(result, numbers.size());
      stream << result.getType();
    }
  }
  stream << numbers.at(root);
  return text;
}

WeightOp DeriveWeights::derive(Value root, const Expressions &expressions,
                               SymbolTable &symbols) {
  SmallVector<Operation *> ops = expressions.opsOf(root);
  WeightOp &weight = known[textOf(ops, root)];
  if (weight)
    return weight;
  const auto *first =
      llvm::find_if(ops, [](Operation *op) { return isa<WeightRefOp>(op); });
  std::string name = (cast<WeightRefOp>(*first).getWeight() + "." +
                      root.getDefiningOp()->getName().stripDialect())
                         .str();
  OpBuilder b(getOperation().getContext());
  b.setInsertionPointAfter(
      symbols.lookup(cast<WeightRefOp>(*first).getWeight()));
  weight = WeightOp::create(b, root.getLoc(), b.getStringAttr(name),
                            TypeAttr::get(root.getType()), StringAttr(),
                            ElementsAttr());
  b.createBlock(&weight.getBody());
  IRMapping copies;
  for (Operation *op : ops)
    b.clone(*op, copies);
  YieldOp::create(b, root.getLoc(), copies.lookup(root));
  symbols.insert(weight);
  return weight;
}

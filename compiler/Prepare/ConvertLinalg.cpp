// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linalg.generic, and the named ops, which have the same regions inside, become
// heddle.generic: without destinations, and with the dimensions of their result
// in order.

#include "compiler/Prepare/BodyConversion.h"
#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Conversion of one op.
class LinalgConversion {
public:
  LinalgConversion(linalg::LinalgOp op, OpBuilder &b)
      : op(op), b(b), maps(op.getIndexingMapsArray()) {}

  LogicalResult run(SmallVectorImpl<Value> &results) {
    if (!op.hasPureTensorSemantics())
      return op->emitOpError("expected tensors, found buffers");
    if (failed(findExtents()))
      return failure();
    for (unsigned index = 0; index < op->getNumResults(); ++index) {
      FailureOr<Value> value = convertResult(index);
      if (failed(value))
        return failure();
      results.push_back(*value);
    }
    return success();
  }

private:
  // The size of each loop, from the operands that it indexes.
  LogicalResult findExtents() {
    extents.assign(op.getNumLoops(), SizeAttr());
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.isScalar(&operand))
        continue;
      Sizes sizes = sizesOf(operand.get());
      AffineMap map = maps[operand.getOperandNumber()];
      for (auto [expression, size] : llvm::zip_equal(map.getResults(), sizes))
        if (auto loop = dyn_cast<AffineDimExpr>(expression))
          if (failed(meet(operand, loop.getPosition(), size)))
            return failure();
    }
    for (auto [loop, extent] : llvm::enumerate(extents))
      if (!extent)
        return op->emitOpError("expected loop ")
               << loop << " to be a dimension of an operand";
    return success();
  }

  LogicalResult meet(OpOperand &operand, unsigned loop, SizeAttr size) {
    SizeAttr &extent = extents[loop];
    if (!extent)
      extent = size;
    if (extent == size)
      return success();
    return op->emitOpError("expected operand ")
           << operand.getOperandNumber() << " to have the size " << extent.str()
           << " that other operands have along loop " << loop << ", found "
           << size.str();
  }

  // One heddle.generic a result: their dimensions may have other orders.
  FailureOr<Value> convertResult(unsigned index) {
    OpOperand *init = op.getDpsInitOperand(index);
    AffineMap map = op.getMatchingIndexingMap(init);
    if (failed(orderLoops(map)))
      return failure();
    if (hasReduction() && failed(findInitial()))
      return failure();
    FailureOr<Value> value = build(index);
    if (failed(value) || !hasReduction() || numberOf(init->get()))
      return value;
    auto reduction = value->getDefiningOp<GenericOp>();
    if (!reduction.getCombiner(index))
      return refuseInitial(index);
    return combine(init->get(), reduction, index);
  }

  LogicalResult refuseInitial(unsigned index) {
    return op->emitOpError("expected result ")
           << index
           << " to begin with a constant, as linalg.fill gives it, or to be a "
              "sum, product, minimum, maximum, and, or or xor";
  }

  // The parallel loops in the order of the result, then the others.
  LogicalResult orderLoops(AffineMap map) {
    place.assign(op.getNumLoops(), ~0u);
    over.clear();
    reduce.clear();
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    for (AffineExpr expression : map.getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      if (!loop || kinds[loop.getPosition()] != utils::IteratorType::parallel ||
          place[loop.getPosition()] != ~0u)
        return op->emitOpError("expected results indexed by parallel loops, "
                               "each once, found ")
               << AffineMapAttr::get(map);
      place[loop.getPosition()] = over.size();
      over.push_back(extents[loop.getPosition()]);
    }
    for (auto [loop, kind] : llvm::enumerate(kinds)) {
      if (place[loop] != ~0u)
        continue;
      if (kind != utils::IteratorType::reduction)
        return op->emitOpError("expected loop ")
               << loop << " to be a dimension of every result";
      place[loop] = over.size() + reduce.size();
      reduce.push_back(extents[loop]);
    }
    return success();
  }

  bool hasReduction() const { return !reduce.empty(); }

  // The number that all elements of `value` are, or null.
  static TypedAttr numberOf(Value value) {
    TypedAttr number;
    if (auto fill = value.getDefiningOp<linalg::FillOp>())
      value = fill.getInputs()[0];
    if (auto elements = DenseElementsAttr();
        matchPattern(value, m_Constant(&elements)))
      return elements.isSplat() ? elements.getSplatValue<TypedAttr>()
                                : TypedAttr();
    if (matchPattern(value, m_Constant(&number)))
      return isa<ElementsAttr>(number) ? TypedAttr() : number;
    // A fill that has been converted.
    if (auto generic = value.getDefiningOp<GenericOp>())
      if (auto result = dyn_cast<OpResult>(value)) {
        Value yielded = generic.getBody().front().getTerminator()->getOperand(
            result.getResultNumber());
        if (!generic.hasReduction() &&
            matchPattern(yielded, m_Constant(&number)))
          return number;
      }
    return {};
  }

  LogicalResult expectElements(Value value) {
    if (!value.getDefiningOp<tensor::EmptyOp>())
      return success();
    return op->emitOpError("reads tensor.empty, whose elements are nothing");
  }

  // What the reduction begins with: where that is no number, with what changes
  // nothing, and the value is combined with its result.
  LogicalResult findInitial() {
    initial.clear();
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (failed(expectElements(init.get())))
        return failure();
      std::optional<TypedAttr> number = numberOf(init.get());
      if (!*number)
        number = neutralElement(init);
      if (!number)
        return refuseInitial(initial.size());
      initial.push_back(scalarOf(*number));
    }
    return success();
  }

  // That of the one op that a result is made with, if it is one of `arith`.
  std::optional<TypedAttr> neutralElement(OpOperand &init) {
    BlockArgument soFar = op.getMatchingBlockArgument(&init);
    Operation *last = op.getMatchingYieldValue(&init)->get().getDefiningOp();
    if (!last || !last->hasOneUse() || !soFar.hasOneUse() ||
        *soFar.user_begin() != last)
      return std::nullopt;
    return arith::getNeutralElement(last);
  }

  // What a reduction has begun with before its first step.
  Value combine(Value begin, GenericOp reduction, unsigned index) {
    Location loc = op->getLoc();
    GenericOp::Combiner combiner = *reduction.getCombiner(index);
    Value ends[] = {begin, reduction.getResult(index)};
    SmallVector<AffineMap> same(2, b.getMultiDimIdentityMap(over.size()));
    auto generic = GenericOp::create(
        b, loc, TypeRange(ends[1].getType()), ends, ValueRange(),
        toArray(b.getContext(), over), b.getArrayAttr({}),
        b.getAffineMapArrayAttr(same), b.getArrayAttr({}), b.getArrayAttr({}));
    OpBuilder::InsertionGuard guard(b);
    Block *inside = b.createBlock(&generic.getBody());
    IRMapping mapping;
    Type type = getElementTypeOrSelf(begin);
    mapping.map(reduction.getAccumulators()[index],
                inside->addArgument(type, loc));
    mapping.map(combiner.term, inside->addArgument(type, loc));
    YieldOp::create(b, loc, b.clone(*combiner.op, mapping)->getResults());
    return generic.getResult(0);
  }

  AffineMap newMap(AffineMap map) {
    SmallVector<AffineExpr> dims;
    for (unsigned position : place)
      dims.push_back(b.getAffineDimExpr(position));
    return map.replaceDimsAndSymbols(dims, {}, place.size(), 0);
  }

  FailureOr<Value> build(unsigned index) {
    Location loc = op->getLoc();
    SmallVector<OpOperand *> inputs;
    SmallVector<Value> values;
    SmallVector<AffineMap> inputMaps;
    auto add = [&](OpOperand &operand) {
      inputs.push_back(&operand);
      values.push_back(operand.get());
      inputMaps.push_back(newMap(maps[operand.getOperandNumber()]));
    };
    Block *body = op.getBlock();
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.isScalar(&operand) || (op.isDpsInit(&operand) && hasReduction()))
        continue;
      // Others say how many steps loops take: the windows of pooling.
      if (op.payloadUsesValueFromOperand(&operand))
        add(operand);
    }
    SmallVector<Value> numbers;
    for (OpOperand &operand : op->getOpOperands())
      if (op.isScalar(&operand))
        numbers.push_back(operand.get());
    SmallVector<Value> tables = tablesOf(*body, b, numbers).takeVector();
    for (Value value : llvm::concat<Value>(values, tables))
      if (failed(expectElements(value)))
        return failure();
    // With several accumulators each result is computed with all of them.
    SmallVector<Type> types;
    unsigned first = hasReduction() ? 0 : index;
    unsigned count = hasReduction() ? op->getNumResults() : 1;
    for (unsigned result = first; result < first + count; ++result)
      types.push_back(tensorOf(
          over, getElementTypeOrSelf(op->getResult(result).getType())));
    auto generic = GenericOp::create(
        b, loc, types, values, tables, toArray(b.getContext(), over),
        toArray(b.getContext(), reduce), b.getAffineMapArrayAttr(inputMaps),
        b.getArrayAttr({}),
        b.getArrayAttr(hasReduction() ? initial : SmallVector<Attribute>()));
    OpBuilder::InsertionGuard guard(b);
    Block *inside = b.createBlock(&generic.getBody());
    BodyConversion conversion(op, generic, tables, b);
    for (OpOperand *input : inputs)
      conversion.map(
          op.getMatchingBlockArgument(input),
          inside->addArgument(scalarTypeOf(getElementTypeOrSelf(input->get())),
                              loc));
    for (Value table : tables)
      inside->addArgument(table.getType(), loc);
    if (hasReduction())
      for (OpOperand &init : op.getDpsInitsMutable())
        conversion.map(
            op.getMatchingBlockArgument(&init),
            inside->addArgument(scalarTypeOf(getElementTypeOrSelf(init.get())),
                                loc));
    for (OpOperand &operand : op->getOpOperands()) {
      if (!op.isScalar(&operand))
        continue;
      FailureOr<Value> number = conversion.bring(operand.get());
      if (failed(number))
        return failure();
      conversion.map(op.getMatchingBlockArgument(&operand), *number);
    }
    if (failed(conversion.convert(*body, place)))
      return failure();
    FailureOr<SmallVector<Value>> yielded = conversion.yielded(*body);
    if (failed(yielded))
      return failure();
    YieldOp::create(b, loc, ValueRange(*yielded).slice(first, count));
    return generic.getResult(hasReduction() ? index : 0);
  }

  linalg::LinalgOp op;
  OpBuilder &b;
  SmallVector<AffineMap> maps;
  Sizes extents, over, reduce;
  SmallVector<unsigned> place; ///< of each loop among the new dimensions
  SmallVector<Attribute> initial;
};

template <typename Op>
struct StructuredConversion
    : ConvertOpInterface::ExternalModel<StructuredConversion<Op>, Op> {
  LogicalResult convert(Operation *op, OpBuilder &b,
                        SmallVectorImpl<Value> &results) const {
    return LinalgConversion(cast<linalg::LinalgOp>(op), b).run(results);
  }
};

struct SoftmaxConversion
    : ConvertOpInterface::ExternalModel<SoftmaxConversion, linalg::SoftmaxOp> {
  LogicalResult convert(Operation *op, OpBuilder &b,
                        SmallVectorImpl<Value> &results) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    Value input = softmax.getInput();
    results.push_back(heddle::SoftmaxOp::create(
        b, op->getLoc(), input.getType(), input, softmax.getDimension()));
    return success();
  }
};

} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<StructuredConversion<Ops>>(*context), ...);
}

void heddle::registerLinalgConversions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attach<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
    linalg::SoftmaxOp::attachInterface<SoftmaxConversion>(*context);
  });
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a heddle.generic whose body reads like a formula:
//
//   GenericBuilder g(b, loc, /*over=*/{n}, /*reduce=*/{m});
//   g.input(x, {g.dim(0), g.dim(1)});
//   g.result(f32, 0.0);
//   Value sums = g.build([](GenericBody &body) {
//     return body.accumulator(0) + body.input(0);
//   });

#ifndef HEDDLE_COMPILER_PREPARE_GENERICBUILDER_H
#define HEDDLE_COMPILER_PREPARE_GENERICBUILDER_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// A scalar of a body, float or integer. Unsigned integers are signless ones
/// that are known to be unsigned, as is what is made of them.
class Element {
public:
  Element(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : b(&builder), v(value) {}
  /// A scalar that is an element of type `element`.
  Element(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
          mlir::Type element)
      : b(&builder), v(value), unsignedInteger(element.isUnsignedInteger()) {}
  /// A scalar that is signed or not as `like` is.
  Element(mlir::Value value, const Element &like)
      : b(like.b), v(value), unsignedInteger(like.unsignedInteger) {}

  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  mlir::Value value() const { return v; }
  mlir::Type type() const { return v.getType(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type()); }
  bool isUnsigned() const { return unsignedInteger; }

  /// A constant of the same type.
  Element constant(double number) const;

private:
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;
  bool unsignedInteger = false;
};

Element operator+(Element x, Element y);
Element operator-(Element x, Element y);
Element operator*(Element x, Element y);
Element operator/(Element x, Element y);
/// With the sign of `x`.
Element remainder(Element x, Element y);
/// Comparisons are false where one side is NaN.
Element operator<(Element x, Element y);
Element operator>(Element x, Element y);
Element operator<=(Element x, Element y);
Element operator>=(Element x, Element y);
Element operator==(Element x, Element y);
/// Of truth values.
Element operator&(Element x, Element y);
Element operator|(Element x, Element y);
Element operator!(Element x);
/// NaN where one of both is.
Element maximum(Element x, Element y);
Element minimum(Element x, Element y);
Element select(Element condition, Element x, Element y);
Element isNaN(Element x);
/// `x` with the element type `type`, as heddle.cast says.
Element cast(Element x, mlir::Type type);
/// The bits of `x`, a float or an integer of as many bits as `type`.
Element bitcast(Element x, mlir::Type type);
/// `x`, which lies in the range of the integers of `type`, rounded towards 0.
Element toInteger(Element x, mlir::Type type);
/// An index as i32; one that i32 does not have is as far outside of any
/// dimension.
Element asCoordinate(Element index);
/// `Op(x)`, of the same type.
template <typename Op> Element apply(Element x) {
  return {Op::create(x.builder(), x.value())->getResult(0), x};
}

/// What bodies are made of.
class GenericBody {
public:
  GenericBody(mlir::ImplicitLocOpBuilder &builder, GenericOp op)
      : b(builder), op(op) {}

  mlir::ImplicitLocOpBuilder &builder() { return b; }
  Element input(unsigned index) {
    return {b, op.getInputArguments()[index],
            mlir::getElementTypeOrSelf(op.getInputs()[index])};
  }
  Element accumulator(unsigned index) {
    return {b, op.getAccumulators()[index],
            mlir::getElementTypeOrSelf(op.getResultTypes()[index])};
  }
  /// The coordinate of a dimension, i32.
  Element index(unsigned dimension);
  /// Those of the first `count` dimensions.
  llvm::SmallVector<Element> indices(unsigned count);
  /// A coordinate (Coordinates.h), i32.
  Element coordinate(SizeAttr coordinate);
  /// The value of a size, i32.
  Element size(SizeAttr size);
  /// The same as a float, of any number of bits where it is known.
  Element size(SizeAttr size, mlir::Type type);
  /// An element of a table at i32 coordinates; outside of it the nearest, or
  /// `fill`.
  Element read(unsigned table, llvm::ArrayRef<Element> coordinates,
               std::optional<Element> fill = std::nullopt);
  Element constant(mlir::TypedAttr value);

private:
  mlir::ImplicitLocOpBuilder &b;
  GenericOp op;
};

class GenericBuilder {
public:
  GenericBuilder(mlir::OpBuilder &builder, mlir::Location loc, Sizes over,
                 Sizes reduce = {})
      : b(builder), loc(loc), over(std::move(over)), reduce(std::move(reduce)) {
  }

  /// Dimension `index` of `over`, then of `reduce`, in maps.
  mlir::AffineExpr dim(unsigned index) { return b.getAffineDimExpr(index); }
  /// All dimensions from `first` on, `count` of them.
  llvm::SmallVector<mlir::AffineExpr> dims(unsigned first, unsigned count);
  /// A size in maps.
  mlir::AffineExpr size(SizeAttr size);

  /// A coordinate (Coordinates.h) in maps; null where it is not affine.
  mlir::AffineExpr affine(SizeAttr coordinate);

  /// Coordinate `at` of a dimension of size `target` in one of `size`, which is
  /// broadcast to it: where both are known by name alone it is times 0 or 1, as
  /// memory has strides.
  mlir::AffineExpr repeat(mlir::AffineExpr at, SizeAttr size, SizeAttr target);
  /// Where `value` is read, if it is broadcast to `over`.
  llvm::SmallVector<mlir::AffineExpr> broadcast(mlir::Value value);

  /// Adds an input that is read at these coordinates.
  void input(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> coordinates);
  /// Adds one that is broadcast to `over`.
  void input(mlir::Value value) { input(value, broadcast(value)); }
  void table(mlir::Value value) { tables.push_back(value); }
  /// Adds a result, which begins as `initial` where there is a reduction.
  void result(mlir::Type elementType) { results.push_back(elementType); }
  void result(mlir::Type elementType, mlir::TypedAttr initial);
  void result(mlir::Type elementType, double initial);

  mlir::Value build(llvm::function_ref<Element(GenericBody &)> body);
  llvm::SmallVector<mlir::Value>
  buildAll(llvm::function_ref<llvm::SmallVector<Element>(GenericBody &)> body);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  Sizes over, reduce;
  llvm::SmallVector<mlir::Value> inputs, tables;
  llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>> coordinates;
  llvm::SmallVector<mlir::Attribute> symbols, initial;
  llvm::SmallVector<mlir::Type> results;
};

/// f(inputs...), elementwise, each broadcast to `over`.
mlir::Value buildElementwise(mlir::OpBuilder &b, mlir::Location loc,
                             const Sizes &over, mlir::ValueRange inputs,
                             mlir::Type type,
                             llvm::function_ref<Element(GenericBody &)> body);
/// `value` without `axes`, which have the size 1; or as it is, to `keep` them.
mlir::Value dropAxes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                     llvm::ArrayRef<int64_t> axes, bool keep);

/// `number` as a scalar of what has elements of `type`.
mlir::TypedAttr numberOf(mlir::Type type, double number);
/// What sums and products of `type` are computed in: f32 for shorter floats.
mlir::Type accumulatorOf(mlir::Type type);
/// The same for the elements of `value`.
mlir::Type accumulatorOf(mlir::Value value);
/// The lowest value of a type, which a maximum begins with: -inf of floats.
mlir::TypedAttr lowestOf(mlir::Type type);
mlir::TypedAttr highestOf(mlir::Type type);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_GENERICBUILDER_H

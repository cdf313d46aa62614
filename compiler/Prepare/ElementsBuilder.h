// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the heddle.generic that an op of `tensor` becomes which reads or
// writes at numbers:
//
//   ElementsBuilder g(op, sizes, b);
//   g.table(x);
//   g.numbers(index);
//   FailureOr<Value> y = g.build(type, [&](ElementsBuilder &body) {
//     ... body.read(x, {*body.coordinate(index)}) ...
//   });

#ifndef HEDDLE_COMPILER_PREPARE_ELEMENTSBUILDER_H
#define HEDDLE_COMPILER_PREPARE_ELEMENTSBUILDER_H

#include "compiler/Prepare/BodyConversion.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/ScalarSizes.h"

namespace heddle {

/// Builds the heddle.generic that `op` becomes: a tensor of `sizes`, made of
/// tensors of the same sizes, of tables and of numbers from outside.
class ElementsBuilder {
public:
  ElementsBuilder(mlir::Operation *op, Sizes sizes, mlir::OpBuilder &b)
      : op(op), sizes(std::move(sizes)), b(b) {}

  void input(mlir::Value value) { inputs.push_back(value); }
  void table(mlir::Value value) { tables.insert(value); }
  /// What `numbers` are made of.
  void numbers(mlir::ValueRange list) {
    tables.insert_range(tablesOf(list, b));
  }
  void numbers(mlir::Block &body) { tables.insert_range(tablesOf(body, b)); }

  mlir::FailureOr<mlir::Value> build(
      mlir::Type elementType,
      llvm::function_ref<mlir::FailureOr<mlir::Value>(ElementsBuilder &)> fill);

  //===-- For `fill` ------------------------------------------------------===//

  BodyConversion &conversion() { return *numbersInside; }
  Element asElement(mlir::Value value) { return {*inside, value}; }
  Element input(unsigned index) {
    return asElement(generic.getInputArguments()[index]);
  }
  Element index(unsigned dimension) {
    return GenericBody(*inside, generic).index(dimension);
  }
  llvm::SmallVector<Element> indices(unsigned count) {
    return GenericBody(*inside, generic).indices(count);
  }
  Element size(SizeAttr size) {
    return GenericBody(*inside, generic).size(size);
  }
  /// A number from outside.
  mlir::FailureOr<Element> number(mlir::Value value) {
    mlir::FailureOr<mlir::Value> made = numbersInside->bring(value);
    if (mlir::failed(made))
      return mlir::failure();
    return asElement(*made);
  }
  /// The same, or a size, as an i32.
  mlir::FailureOr<Element> coordinate(mlir::OpFoldResult scalar) {
    if (SizeAttr known = sizeOfScalar(scalar, op->getContext()))
      return size(known);
    mlir::FailureOr<Element> made = number(llvm::cast<mlir::Value>(scalar));
    if (mlir::failed(made))
      return mlir::failure();
    return asCoordinate(*made);
  }
  Element read(mlir::Value table, mlir::ArrayRef<Element> coordinates,
               std::optional<Element> fill = std::nullopt) {
    unsigned place = llvm::find(tables, table) - tables.begin();
    return GenericBody(*inside, generic).read(place, coordinates, fill);
  }

private:
  mlir::Operation *op;
  Sizes sizes;
  mlir::OpBuilder &b;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SetVector<mlir::Value> tables;
  GenericOp generic;
  std::optional<BodyConversion> numbersInside;
  std::optional<mlir::ImplicitLocOpBuilder> inside;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_ELEMENTSBUILDER_H

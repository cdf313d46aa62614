// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/LeastSizes.h"

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/SizeRange.h"
#include "dialect/Heddle/Verification.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace heddle;

static ArrayAttr symbolsOf(func::FuncOp function) {
  return function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
}

static SizeRange rangeIn(func::FuncOp function, SizeAttr size) {
  return rangeOf(size, [&](StringRef name) {
    for (auto symbol : symbolsOf(function).getAsRange<SymbolAttr>())
      if (symbol.getName() == name)
        return SizeRange{symbol.getMinimum(), symbol.getMaximum()};
    return SizeRange{0, INT64_MAX};
  });
}

// Whether each argument whose rule is about size `name` has a value that it
// allows.
static bool haveValues(func::FuncOp function, StringRef name) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto values = function.getArgAttrOfType<ValuesAttr>(index, kValuesAttr);
    if (!values)
      continue;
    bool isOfSize = false;
    values.getMaximum().walkSymbols(
        [&](StringRef other) { isOfSize |= other == name; });
    if (isOfSize &&
        rangeIn(function, values.getMaximum()).least < values.getMinimum())
      return false;
  }
  return true;
}

// Whether no size of a type is negative or divided by 0, as far as calls do not
// check that (heddle.counts).
static bool areSizes(func::FuncOp function, Operation *op, TypeRange types) {
  bool holds = true;
  AttrTypeWalker divisors;
  divisors.addWalk([&](SizeAttr size) {
    if (llvm::is_contained(
            {SizeKind::FloorDiv, SizeKind::CeilDiv, SizeKind::Mod},
            size.getKind()))
      holds &=
          rangeIn(function, cast<SizeAttr>(size.getOperands()[1])).least >= 1;
  });
  for (Type type : types) {
    divisors.walk(type);
    if (isa<SplitOp, ReshapeOp>(op))
      continue;
    for (SizeAttr size : sizesOf(type))
      holds &= !size || isNeverNegativeIn(op, size);
  }
  return holds;
}

// Whether sizes are all right where symbols are what is declared.
static bool haveSizes(func::FuncOp function) {
  ScopedDiagnosticHandler silent(function.getContext(),
                                 [](Diagnostic &) { return success(); });
  WalkResult result = function.walk([&](Operation *op) {
    TypeRange types = op == function ? TypeRange(function.getArgumentTypes())
                                     : TypeRange(op->getResultTypes());
    auto known = dyn_cast<SizesOpInterface>(op);
    SmallVector<Sizes> sizes;
    bool holds = areSizes(function, op, types) &&
                 (!known || succeeded(known.inferSizes(sizes)));
    return holds ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

// Loops until a computed number is small, say, may find none.
static bool hasComputedEnd(func::FuncOp function) {
  return function.walk([](scf::WhileOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void heddle::declareLeastSizes(func::FuncOp function,
                               llvm::function_ref<bool(StringRef)> isDeclared) {
  if (hasComputedEnd(function))
    return;
  SmallVector<Attribute> symbols(symbolsOf(function).getValue());
  auto declare = [&] {
    function->setAttr(kSymbolsAttr,
                      ArrayAttr::get(function.getContext(), symbols));
  };
  for (Attribute &attribute : symbols) {
    auto symbol = cast<SymbolAttr>(attribute);
    if (isDeclared(symbol.getName()))
      continue;
    attribute = SymbolAttr::get(function.getContext(), symbol.getName(), 0,
                                symbol.getMaximum(), symbol.getRole());
    declare();
    if (haveValues(function, symbol.getName()) && haveSizes(function))
      continue;
    attribute = symbol;
    declare();
  }
}

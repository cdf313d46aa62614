// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// A number whose type is known: `4.0` rather than `4.0 : f64`.
static ParseResult parseUntyped(AsmParser &parser, FloatAttr &number) {
  return parser.parseAttribute(number, parser.getBuilder().getF64Type());
}

static ParseResult parseUntyped(AsmParser &parser, IntegerAttr &number) {
  return parser.parseAttribute(number, parser.getBuilder().getI64Type());
}

static void printUntyped(AsmPrinter &printer, TypedAttr number) {
  printer.printAttributeWithoutType(number);
}

// `[1.0, 2.5]` rather than `array<f64: 1.0, 2.5>`.
static ParseResult parseNumbers(AsmParser &parser, DenseF64ArrayAttr &numbers) {
  auto list = dyn_cast_or_null<DenseF64ArrayAttr>(
      DenseF64ArrayAttr::parse(parser, Type()));
  numbers = list;
  return success(bool(list));
}

static void printNumbers(AsmPrinter &printer, DenseF64ArrayAttr numbers) {
  numbers.print(printer);
}

static ParseResult parseTruth(AsmParser &parser, BoolAttr &truth) {
  return parser.parseAttribute(truth);
}

static void printTruth(AsmPrinter &printer, BoolAttr truth) {
  printer.printAttribute(truth);
}

// `pairs`, which stands where there are such.
static ParseResult parsePairs(AsmParser &parser, bool &pairs) {
  pairs = true;
  return parser.parseKeyword("pairs");
}

static void printPairs(AsmPrinter &printer, bool) { printer << "pairs"; }

#include "dialect/Heddle/HeddleDialect.cpp.inc"
#include "dialect/Heddle/HeddleEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Heddle/HeddleAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Heddle/HeddleTypes.cpp.inc"

namespace {
/// Calls of functions become what the functions do.
struct HeddleInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void HeddleDialect::initialize() {
  addInterfaces<HeddleInliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Heddle/HeddleAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Heddle/HeddleTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Heddle/HeddleOps.cpp.inc"
      >();
}

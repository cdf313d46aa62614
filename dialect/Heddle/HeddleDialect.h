// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heddle dialect: what a transformer computes. Its ops are documented in
// the .td files beside this header.

#ifndef HEDDLE_DIALECT_HEDDLEDIALECT_H
#define HEDDLE_DIALECT_HEDDLEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/Heddle/CachePart.h"
#include "dialect/Heddle/Configuration.h"
#include "dialect/Heddle/ElementTypes.h"
#include "dialect/Heddle/FusionRole.h"
#include "dialect/Heddle/HeadLayout.h"
#include "dialect/Heddle/Precision.h"
#include "dialect/Heddle/Roles.h"
#include "dialect/Heddle/ScoreSpace.h"
#include "dialect/Heddle/Sizes.h"
#include "dialect/Heddle/SumOfProducts.h"
#include "dialect/Heddle/Windows.h"

#include "dialect/Heddle/HeddleDialect.h.inc"
#include "dialect/Heddle/HeddleEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Heddle/HeddleAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Heddle/HeddleInterfaces.h.inc"
#include "dialect/Heddle/HeddleTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/Heddle/HeddleOps.h.inc"

namespace heddle {

/// The type that a kernel sees of an operand or result of a launch: of a cache,
/// one layer.
mlir::Type typeInKernel(mlir::Type type);

/// The attribute of a kernel's argument that is a weight: its layout.
inline constexpr llvm::StringLiteral kLayoutAttr = "heddle.layout";
/// The layout of a weight, in a function or in a kernel; null where it is
/// dense.
LayoutAttr layoutOf(mlir::Value value);

/// custom<Size>($attribute) in an assembly format: the expression in quotes, or
/// a number.
mlir::ParseResult parseSize(mlir::AsmParser &parser, SizeAttr &size);
void printSize(mlir::OpAsmPrinter &printer, mlir::Operation *, SizeAttr size);
/// custom<SizeList>($attribute): `["batch", 64]`.
mlir::ParseResult parseSizeList(mlir::OpAsmParser &parser,
                                mlir::ArrayAttr &sizes);
void printSizeList(mlir::OpAsmPrinter &printer, mlir::Operation *,
                   mlir::ArrayAttr sizes);

/// custom<ScoreDims>($attribute): `batch, key`.
mlir::ParseResult parseScoreDims(mlir::OpAsmParser &parser,
                                 mlir::ArrayAttr &dims);
void printScoreDims(mlir::OpAsmPrinter &printer, mlir::Operation *,
                    mlir::ArrayAttr dims);

/// custom<OperandsAndRegion>($operands, type($operands), $region): `(%a : type)
/// {...}`, or without operands `{...}`.
mlir::ParseResult parseOperandsAndRegion(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
    llvm::SmallVectorImpl<mlir::Type> &types, mlir::Region &region);
void printOperandsAndRegion(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::OperandRange operands, mlir::TypeRange types,
                            mlir::Region &region);

/// `NAME(%a, %b : type, type)` in a custom syntax, which may be left out.
struct OperandList {
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;

  mlir::ParseResult parse(mlir::OpAsmParser &parser, llvm::StringRef name);
  mlir::ParseResult resolve(mlir::OpAsmParser &parser,
                            mlir::OperationState &result);
  static void print(mlir::OpAsmPrinter &printer, llvm::StringRef name,
                    mlir::OperandRange operands);
};

/// custom<OperandTypes>(type($operands)): `type, type`, which may stand in
/// parentheses, as in the types of functions.
mlir::ParseResult parseOperandTypes(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::Type> &types);
void printOperandTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       mlir::TypeRange types);

/// custom<OperandTypes>(type($a), type($b), ...): the same of so many operands.
mlir::ParseResult
parseOperandTypes(mlir::OpAsmParser &parser,
                  llvm::ArrayRef<std::reference_wrapper<mlir::Type>> types);
template <typename... Types>
mlir::ParseResult parseOperandTypes(mlir::OpAsmParser &parser,
                                    mlir::Type &first, Types &...others) {
  return parseOperandTypes(parser, {std::ref(first), std::ref(others)...});
}
template <typename... Types>
void printOperandTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::Type first, Types... others) {
  printOperandTypes(printer, op, mlir::TypeRange({first, others...}));
}

/// custom<Types>($attribute): the types in parentheses.
mlir::ParseResult parseTypes(mlir::OpAsmParser &parser, mlir::ArrayAttr &types);
void printTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                mlir::ArrayAttr types);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLEDIALECT_H

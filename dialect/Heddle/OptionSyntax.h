// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: the text of options, for parsers written by hand.

#ifndef HEDDLE_DIALECT_HEDDLE_OPTIONSYNTAX_H
#define HEDDLE_DIALECT_HEDDLE_OPTIONSYNTAX_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

namespace heddle {

/// Reports an option that stands after those that follow it in `order`, or once
/// more.
inline mlir::ParseResult parseNoOption(mlir::OpAsmParser &parser,
                                       llvm::ArrayRef<llvm::StringRef> order) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef word;
  if (mlir::failed(parser.parseOptionalKeyword(&word, order)))
    return mlir::success();
  return parser.emitError(loc, "expected options in this order: ")
         << llvm::join(order, ", ") << "; found '" << word
         << "' again or too late";
}

/// The type of what is appended, and those of the numbers that there are.
inline mlir::ParseResult parseAppendedTypes(
    mlir::OpAsmParser &parser,
    const std::optional<mlir::OpAsmParser::UnresolvedOperand> &starts,
    const std::optional<mlir::OpAsmParser::UnresolvedOperand> &lengths,
    mlir::Type &valueType, mlir::Type &startsType, mlir::Type &lengthsType) {
  if (parser.parseType(valueType) ||
      (starts && (parser.parseComma() || parser.parseType(startsType))))
    return mlir::failure();
  return mlir::failure(lengths &&
                       (parser.parseComma() || parser.parseType(lengthsType)));
}

inline void printAppendedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                               mlir::Value starts, mlir::Value lengths,
                               mlir::Type valueType, mlir::Type startsType,
                               mlir::Type lengthsType) {
  printer << valueType;
  if (starts)
    printer << ", " << startsType;
  if (lengths)
    printer << ", " << lengthsType;
}

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_OPTIONSYNTAX_H

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

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_OPTIONSYNTAX_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// custom<Keyword>($attribute) in an assembly format: an enumerated attribute as
// its word alone, `tail(round_up)`. Arrays of them are printed by directives of
// their own, which the two functions at the end do the work of.

#ifndef HEDDLE_DIALECT_KEYWORD_H
#define HEDDLE_DIALECT_KEYWORD_H

#include "mlir/IR/OpImplementation.h"

namespace heddle {

template <typename EnumAttr>
mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser, EnumAttr &attribute) {
  using Enum = decltype(attribute.getValue());
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return mlir::failure();
  // Enumerators count from 0; one after the last has no name.
  std::string known;
  for (unsigned value = 0; !stringifyEnum(Enum(value)).empty(); ++value) {
    llvm::StringRef name = stringifyEnum(Enum(value));
    if (name == keyword) {
      attribute = EnumAttr::get(parser.getContext(), Enum(value));
      return mlir::success();
    }
    known += (value ? ", " : "") + name.str();
  }
  return parser.emitError(loc, "expected one of ")
         << known << ", found '" << keyword << "'";
}

template <typename EnumAttr>
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *,
                  EnumAttr attribute) {
  printer << stringifyEnum(attribute.getValue());
}

/// `batch, key`.
template <typename EnumAttr>
mlir::ParseResult parseKeywordList(mlir::OpAsmParser &parser,
                                   mlir::ArrayAttr &attributes) {
  llvm::SmallVector<mlir::Attribute> list;
  auto parse = [&]() -> mlir::ParseResult {
    EnumAttr attribute;
    if (parseKeyword(parser, attribute))
      return mlir::failure();
    list.push_back(attribute);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(parse))
    return mlir::failure();
  attributes = mlir::ArrayAttr::get(parser.getContext(), list);
  return mlir::success();
}

template <typename EnumAttr>
void printKeywordList(mlir::OpAsmPrinter &printer, mlir::ArrayAttr attributes) {
  llvm::interleaveComma(attributes.getAsRange<EnumAttr>(), printer,
                        [&](EnumAttr attribute) {
                          printer << stringifyEnum(attribute.getValue());
                        });
}

} // namespace heddle

#endif // HEDDLE_DIALECT_KEYWORD_H

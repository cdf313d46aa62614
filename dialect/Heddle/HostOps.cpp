// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

// (i32, memref<4xf32>)
ParseResult heddle::parseTypes(OpAsmParser &parser, ArrayAttr &types) {
  SmallVector<Type> list;
  auto parseOne = [&] { return parser.parseType(list.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  types = parser.getBuilder().getTypeArrayAttr(list);
  return success();
}

void heddle::printTypes(OpAsmPrinter &printer, Operation *, ArrayAttr types) {
  printer << '(';
  llvm::interleaveComma(types.getAsValueRange<TypeAttr>(), printer.getStream(),
                        [&](Type type) { printer << type; });
  printer << ')';
}

LogicalResult SignatureOp::verify() {
  // C1
  for (Type type : getTypes().getAsValueRange<TypeAttr>()) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (type.isInteger(32) || (buffer && buffer.getRank() <= HEDDLE_MAX_RANK))
      continue;
    return emitOpError("expected an i32 or a memref of at most ")
           << HEDDLE_MAX_RANK << " dimensions, found " << type;
  }
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // C1
  auto signature =
      symbolTable.lookupNearestSymbolFrom<SignatureOp>(*this, getKernelAttr());
  if (!signature)
    return emitOpError("expected a heddle.signature, found nothing named ")
           << getKernelAttr();
  // C2
  auto expected = signature.getTypes().getAsValueRange<TypeAttr>();
  if (!llvm::equal(expected, getInputs().getTypes())) {
    InFlightDiagnostic diagnostic =
        emitOpError("expected the types of the kernel's signature");
    diagnostic.attachNote(signature.getLoc()) << "the signature";
    return diagnostic;
  }
  // C3
  int64_t needed =
      llvm::count_if(getInputs().getTypes(), llvm::IsaPred<MemRefType>);
  if (needed > getRoom().getType().getCount())
    return emitOpError("expected room for ")
           << needed << " descriptors, found " << getRoom().getType();
  return success();
}

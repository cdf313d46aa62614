// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/Signature.h"

using namespace mlir;
using namespace heddle;

RankedTensorType heddle::typeOfIds(OpBuilder &b) {
  return RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                               b.getI32Type());
}

RankedTensorType heddle::typeOfCounts(OpBuilder &b) {
  return RankedTensorType::get({ShapedType::kDynamic}, b.getI32Type());
}

ValuesAttr heddle::valuesUpTo(MLIRContext *context, SizeAttr size) {
  return ValuesAttr::get(context, 1, size, IntegerAttr(), SizeAttr());
}

func::FuncOp heddle::createEntryPoint(ModelBuilder &m, StringRef name,
                                      ArrayRef<ArgumentDescription> arguments) {
  SmallVector<Type> types =
      llvm::map_to_vector(arguments, [](const ArgumentDescription &argument) {
        return argument.type;
      });
  auto function = func::FuncOp::create(m.b, m.at(name), name,
                                       m.b.getFunctionType(types, {}));
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    SmallVector<StringRef> sizes(argument.sizes.begin(), argument.sizes.end());
    function.setArgAttr(index, kNameAttr, m.b.getStringAttr(argument.name));
    function.setArgAttr(index, kSizesAttr, m.b.getStrArrayAttr(sizes));
    if (argument.role != ArgumentRole::Other)
      function.setArgAttr(
          index, kRoleAttr,
          ArgumentRoleAttr::get(m.b.getContext(), argument.role));
    if (argument.values)
      function.setArgAttr(index, kValuesAttr, argument.values);
  }
  function.addEntryBlock();
  return function;
}

void heddle::returnResults(ModelBuilder &m, func::FuncOp function,
                           ArrayRef<NamedResult> results) {
  SmallVector<Value> values = llvm::map_to_vector(
      results, [](const NamedResult &result) { return result.value; });
  func::ReturnOp::create(m.b, m.at(function.getName()), values);
  function.setType(m.b.getFunctionType(function.getArgumentTypes(),
                                       ValueRange(values).getTypes()));
  for (auto [number, result] : llvm::enumerate(results)) {
    function.setResultAttr(number, kNameAttr, m.b.getStringAttr(result.name));
    if (result.role != ArgumentRole::Other)
      function.setResultAttr(
          number, kRoleAttr,
          ArgumentRoleAttr::get(m.b.getContext(), result.role));
    if (result.padding)
      function.setResultAttr(number, kPaddingAttr,
                             m.b.getI64IntegerAttr(*result.padding));
  }
}

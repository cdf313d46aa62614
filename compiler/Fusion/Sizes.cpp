// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/Sizes.h"

using namespace mlir;
using namespace heddle;

SizeRole SizeRoles::roleOf(StringRef size) const {
  if (capacities.contains(size))
    return SizeRole::Capacity;
  if (lengths.contains(size))
    return SizeRole::Length;
  return batches.contains(size) ? SizeRole::Batch : SizeRole::Other;
}

SizeRoles SizeRoles::of(FunctionOpInterface function) {
  SizeRoles roles;
  auto insert = [](llvm::StringSet<> &names, SizeAttr size) {
    if (size.getKind() == SizeKind::Symbol)
      names.insert(size.getName());
  };
  for (BlockArgument argument : function.getArguments()) {
    Sizes sizes = sizesOf(argument);
    if (isa<CacheType>(argument.getType())) {
      insert(roles.batches, sizes[0]);
      insert(roles.capacities, sizes[1]);
      continue;
    }
    auto type = cast<RankedTensorType>(argument.getType());
    unsigned leading = type.getRank();
    if (!isIndexType(type.getElementType()))
      --leading; // without the channels
    if (leading != 2)
      continue;
    insert(roles.batches, sizes[0]);
    insert(roles.lengths, sizes[1]);
  }
  return roles;
}

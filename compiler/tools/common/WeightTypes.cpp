// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/WeightTypes.h"

using namespace heddle;
namespace cl = llvm::cl;

cl::ValuesClass heddle::weightTypes() {
  return cl::values(
      clEnumValN(WeightType::Keep, "stored", "as the checkpoint has them"),
      clEnumValN(WeightType::F32, "f32", "single precision"),
      clEnumValN(WeightType::BF16, "bf16", "bfloat16, rounded to even"),
      clEnumValN(WeightType::F16, "f16", "half precision, rounded to even"),
      clEnumValN(WeightType::Int8, "int8",
                 "matrices of linear layers in 8 bits, with a scale for each "
                 "output channel; others as stored"));
}

llvm::StringRef heddle::nameOf(WeightType type) {
  switch (type) {
  case WeightType::Keep:
    return "stored";
  case WeightType::F32:
    return "f32";
  case WeightType::BF16:
    return "bf16";
  case WeightType::F16:
    return "f16";
  case WeightType::Int8:
    return "int8";
  }
  llvm_unreachable("covered switch");
}

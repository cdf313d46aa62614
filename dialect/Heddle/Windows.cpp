// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/Windows.h"

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace heddle;

static SizeAttr number(SizeAttr like, int64_t value) {
  return SizeAttr::number(like.getContext(), value);
}

SizeAttr Window::reach(SizeAttr length) const {
  return length ? length + number(length, low + high - span() - 1) : SizeAttr();
}

SizeAttr Window::count(SizeAttr length) const {
  if (!length)
    return {};
  return floorDiv(reach(length), number(length, stride)) + number(length, 1);
}

int64_t Window::count(int64_t length) const {
  return llvm::divideFloorSigned(length + low + high - span() - 1, stride) + 1;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Deviation.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace heddle::reference {

double Deviation::error() const {
  return got == want ? 0 : std::abs(got - want);
}

double Deviation::ratio() const {
  if (got == want || (tolerance == 0 && std::isnan(got) && std::isnan(want)))
    return 0;
  if (std::isinf(tolerance) && !std::isnan(got) && !std::isnan(want))
    return 0;
  double ratio = error() / tolerance;
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

std::optional<Deviation>
findWorst(ArrayRef<double> got, ArrayRef<double> want,
          ArrayRef<double> tolerances,
          llvm::function_ref<bool(size_t element)> isCompared) {
  std::optional<Deviation> worst;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!isCompared(i))
      continue;
    Deviation here{i, got[i], want[i], tolerances.empty() ? 0 : tolerances[i]};
    if (!worst || here.ratio() > worst->ratio())
      worst = here;
  }
  return worst;
}

} // namespace heddle::reference

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
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool areNaN = std::isnan(got) && std::isnan(want) && !std::isnan(tolerance);
  if (std::isinf(tolerance) || areNaN)
    return 0;
  if (got == want) {
    bool isOther = std::signbit(got) != std::signbit(want);
    return tolerance == 0 && isOther ? infinity : 0;
  }
  double ratio = error() / tolerance;
  return std::isnan(ratio) ? infinity : ratio;
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
    // An element that may be anything says nothing.
    bool isFirst =
        !worst || (std::isinf(worst->tolerance) && !std::isinf(here.tolerance));
    if (isFirst || here.ratio() > worst->ratio())
      worst = here;
  }
  return worst;
}

} // namespace heddle::reference

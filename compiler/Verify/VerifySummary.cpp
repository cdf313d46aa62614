// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifySummary.h"

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/Values.h"

#include <cstdio>

using namespace heddle;
using reference::Deviation;

Padding::Padding(llvm::ArrayRef<int64_t> shape,
                 std::optional<llvm::ArrayRef<double>> lengths)
    : lengths(lengths) {
  if (!lengths)
    return;
  tokens = shape[1];
  for (int64_t extent : shape.drop_front(2))
    channels *= extent;
}

std::string heddle::describeIndex(llvm::ArrayRef<int64_t> shape,
                                  int64_t element) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
    index[axis] = element % shape[axis];
  return reference::describe(index);
}

// Room for the sign of a zero alone is none for numbers.
static double shownTolerance(const Deviation &worst) {
  return reference::isOfSign(worst.tolerance) ? 0 : worst.tolerance;
}

std::string heddle::describeFailure(llvm::StringRef what,
                                    llvm::ArrayRef<int64_t> shape,
                                    const Deviation &worst) {
  char numbers[96];
  std::snprintf(numbers, sizeof(numbers), " is %.9g, expected %.9g within %.2g",
                worst.got, worst.want, shownTolerance(worst));
  return what.str() + describeIndex(shape, worst.element) + numbers;
}

static std::string describeWorst(const Deviation &worst) {
  char numbers[96];
  std::snprintf(numbers, sizeof(numbers), "worst error %.2g of tolerance %.2g",
                worst.error(), shownTolerance(worst));
  return numbers;
}

std::string VerifySummary::describe(llvm::StringRef entry) const {
  std::string verified = "verified " + entry.str();
  std::string text = verified + ": " + std::to_string(kernels) + " kernels";
  if (worst)
    text += ", " + describeWorst(*worst) + " in kernel @" + worstKernel;
  if (!worstOfModel)
    return text;
  char values[48];
  std::snprintf(values, sizeof(values), ", among values up to %.3g", largest);
  text += "\n" + verified + " as a whole: " + describeWorst(*worstOfModel) +
          " at " + worstPlace + values;
  if (openElements)
    text += ", " + std::to_string(openElements) + " of " +
            std::to_string(elements) + " elements may be anything";
  return text;
}

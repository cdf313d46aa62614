// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --verify compares, and what it says of it.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFYSUMMARY_H
#define HEDDLE_COMPILER_VERIFY_VERIFYSUMMARY_H

#include "compiler/Reference/Deviation.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

/// Tokens of [batch, length, ..] past their sequence's length hold anything.
class Padding {
public:
  /// No lengths: there is none.
  Padding(llvm::ArrayRef<int64_t> shape,
          std::optional<llvm::ArrayRef<double>> lengths);

  bool covers(size_t element) const {
    int64_t row = element / channels;
    return lengths && row % tokens >= (*lengths)[row / tokens];
  }

private:
  std::optional<llvm::ArrayRef<double>> lengths;
  int64_t tokens = 1, channels = 1;
};

/// "[0, 3, 17]".
std::string describeIndex(llvm::ArrayRef<int64_t> shape, int64_t element);

/// "logits[0, 17] is 0.5, expected 0.25 within 2.4e-06".
std::string describeFailure(llvm::StringRef what, llvm::ArrayRef<int64_t> shape,
                            const reference::Deviation &worst);

/// How close an entry point has come to its tolerances.
struct VerifySummary {
  unsigned kernels = 0; ///< launches of one call
  std::optional<reference::Deviation> worst;
  std::string worstKernel;
  /// Of the results.
  std::optional<reference::Deviation> worstOfModel;
  std::string worstPlace;
  double largest = 0; ///< among the values of the tensor at `worstPlace`
  /// Elements of results in all calls, and those among them that may be
  /// anything, such as ones that overflow or not.
  uint64_t elements = 0, openElements = 0;

  /// Two lines: "verified prefill: 32 kernels, worst error 3.1e-07 of tolerance
  /// 2.4e-06 in kernel @prefill_linear" and "verified prefill as a whole: worst
  /// error 1.2e-05 of tolerance 0.0006 at logits[1, 17], among values up to 4",
  /// followed by ", 3 of 4096 elements may be anything" where there are such.
  std::string describe(llvm::StringRef entry) const;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFYSUMMARY_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences and heads that are one dimension in some ops of an attention and
// two in others, as where scores are reshaped to add a mask to them.

#ifndef HEDDLE_COMPILER_ATTENTION_SPLITDIMENSIONS_H
#define HEDDLE_COMPILER_ATTENTION_SPLITDIMENSIONS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Divides dimensions of `output`, O = sum W V, and of the softmax and the
/// scores that W is made of, until all of them have the same: n becomes a and
/// b, with n = a * m + b, where one of them reads another one at n floordiv m
/// and n mod m, or at a * m + b. Returns whether there was such a one; other
/// ops take their place then, and that of `output`.
bool splitDimensions(GenericOp output);

} // namespace heddle

#endif // HEDDLE_COMPILER_ATTENTION_SPLITDIMENSIONS_H

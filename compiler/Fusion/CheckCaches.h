// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of one cache share its memory, so an older value is gone once a kernel
// has appended to the same layer.

#ifndef HEDDLE_COMPILER_FUSION_CHECKCACHES_H
#define HEDDLE_COMPILER_FUSION_CHECKCACHES_H

#include "compiler/Fusion/FusionPlan.h"

namespace heddle {

/// Reports what `plan`, launched in its order, would read or append to after it
/// is gone, and kernels that would need more than one layer of a cache.
mlir::LogicalResult checkCaches(const FusionPlan &plan);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_CHECKCACHES_H

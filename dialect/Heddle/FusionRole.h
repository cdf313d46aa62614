// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_HEDDLE_FUSIONROLE_H
#define HEDDLE_DIALECT_HEDDLE_FUSIONROLE_H

namespace heddle {

/// How fusion sees an op.
enum class FusionRole {
  Constant, ///< weights and tables: arguments of kernels
  View,     ///< masks and cache reads: cloned into the kernels that read them
  Root,     ///< everything that is computed
  Control,  ///< control flow and its numbers: stays between kernels
  Terminator,
};

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_FUSIONROLE_H

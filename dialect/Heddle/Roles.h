// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the attributes that modules, functions, their arguments and
// their results may have; others of this dialect are errors there. See
// Roles.td.

#ifndef HEDDLE_DIALECT_HEDDLE_ROLES_H
#define HEDDLE_DIALECT_HEDDLE_ROLES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On a module: the tokens that the model can tell the order of, of which
/// lengths and capacities that nothing else limits are at most so many.
inline constexpr llvm::StringLiteral kPositionsAttr = "heddle.positions";
/// On a module: the ids that a text begins with, and those that end it.
inline constexpr llvm::StringLiteral kBosAttr = "heddle.bos",
                                     kEosAttr = "heddle.eos";
/// On a function: it becomes prefill and decode. Names the size that is 1 in
/// the latter, or says nothing.
inline constexpr llvm::StringLiteral kDecoderAttr = "heddle.decoder";
/// On a module: the model's name. On an argument or a result: its name in C.
inline constexpr llvm::StringLiteral kNameAttr = "heddle.name";
/// On an argument: the sizes of its type's dynamic dimensions, which
/// --heddle-resolve-sizes takes into the type.
inline constexpr llvm::StringLiteral kSizesAttr = "heddle.sizes";
/// On a function: an array of #heddle.symbol.
inline constexpr llvm::StringLiteral kSymbolsAttr = "heddle.symbols";
/// On a function: an array of #heddle.broadcast.
inline constexpr llvm::StringLiteral kBroadcastsAttr = "heddle.broadcasts";
/// On a function: an array of #heddle.size, which calls check to be 0 or more,
/// though no tensor of a kernel has such a size. --heddle-declare-conditions
/// writes it, and nobody else.
inline constexpr llvm::StringLiteral kCountsAttr = "heddle.counts";
/// On an argument: a #heddle.values.
inline constexpr llvm::StringLiteral kValuesAttr = "heddle.values";
/// On an argument or a result: a #heddle.role.
inline constexpr llvm::StringLiteral kRoleAttr = "heddle.role";
/// On an argument or a result [batch, length, ...]: the number of the argument
/// with the lengths of its sequences. What follows a sequence is padding.
inline constexpr llvm::StringLiteral kPaddingAttr = "heddle.padding";

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_ROLES_H

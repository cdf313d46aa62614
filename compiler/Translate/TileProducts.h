// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: the products of a statement of a tile
// (TileRegisters.cpp).

#ifndef HEDDLE_COMPILER_TRANSLATE_TILEPRODUCTS_H
#define HEDDLE_COMPILER_TRANSLATE_TILEPRODUCTS_H

#include <Halide.h>

#include <string>

namespace heddle {

/// sums[16 columns] += the products of so many terms of a row and of columns.
struct TileProducts {
  /// Elements that are read from memory as they are, side by side.
  struct Factor {
    const Halide::Internal::Load *load = nullptr;
    Halide::Expr index;   ///< of the first one
    Halide::Type element; ///< what the bits mean
    bool isRow = false;   ///< which all columns are multiplied with
  };
  Factor row, columns;
  Halide::Type sum;
  int terms = 0;

  /// Sets all of them; false of another statement.
  bool read(const Halide::Internal::Store *store);
  /// The end of the function's name (kTileKinds); empty where there is no such
  /// instruction.
  std::string kind() const;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_TILEPRODUCTS_H

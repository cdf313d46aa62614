// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_REFERENCE_AFFINECOORDINATE_H
#define HEDDLE_COMPILER_REFERENCE_AFFINECOORDINATE_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::reference {

/// An affine expression whose symbols are known, as operands and operators in
/// the order in which they are computed.
class AffineCoordinate {
public:
  AffineCoordinate(mlir::AffineExpr expression,
                   llvm::ArrayRef<int64_t> symbols) {
    expression.walk([&](mlir::AffineExpr part) {
      mlir::AffineExprKind kind = part.getKind();
      if (auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(part))
        parts.push_back({kind, dimension.getPosition()});
      else if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(part))
        parts.push_back({kind, constant.getValue()});
      else if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(part))
        parts.push_back(
            {mlir::AffineExprKind::Constant, symbols[symbol.getPosition()]});
      else
        parts.push_back({kind, 0});
    });
  }

  bool divides() const {
    return llvm::any_of(parts, [](const Part &part) {
      return part.kind == mlir::AffineExprKind::FloorDiv ||
             part.kind == mlir::AffineExprKind::CeilDiv ||
             part.kind == mlir::AffineExprKind::Mod;
    });
  }

  int64_t at(llvm::ArrayRef<int64_t> point) const {
    llvm::SmallVector<int64_t, 8> stack;
    for (const Part &part : parts) {
      if (part.kind == mlir::AffineExprKind::DimId)
        stack.push_back(point[part.number]);
      else if (part.kind == mlir::AffineExprKind::Constant)
        stack.push_back(part.number);
      else {
        int64_t y = stack.pop_back_val();
        stack.back() = apply(part.kind, stack.back(), y);
      }
    }
    return stack.front();
  }

private:
  struct Part {
    mlir::AffineExprKind kind;
    int64_t number; ///< the dimension or the constant
  };

  static int64_t apply(mlir::AffineExprKind kind, int64_t x, int64_t y) {
    switch (kind) {
    case mlir::AffineExprKind::Add:
      return x + y;
    case mlir::AffineExprKind::Mul:
      return x * y;
    case mlir::AffineExprKind::FloorDiv:
      return llvm::divideFloorSigned(x, y);
    case mlir::AffineExprKind::CeilDiv:
      return llvm::divideCeilSigned(x, y);
    default:
      return x - llvm::divideFloorSigned(x, y) * y;
    }
  }

  llvm::SmallVector<Part, 4> parts;
};

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_AFFINECOORDINATE_H

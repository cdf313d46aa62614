// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: numbers as a device has them. Of bf16 and f16 only
// bits are left, which are loaded, stored and converted; computed with they are
// in f32. A boolean is a byte in memory.

#ifndef HEDDLE_COMPILER_TRANSLATE_DEVICENUMBERS_H
#define HEDDLE_COMPILER_TRANSLATE_DEVICENUMBERS_H

#include <Halide.h>

namespace heddle {

class DeviceNumbers : public Halide::Internal::IRMutator {
public:
  /// What memory of `type` holds.
  static Halide::Type stored(Halide::Type type);

protected:
  using Expr = Halide::Expr;
  using IRMutator = Halide::Internal::IRMutator;
  using IRMutator::visit;

  /// An f32 of the bits of a bf16 or f16, and the other way round. By default
  /// in integers, as Halide does it.
  virtual Expr toFloat(const Expr &bits, Halide::Type half);
  virtual Expr fromFloat(const Expr &number, Halide::Type half);

  Expr visit(const Halide::Internal::Load *op) override;
  Halide::Internal::Stmt visit(const Halide::Internal::Allocate *op) override;
  Halide::Internal::Stmt visit(const Halide::Internal::Store *op) override;
  Expr visit(const Halide::Internal::Variable *op) override;
  Expr visit(const Halide::Internal::FloatImm *op) override;
  Expr visit(const Halide::Internal::Cast *op) override;
  Expr visit(const Halide::Internal::Call *op) override;

private:
  Expr convertedBy(Expr (*convert)(Expr), const Expr &value);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_DEVICENUMBERS_H

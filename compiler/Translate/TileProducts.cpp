// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/TileProducts.h"

#include "compiler/Lowering/LibraryFunctions.h"

using namespace heddle;
using namespace Halide::Internal;
using Halide::Expr;

static bool isWidening(const Cast *cast) {
  return cast && cast->type.bits() > cast->value.type().bits();
}

static bool readFactor(const Expr &expr, TileProducts::Factor &factor) {
  if (!factor.element.lanes())
    factor.element = expr.type().element_of();
  if (const auto *cast = expr.as<Cast>()) {
    factor.element = cast->value.type().element_of();
    return isWidening(cast) && readFactor(cast->value, factor);
  }
  if (const Call *call = Call::as_intrinsic(expr, {Call::reinterpret}))
    return readFactor(call->args[0], factor);
  if (const auto *part = expr.as<Shuffle>()) {
    if (part->is_broadcast()) {
      factor.isRow = true;
      return readFactor(part->vectors[0], factor);
    }
    if (!part->is_slice() || part->slice_stride() != 1 ||
        part->vectors.size() != 1 || !readFactor(part->vectors[0], factor))
      return false;
    factor.index += part->slice_begin();
    return true;
  }
  factor.load = expr.as<Load>();
  const Ramp *ramp = factor.load ? factor.load->index.as<Ramp>() : nullptr;
  if (!ramp || !is_const_one(ramp->stride) ||
      !is_const_one(factor.load->predicate))
    return false;
  factor.index = ramp->base;
  return true;
}

bool TileProducts::read(const Store *store) {
  const auto *next = store->value.as<Add>();
  const auto *reduced = next ? next->a.as<VectorReduce>() : nullptr;
  const auto *before = next ? next->b.as<Load>() : nullptr;
  if (next && !reduced) {
    reduced = next->b.as<VectorReduce>();
    before = next->a.as<Load>();
  }
  if (!reduced || !before || reduced->op != VectorReduce::Add ||
      before->name != store->name || !equal(before->index, store->index) ||
      !is_const_one(store->predicate) || !is_const_one(before->predicate) ||
      reduced->type.lanes() != kTileColumns)
    return false;
  sum = reduced->type.element_of();
  terms = reduced->value.type().lanes() / kTileColumns;
  const auto *cast = reduced->value.as<Cast>();
  Expr product = isWidening(cast) ? cast->value : reduced->value, factors[2];
  if (const Call *call = Call::as_intrinsic(product, {Call::widening_mul})) {
    factors[0] = call->args[0];
    factors[1] = call->args[1];
  } else if (const auto *multiplied = product.as<Mul>()) {
    factors[0] = multiplied->a;
    factors[1] = multiplied->b;
  } else {
    return false;
  }
  Factor both[2];
  if (!readFactor(factors[0], both[0]) || !readFactor(factors[1], both[1]) ||
      both[0].isRow == both[1].isRow)
    return false;
  row = both[both[0].isRow ? 0 : 1];
  columns = both[both[0].isRow ? 1 : 0];
  return true;
}

std::string TileProducts::kind() const {
  auto isPair = [](Halide::Type type) {
    return type.is_bfloat() && type.bits() == 16;
  };
  auto isByte = [](Halide::Type type) {
    return type.is_int_or_uint() && type.bits() == 8;
  };
  if (sum == Halide::Float(32) && terms == 2 && isPair(row.element) &&
      isPair(columns.element))
    return "bf16";
  if (sum != Halide::Int(32) || terms != 4 || !isByte(row.element) ||
      !isByte(columns.element))
    return "";
  return std::string(row.element.is_uint() ? "u" : "s") +
         (columns.element.is_uint() ? "u" : "s");
}

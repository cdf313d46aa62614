// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"

using namespace mlir;
using namespace heddle;

namespace {
enum class Need { None, Optional, Required };

/// A field, and what each kind makes of it, in the order of RopeScalingKind.
struct Field {
  StringLiteral name;
  Attribute value;
  Need needs[5];
};
} // namespace

static bool isPositive(double number) {
  return number > 0 && !std::isinf(number);
}

// C1
static LogicalResult verifyFields(function_ref<InFlightDiagnostic()> emitError,
                                  RopeScalingKind kind,
                                  ArrayRef<Field> fields) {
  for (const Field &field : fields) {
    Need need = field.needs[unsigned(kind)];
    if (need == Need::Required && !field.value)
      return emitError() << stringifyEnum(kind) << " needs " << field.name;
    if (need == Need::None && field.value)
      return emitError() << stringifyEnum(kind) << " takes no " << field.name;
  }
  return success();
}

// C2, C5
static LogicalResult verifyLists(function_ref<InFlightDiagnostic()> emitError,
                                 DenseF64ArrayAttr shortFactor,
                                 DenseF64ArrayAttr longFactor) {
  std::pair<StringLiteral, DenseF64ArrayAttr> lists[] = {
      {"short_factor", shortFactor}, {"long_factor", longFactor}};
  for (auto [name, list] : lists)
    for (double number : list ? list.asArrayRef() : ArrayRef<double>())
      if (!isPositive(number))
        return emitError() << "expected positive numbers in " << name
                           << ", found " << number;
  if (shortFactor && shortFactor.size() != longFactor.size())
    return emitError() << "expected as many numbers in long_factor as in "
                          "short_factor, which has "
                       << shortFactor.size() << ", found " << longFactor.size();
  return success();
}

LogicalResult RopeScalingAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, RopeScalingKind kind,
    FloatAttr factor, FloatAttr low, FloatAttr high, IntegerAttr original,
    IntegerAttr length, FloatAttr fast, FloatAttr slow, FloatAttr attention,
    BoolAttr truncate, DenseF64ArrayAttr shortFactor,
    DenseF64ArrayAttr longFactor) {
  constexpr Need none = Need::None, may = Need::Optional, must = Need::Required;
  // Linear, Llama3, Dynamic, Yarn, LongRope
  const Field fields[] = {
      {"factor", factor, {must, must, must, must, must}},
      {"low", low, {none, must, none, none, none}},
      {"high", high, {none, must, none, none, none}},
      {"original", original, {none, must, must, must, must}},
      {"length", length, {none, none, must, none, may}},
      {"fast", fast, {none, none, none, may, none}},
      {"slow", slow, {none, none, none, may, none}},
      {"attention", attention, {none, none, none, may, may}},
      {"truncate", truncate, {none, none, none, may, none}},
      {"short_factor", shortFactor, {none, none, none, none, must}},
      {"long_factor", longFactor, {none, none, none, none, must}},
  };
  if (failed(verifyFields(emitError, kind, fields)))
    return failure();
  // C2
  for (const Field &field : fields)
    if (auto number = dyn_cast_or_null<FloatAttr>(field.value))
      if (!isPositive(number.getValueAsDouble()))
        return emitError() << "expected a positive " << field.name << ", found "
                           << number.getValueAsDouble();
  if (failed(verifyLists(emitError, shortFactor, longFactor)))
    return failure();
  // C3
  if (low && !(low.getValueAsDouble() < high.getValueAsDouble()))
    return emitError() << "expected a low below high, which is "
                       << high.getValueAsDouble() << ", found "
                       << low.getValueAsDouble();
  double most = fast ? fast.getValueAsDouble() : kFast;
  double least = slow ? slow.getValueAsDouble() : kSlow;
  if (kind == RopeScalingKind::Yarn && !(least < most))
    return emitError() << "expected a slow below fast, which is " << most
                       << ", found " << least;
  // C4
  int64_t shortest = kind == RopeScalingKind::LongRope ? 2 : 1;
  if (original && original.getInt() < shortest)
    return emitError() << "expected an original length from " << shortest
                       << ", found " << original.getInt();
  if (length && length.getInt() < 1)
    return emitError() << "expected a length from 1, found " << length.getInt();
  return success();
}

RopeScalingAttr RopeScalingAttr::withLength(int64_t length) const {
  auto number = IntegerAttr::get(IntegerType::get(getContext(), 64), length);
  return get(getContext(), getKind(), getFactor(), getLow(), getHigh(),
             getOriginal(), number, getFast(), getSlow(), getAttention(),
             getTruncate(), getShortFactor(), getLongFactor());
}

LogicalResult RopeScalingAttr::verifyFor(Operation *op, int64_t dimension,
                                         double base) const {
  switch (getKind()) {
  case RopeScalingKind::Linear:
  case RopeScalingKind::Llama3:
    return success();
  case RopeScalingKind::Dynamic:
    if (dimension > 2)
      return success();
    return op->emitOpError("expected more than 2 channels that rotate, which "
                           "dynamic scaling divides by, found ")
           << dimension;
  case RopeScalingKind::Yarn:
    if (base > 1)
      return success();
    return op->emitOpError("expected a base above 1, whose logarithm yarn "
                           "divides by, found ")
           << base;
  case RopeScalingKind::LongRope:
    if (getShortFactor().size() == dimension / 2)
      return success();
    return op->emitOpError("expected a short_factor of ")
           << dimension / 2 << " numbers, one for each pair of channels, found "
           << getShortFactor().size();
  }
  llvm_unreachable("covered switch");
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The normal form of sizes and their arithmetic. Text is in SizeText.cpp.

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

//===-- Numbers -----------------------------------------------------------===//

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (!llvm::AddOverflow(a, b, sum))
    return sum;
  return a > 0 ? INT64_MAX : INT64_MIN;
}

static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t result;
  if (!llvm::MulOverflow(a, b, result))
    return result;
  return (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}

// The function of two numbers; none where it divides by zero.
static std::optional<int64_t> apply(SizeKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case SizeKind::Min:
    return std::min(a, b);
  case SizeKind::Max:
    return std::max(a, b);
  default:
    break;
  }
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  switch (kind) {
  case SizeKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  case SizeKind::CeilDiv:
    return llvm::divideCeilSigned(a, b);
  default:
    return a - llvm::divideFloorSigned(a, b) * b;
  }
}

//===-- The normal form ---------------------------------------------------===//

// The order of factors and terms, which must be the same in every run.
static int compare(SizeAttr a, SizeAttr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind() ? -1 : 1;
  if (a.getKind() == SizeKind::Symbol)
    return a.getName().getValue().compare(b.getName().getValue());
  ArrayRef<Attribute> x = a.getOperands(), y = b.getOperands();
  for (auto [left, right] : llvm::zip(x, y))
    if (int order = compare(cast<SizeAttr>(left), cast<SizeAttr>(right)))
      return order;
  if (x.size() != y.size())
    return x.size() < y.size() ? -1 : 1;
  return a.getNumber() < b.getNumber() ? -1 : 1;
}

namespace {

/// A number times variables: symbols and the functions of two sizes.
struct Monomial {
  int64_t coefficient;
  SmallVector<SizeAttr, 2> variables; ///< in order

  static Monomial of(SizeAttr size) {
    switch (size.getKind()) {
    case SizeKind::Number:
      return {size.getNumber(), {}};
    case SizeKind::Product: {
      Monomial result{size.getNumber(), {}};
      for (Attribute operand : size.getOperands())
        result.variables.push_back(cast<SizeAttr>(operand));
      return result;
    }
    default:
      return {1, {size}};
    }
  }

  SizeAttr toSize(MLIRContext *context) const {
    if (variables.empty() || coefficient == 0)
      return SizeAttr::number(context, coefficient);
    if (variables.size() == 1 && coefficient == 1)
      return variables.front();
    return SizeAttr::get(
        context, SizeKind::Product, coefficient, StringAttr(),
        SmallVector<Attribute>(variables.begin(), variables.end()));
  }

  int compareVariables(const Monomial &other) const {
    for (auto [left, right] : llvm::zip(variables, other.variables))
      if (int order = compare(left, right))
        return order;
    // Numbers come last, and products before what they begin with.
    return int(other.variables.size()) - int(variables.size());
  }
};

/// A sum of monomials with different variables, in order.
class Polynomial {
public:
  static Polynomial of(SizeAttr size) {
    Polynomial result;
    if (size.getKind() != SizeKind::Sum) {
      result.add(Monomial::of(size));
      return result;
    }
    for (Attribute operand : size.getOperands())
      result.add(Monomial::of(cast<SizeAttr>(operand)));
    result.add({size.getNumber(), {}});
    return result;
  }

  void add(const Monomial &term) {
    auto *place = llvm::lower_bound(terms, term, [](auto &a, auto &b) {
      return a.compareVariables(b) < 0;
    });
    if (place == terms.end() || place->compareVariables(term) != 0)
      place = terms.insert(place, {0, term.variables});
    place->coefficient = saturatingAdd(place->coefficient, term.coefficient);
    if (place->coefficient == 0)
      terms.erase(place);
  }

  SizeAttr toSize(MLIRContext *context) const {
    if (terms.empty())
      return SizeAttr::number(context, int64_t(0));
    if (terms.size() == 1)
      return terms.front().toSize(context);
    int64_t number = 0;
    SmallVector<Attribute> operands;
    for (const Monomial &term : terms)
      if (term.variables.empty())
        number = term.coefficient;
      else
        operands.push_back(term.toSize(context));
    return SizeAttr::get(context, SizeKind::Sum, number, StringAttr(),
                         operands);
  }

  SmallVector<Monomial, 2> terms;
};

} // namespace

SizeAttr SizeAttr::number(MLIRContext *context, int64_t number) {
  return get(context, SizeKind::Number, number, StringAttr(), {});
}

SizeAttr SizeAttr::symbol(MLIRContext *context, StringRef name) {
  return get(context, SizeKind::Symbol, 0, StringAttr::get(context, name), {});
}

//===-- Arithmetic --------------------------------------------------------===//

SizeAttr heddle::operator+(SizeAttr a, SizeAttr b) {
  Polynomial sum = Polynomial::of(a);
  for (const Monomial &term : Polynomial::of(b).terms)
    sum.add(term);
  return sum.toSize(a.getContext());
}

SizeAttr heddle::operator-(SizeAttr a, SizeAttr b) { return a + b * -1; }

SizeAttr heddle::operator*(SizeAttr a, SizeAttr b) {
  Polynomial result;
  for (const Monomial &left : Polynomial::of(a).terms)
    for (const Monomial &right : Polynomial::of(b).terms) {
      Monomial term{saturatingMultiply(left.coefficient, right.coefficient),
                    left.variables};
      llvm::append_range(term.variables, right.variables);
      llvm::sort(term.variables,
                 [](SizeAttr x, SizeAttr y) { return compare(x, y) < 0; });
      result.add(term);
    }
  return result.toSize(a.getContext());
}

SizeAttr heddle::operator*(SizeAttr a, int64_t b) {
  return a * SizeAttr::number(a.getContext(), b);
}

static SizeAttr makeFunction(SizeKind kind, SizeAttr a, SizeAttr b) {
  return SizeAttr::get(a.getContext(), kind, 0, StringAttr(),
                       ArrayRef<Attribute>{a, b});
}

// Removes each of `variables` from `from`; false where one is not there.
static bool removeAll(SmallVectorImpl<SizeAttr> &from,
                      ArrayRef<SizeAttr> variables) {
  for (SizeAttr variable : variables) {
    auto *found = llvm::find(from, variable);
    if (found == from.end())
      return false;
    from.erase(found);
  }
  return true;
}

// Takes out of `a` the terms that `divisor` divides, and returns their
// quotient.
static SizeAttr extractMultiples(SizeAttr &a, const Monomial &divisor) {
  Polynomial quotient, rest;
  for (const Monomial &term : Polynomial::of(a).terms) {
    Monomial whole = term, left = term;
    whole.coefficient =
        llvm::divideFloorSigned(term.coefficient, divisor.coefficient);
    left.coefficient -= whole.coefficient * divisor.coefficient;
    bool hasVariables = removeAll(whole.variables, divisor.variables);
    // Of a number the whole part can go alone; of other terms all or nothing.
    if (hasVariables && (term.variables.empty() || left.coefficient == 0)) {
      quotient.add(whole);
      rest.add(left);
    } else {
      rest.add(term);
    }
  }
  a = rest.toSize(a.getContext());
  return quotient.toSize(a.getContext());
}

// Divisors are sizes, which are positive.
static SizeAttr divide(SizeKind kind, SizeAttr a, SizeAttr b) {
  std::optional<int64_t> x = a.asNumber(), y = b.asNumber();
  if (x && y)
    if (std::optional<int64_t> result = apply(kind, *x, *y))
      return SizeAttr::number(a.getContext(), *result);
  bool isMod = kind == SizeKind::Mod;
  if (a == b)
    return SizeAttr::number(a.getContext(), isMod ? 0 : 1);
  if (b.getKind() == SizeKind::Sum || (y && *y <= 0))
    return makeFunction(kind, a, b);
  SizeAttr whole = extractMultiples(a, Monomial::of(b));
  SizeAttr rest = a.asNumber() == 0 ? a : makeFunction(kind, a, b);
  if (a.asNumber() && y)
    rest = SizeAttr::number(a.getContext(), *apply(kind, *a.asNumber(), *y));
  return isMod ? rest : whole + rest;
}

SizeAttr heddle::floorDiv(SizeAttr a, SizeAttr b) {
  return divide(SizeKind::FloorDiv, a, b);
}

SizeAttr heddle::ceilDiv(SizeAttr a, SizeAttr b) {
  return divide(SizeKind::CeilDiv, a, b);
}

SizeAttr heddle::ceilDiv(SizeAttr a, int64_t b) {
  return ceilDiv(a, SizeAttr::number(a.getContext(), b));
}

SizeAttr heddle::mod(SizeAttr a, SizeAttr b) {
  return divide(SizeKind::Mod, a, b);
}

// Where the difference is a number, one of the two is known to be the smaller.
static SizeAttr choose(SizeKind kind, SizeAttr a, SizeAttr b) {
  if (std::optional<int64_t> difference = (a - b).asNumber())
    return (*difference <= 0) == (kind == SizeKind::Min) ? a : b;
  if (compare(a, b) > 0)
    std::swap(a, b);
  return makeFunction(kind, a, b);
}

SizeAttr heddle::min(SizeAttr a, SizeAttr b) {
  return choose(SizeKind::Min, a, b);
}

SizeAttr heddle::max(SizeAttr a, SizeAttr b) {
  return choose(SizeKind::Max, a, b);
}

// The operands of functions of `kind` inside of each other.
static void collectOperands(SizeKind kind, SizeAttr size, Sizes &operands) {
  if (size.getKind() != kind) {
    operands.push_back(size);
    return;
  }
  for (Attribute operand : size.getOperands())
    collectOperands(kind, cast<SizeAttr>(operand), operands);
}

// max(a, b, ..) * min(a, b, .., 1) of sizes that are no numbers.
static SizeAttr broadcastAll(MLIRContext *context, Sizes sizes) {
  llvm::sort(sizes, [](SizeAttr x, SizeAttr y) { return compare(x, y) < 0; });
  sizes.erase(llvm::unique(sizes), sizes.end());
  SizeAttr one = SizeAttr::number(context, 1);
  if (sizes.size() < 2)
    return sizes.empty() ? one : sizes.front();
  SizeAttr most = sizes.front(), least = min(sizes.front(), one);
  for (SizeAttr size : ArrayRef(sizes).drop_front()) {
    most = max(most, size);
    least = min(least, size);
  }
  return most * least;
}

Sizes heddle::broadcastOperands(SizeAttr size) {
  Sizes operands;
  auto [number, factors] = factorsOf(size);
  if (number == 1 && factors.size() == 2)
    for (SizeAttr factor : factors)
      collectOperands(SizeKind::Max, factor, operands);
  llvm::erase_if(operands, [](SizeAttr operand) {
    return operand.getKind() == SizeKind::Min;
  });
  if (!operands.empty() && broadcastAll(size.getContext(), operands) == size)
    return operands;
  return {size};
}

// Operands of operands are taken together anew: so neither their order matters,
// nor how often they occur.
SizeAttr heddle::broadcastOf(SizeAttr a, SizeAttr b) {
  Sizes sizes = broadcastOperands(a);
  llvm::append_range(sizes, broadcastOperands(b));
  SizeAttr one = SizeAttr::number(a.getContext(), 1);
  llvm::erase(sizes, one);
  for (SizeAttr size : sizes)
    if (size.asNumber())
      return size;
  return broadcastAll(a.getContext(), sizes);
}

// A form that is seen not to be negative.
SizeAttr heddle::broadcastStride(SizeAttr size) {
  SizeAttr one = SizeAttr::number(size.getContext(), 1);
  return min(floorDiv(size, one * 2), one);
}

SizeAttr heddle::roundUp(SizeAttr a, int64_t b) { return ceilDiv(a, b) * b; }

SizeAttr heddle::product(MLIRContext *context, ArrayRef<SizeAttr> sizes) {
  SizeAttr result = SizeAttr::number(context, 1);
  for (SizeAttr size : sizes)
    result = result * size;
  return result;
}

//===-- Parts and values --------------------------------------------------===//

Sizes heddle::termsOf(SizeAttr size) {
  Sizes result;
  for (const Monomial &term : Polynomial::of(size).terms)
    result.push_back(term.toSize(size.getContext()));
  return result;
}

std::pair<int64_t, Sizes> heddle::factorsOf(SizeAttr size) {
  Polynomial polynomial = Polynomial::of(size);
  if (polynomial.terms.size() == 1) {
    Monomial &term = polynomial.terms.front();
    return {term.coefficient,
            Sizes(term.variables.begin(), term.variables.end())};
  }
  // The number that divides all terms of a sum, and the rest.
  int64_t common = 0;
  for (const Monomial &term : polynomial.terms)
    common = std::gcd(common, term.coefficient);
  if (common == 0)
    return {0, {}};
  for (Monomial &term : polynomial.terms)
    term.coefficient /= common;
  return {common, {polynomial.toSize(size.getContext())}};
}

std::optional<int64_t> SizeAttr::asNumber() const {
  if (getKind() == SizeKind::Number)
    return getNumber();
  return std::nullopt;
}

void SizeAttr::walkSymbols(llvm::function_ref<void(StringRef)> visit) const {
  if (getKind() == SizeKind::Symbol)
    visit(getName());
  for (Attribute operand : getOperands())
    cast<SizeAttr>(operand).walkSymbols(visit);
}

// Builds `size` anew with `leaf` in place of its symbols.
SizeAttr
SizeAttr::substitute(llvm::function_ref<SizeAttr(StringRef)> replace) const {
  auto part = [&](unsigned index) {
    return cast<SizeAttr>(getOperands()[index]).substitute(replace);
  };
  switch (getKind()) {
  case SizeKind::Number:
    return *this;
  case SizeKind::Symbol: {
    SizeAttr other = replace(getName());
    return other ? other : *this;
  }
  case SizeKind::FloorDiv:
    return floorDiv(part(0), part(1));
  case SizeKind::CeilDiv:
    return ceilDiv(part(0), part(1));
  case SizeKind::Mod:
    return mod(part(0), part(1));
  case SizeKind::Min:
    return min(part(0), part(1));
  case SizeKind::Max:
    return max(part(0), part(1));
  case SizeKind::Product:
  case SizeKind::Sum:
    break;
  }
  SizeAttr result = SizeAttr::number(getContext(), getNumber());
  for (unsigned index = 0; index < getOperands().size(); ++index)
    result = getKind() == SizeKind::Sum ? result + part(index)
                                        : result * part(index);
  return result;
}

std::optional<int64_t>
SizeAttr::evaluate(llvm::function_ref<int64_t(StringRef)> valueOf) const {
  if (getKind() == SizeKind::Number)
    return getNumber();
  if (getKind() == SizeKind::Symbol)
    return valueOf(getName());
  bool isSum = getKind() == SizeKind::Sum;
  bool isPolynomial = isSum || getKind() == SizeKind::Product;
  std::optional<int64_t> result;
  if (isPolynomial)
    result = getNumber();
  for (Attribute operand : getOperands()) {
    std::optional<int64_t> next = cast<SizeAttr>(operand).evaluate(valueOf);
    if (!next)
      return std::nullopt;
    if (!result) {
      result = next;
    } else if (!isPolynomial) {
      result = apply(getKind(), *result, *next);
    } else if (isSum ? llvm::AddOverflow(*result, *next, *result)
                     : llvm::MulOverflow(*result, *next, *result)) {
      return std::nullopt;
    }
  }
  return result;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/RowGroup.h"

#include "compiler/Fusion/Contraction.h"
#include "dialect/Heddle/Coordinates.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// Dimensions that have several elements: coordinates of others are 0 in all ops
// that read them.
static SmallVector<unsigned> longDimensions(GenericOp op) {
  SmallVector<unsigned> dimensions;
  for (auto [dimension, size] : llvm::enumerate(toSizes(op.getOver())))
    if (size.asNumber() != 1)
      dimensions.push_back(dimension);
  return dimensions;
}

RowGroup::RowGroup(GenericOp first) {
  members.push_back({first, longDimensions(first)});
}

const RowGroup::Member *RowGroup::member(Operation *op) const {
  for (const Member &member : members)
    if (member.op == op)
      return &member;
  return nullptr;
}

ArrayRef<unsigned> RowGroup::rowDimensions(GenericOp op) const {
  return member(op)->rows;
}

// The columns of the register tiles of a contraction, if it has any: those of
// the panels that they lie in, or 0 where any number does.
static std::optional<int64_t> tileColumns(GenericOp op) {
  std::optional<Contraction> contraction = Contraction::inTiles(op);
  if (!contraction)
    return std::nullopt;
  LayoutAttr panels = contraction->panels(op);
  return panels ? panels.getWidth() : 0;
}

// The dimension of which a register tile has several rows, and may go past the
// last, where there is one.
static std::optional<unsigned> tileRow(GenericOp op) {
  std::optional<Contraction> contraction = Contraction::inTiles(op);
  return contraction ? contraction->longestRow(op) : std::nullopt;
}

// Whether the members and `op` are contractions whose tiles have one shape, or
// are all without: one row of columns that some have in panels is no sibling.
bool RowGroup::areSiblings(GenericOp op) const {
  return llvm::all_of(members, [&](Member member) {
    return Contraction::of(member.op) &&
           tileColumns(member.op) == tileColumns(op) &&
           tileRow(member.op) == tileRow(op) &&
           member.op.getOver() == op.getOver() &&
           !llvm::is_contained(op->getOperands(), member.op.getResult(0));
  });
}

// Whether a coordinate is computed with a size that is not known: how much it
// needs of what a row keeps, or of what is made of that, Halide cannot tell.
static bool hasUnknownBounds(SizeAttr coordinate) {
  if (asDimension(coordinate))
    return false;
  bool hasSize = false;
  coordinate.walkSymbols([&](StringRef name) {
    hasSize |= !asDimension(SizeAttr::symbol(coordinate.getContext(), name));
  });
  return hasSize;
}

// Several reductions of one op that read another one: were they stored, each
// would have loops of its own for what all of them read, and Halide computes
// that at one place.
bool RowGroup::sharesReductions(GenericOp op) const {
  auto isUsed = [](Value result) { return !result.use_empty(); };
  auto isReduction = [&](Value input) {
    const Member *producer = member(input.getDefiningOp());
    return producer && GenericOp(producer->op).hasReduction();
  };
  return op.hasReduction() && llvm::count_if(op.getResults(), isUsed) > 1 &&
         llvm::any_of(op.getInputs(), isReduction);
}

bool RowGroup::accepts(GenericOp op) {
  if (Contraction::of(op)) {
    if (!areSiblings(op))
      return false;
    members.push_back({op, members.front().rows});
    return true;
  }
  // A table is read at any row.
  for (Value table : op.getTables())
    if (member(table.getDefiningOp()))
      return false;
  if (sharesReductions(op))
    return false;
  // For each dimension of rows, that of `op` which reads the same row.
  size_t count = members.front().rows.size();
  SmallVector<std::optional<unsigned>> rows(count);
  SmallVector<bool> isRow(count, true);
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    const Member *producer = member(input.getDefiningOp());
    if (!producer)
      continue;
    Sizes at = op.getCoordinates(index);
    GenericOp source = producer->op;
    for (auto [dim, size] : llvm::enumerate(toSizes(source.getOver())))
      if (size.asNumber() != 1 && hasUnknownBounds(at[dim]))
        return false;
    for (size_t row = 0; row < count; ++row) {
      std::optional<unsigned> dimension = asDimension(at[producer->rows[row]]);
      if (!dimension || *dimension >= op.getOver().size() ||
          (rows[row] && rows[row] != dimension))
        isRow[row] = false;
      else
        rows[row] = dimension;
    }
  }
  SmallVector<Member> before = members;
  members.push_back({op, {}});
  for (Member &member : members) {
    SmallVector<unsigned> kept;
    for (size_t row = 0; row < count; ++row)
      if (isRow[row] && rows[row])
        kept.push_back(member.op == op ? *rows[row] : member.rows[row]);
    member.rows = kept;
  }
  if (fits())
    return true;
  members = before;
  return false;
}

// Elements of a row of the results, where sizes say.
static std::optional<int64_t> rowElements(GenericOp op,
                                          ArrayRef<unsigned> rows) {
  int64_t elements = 1;
  for (auto [dimension, size] : llvm::enumerate(toSizes(op.getOver()))) {
    if (llvm::is_contained(rows, dimension))
      continue;
    std::optional<int64_t> extent = size.asNumber();
    if (!extent || llvm::MulOverflow(elements, *extent, elements))
      return std::nullopt;
  }
  return elements;
}

static Sizes sizesOfRows(GenericOp op, ArrayRef<unsigned> rows) {
  Sizes over = toSizes(op.getOver());
  return llvm::map_to_vector<4>(
      rows, [&](unsigned dimension) { return over[dimension]; });
}

bool RowGroup::isKept(GenericOp op) const {
  if (op.hasReduction())
    return true;
  // One number for a row of several.
  if (rowElements(op, rowDimensions(op)) == 1 &&
      llvm::any_of(members, [](const Member &member) {
        return rowElements(member.op, member.rows) != 1;
      }))
    return true;
  unsigned uses = 0;
  for (Operation *user : op->getUsers())
    uses += bool(member(user));
  return uses > 1;
}

// Rows are several or small, and what a task keeps is not too large.
bool RowGroup::fits() const {
  bool isWorthIt = true;
  for (const Member &member : members)
    isWorthIt &=
        rowElements(member.op, member.rows).value_or(INT64_MAX) <= kLargestRow;
  GenericOp last = members.back().op;
  for (unsigned dimension : members.back().rows)
    isWorthIt |= toSizes(last.getOver())[dimension].asNumber() != 1;
  if (!isWorthIt)
    return false;
  // A contraction's tile is of all its dimensions, and what reads it has no
  // others: it would compute the tile again for each of their elements. Nor has
  // it less of them: a tile would begin before what is left. Another
  // reduction is scheduled by the names of the tile's dimensions, so that they
  // stand where those of the tile do, and those of one element, too.
  bool hasTiles = llvm::any_of(members, [](const Member &member) {
    return Contraction::of(member.op).has_value();
  });
  int64_t kept = 0;
  const Member &first = members.front();
  for (Member member : members) {
    bool standsElsewhere =
        member.op.getOver().size() != GenericOp(first.op).getOver().size() ||
        member.rows != first.rows;
    if (hasTiles && ((member.op.hasReduction() && standsElsewhere) ||
                     member.rows.size() != longDimensions(member.op).size() ||
                     sizesOfRows(member.op, member.rows) !=
                         sizesOfRows(first.op, first.rows)))
      return false;
    // Of what comes last nothing is kept but what it reduces.
    if (member.op == last ? !last.hasReduction() : !isKept(member.op))
      continue;
    std::optional<int64_t> elements = rowElements(member.op, member.rows);
    if (!elements || *elements > kLargestRow)
      return false;
    bool isWide = llvm::any_of(member.op.getResultTypes(), [](Type type) {
      return bytesOfElement(getElementTypeOrSelf(type)) == 8;
    });
    kept += *elements * (isWide ? 2 : 1);
  }
  return kept <= kLargestRow;
}

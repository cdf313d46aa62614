// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/RowGroup.h"

#include "compiler/Fusion/Contraction.h"
#include "dialect/Heddle/Coordinates.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

RowGroup::RowGroup(GenericOp first) {
  members.push_back(
      {first, llvm::to_vector(llvm::seq<unsigned>(first.getOver().size()))});
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

bool RowGroup::accepts(GenericOp op) {
  if (Contraction::of(op))
    return false;
  // A table is read at any row.
  for (Value table : op.getTables())
    if (member(table.getDefiningOp()))
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

// Rows are many enough to be worth it, and what a task keeps is not too large.
bool RowGroup::fits() const {
  GenericOp last = members.back().op;
  bool hasRows = false;
  for (unsigned dimension : members.back().rows)
    hasRows |= toSizes(last.getOver())[dimension].asNumber() != 1;
  if (!hasRows)
    return false;
  int64_t kept = 0;
  for (Member member : ArrayRef(members).drop_back()) {
    // A contraction's tile is of all its dimensions.
    Sizes over = toSizes(member.op.getOver());
    if (Contraction::of(member.op) && member.rows.size() != over.size())
      return false;
    if (!isKept(member.op))
      continue;
    std::optional<int64_t> elements = rowElements(member.op, member.rows);
    if (!elements || *elements > kLargestRow)
      return false;
    kept += *elements;
  }
  return kept <= kLargestRow;
}

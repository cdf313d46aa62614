// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   sums[row, columns] = 0
//   for place
//     for row
//       sums[row, 16 columns] += sum of products of the terms of the place
//
//   -> heddle_tile_sums_..(sums, rows, columns, ..)
//
// and where the sums have been set to 0, or added to, before,
//
//   for place
//     for row
//       sums[row, 16 columns] += sum of products of the terms of the place
//
//   -> heddle_tile_add_..(sums, rows, columns, ..)

#include "compiler/Translate/TileRegisters.h"

#include "compiler/Lowering/LibraryFunctions.h"
#include "compiler/Translate/TileProducts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/iterator_range.h"

#include <algorithm>

using namespace Halide::Internal;
using Halide::Expr;
using heddle::TileProducts;

// Columns that a store has.
static constexpr int kLanes = heddle::kTileColumns;

//===-- The loops ---------------------------------------------------------===//

namespace {
/// Definitions and loops around a store, the outermost first.
using Path = std::vector<Stmt>;

/// A store, with the path to it.
struct PlacedStore {
  const Store *store;
  Path path;
};
} // namespace

// All stores of `stmt`; false where something else is in it.
static bool findStores(const Stmt &stmt, Path &path,
                       std::vector<PlacedStore> &stores) {
  auto findInside = [&](const Stmt &inside) {
    path.push_back(stmt);
    bool isKnown = findStores(inside, path, stores);
    path.pop_back();
    return isKnown;
  };
  if (const auto *block = stmt.as<Block>())
    return findStores(block->first, path, stores) &&
           findStores(block->rest, path, stores);
  if (const auto *let = stmt.as<LetStmt>())
    return findInside(let->body);
  if (const auto *loop = stmt.as<For>())
    return loop->for_type == ForType::Serial && findInside(loop->body);
  if (const auto *atomic = stmt.as<Atomic>())
    return findStores(atomic->body, path, stores);
  const auto *store = stmt.as<Store>();
  if (store)
    stores.push_back({store, path});
  return store;
}

namespace {
/// Sums of 32 bits as those of 64, which Halide's simplifier can compare: they
/// do not overflow.
class WidenSums : public IRMutator {
  using IRMutator::visit;

  Expr visit(const Cast *op) override {
    if (op->type != Halide::Int(64) || op->value.type() != Halide::Int(32))
      return IRMutator::visit(op);
    auto widened = [&](const Expr &part) {
      return mutate(cast(Halide::Int(64), part));
    };
    if (const auto *sum = op->value.as<Add>())
      return widened(sum->a) + widened(sum->b);
    if (const auto *difference = op->value.as<Sub>())
      return widened(difference->a) - widened(difference->b);
    if (const auto *product = op->value.as<Mul>())
      return widened(product->a) * widened(product->b);
    return op;
  }
};

/// Leaves out the limit of a coordinate that depends on a loop.
class DropLimits : public IRMutator {
public:
  explicit DropLimits(std::string loop) : loop(std::move(loop)) {}
  /// The coordinates, and their limits.
  std::vector<std::pair<Expr, Expr>> limits;

private:
  using IRMutator::visit;

  Expr visit(const Min *op) override {
    bool inFirst = expr_uses_var(op->a, loop),
         inSecond = expr_uses_var(op->b, loop);
    if (inFirst == inSecond)
      return IRMutator::visit(op);
    const Expr &place = inFirst ? op->a : op->b;
    limits.emplace_back(place, inFirst ? op->b : op->a);
    return mutate(place);
  }

  std::string loop;
};
} // namespace

static Expr simplified(const Expr &expr) {
  return simplify(WidenSums().mutate(expr));
}

// The difference that a step of `loop` makes to `expr`; undefined if it is not
// always the same.
static Expr stepOf(const Expr &expr, const std::string &loop) {
  Expr variable = Variable::make(Halide::Int(32), loop);
  Expr step = simplified(substitute(loop, variable + 1, expr) - expr);
  return expr_uses_var(step, loop) ? Expr() : step;
}

// `expr` with what is defined around it.
static Expr resolve(Expr expr, const Path &path) {
  for (const Stmt &around : llvm::reverse(path))
    if (const auto *let = around.as<LetStmt>())
      expr = substitute(let->name, let->value, expr);
  return expr;
}

//===-- A tile ------------------------------------------------------------===//

namespace {
/// 16 columns of the sums of a tile, at the first of its rows and places.
struct Part {
  TileProducts products;
  Expr index; ///< of the first sum
};

class Tile {
public:
  Tile(std::string name, const Path &around)
      : name(std::move(name)), around(around) {}

  /// A call that computes `body`, all loops for the sums of a func, or those
  /// that add to them; undefined where they are others.
  Stmt convert(const Stmt &body) {
    Path path;
    std::vector<PlacedStore> stores;
    bool areOfFunc = findStores(body, path, stores) &&
                     llvm::all_of(stores, [&](const PlacedStore &placed) {
                       return placed.store->name == name;
                     });
    if (!areOfFunc)
      return {};
    auto isZero = [](const PlacedStore &placed) {
      return is_const_zero(placed.store->value);
    };
    auto sums = std::stable_partition(stores.begin(), stores.end(), isZero);
    if (sums == stores.end() || !findLoops(*sums))
      return {};
    std::vector<Part> parts;
    for (const PlacedStore &placed : llvm::make_range(sums, stores.end()))
      if (!hasLoops(placed) || !readPart(placed, parts.emplace_back()))
        return {};
    auto zeros = llvm::make_range(stores.begin(), sums);
    bool isTile = areSideBySide(parts) &&
                  (zeros.empty() || beginAtZero(parts, zeros)) &&
                  can_prove(resolve(rowCount, around) <= heddle::kTileRows);
    return isTile ? call(parts, zeros.empty() ? heddle::kTileAdditions
                                              : heddle::kTileSums)
                  : Stmt();
  }

private:
  static std::vector<const For *> loopsOf(const Path &path) {
    std::vector<const For *> loops;
    for (const Stmt &around : path)
      if (const auto *loop = around.as<For>())
        loops.push_back(loop);
    return loops;
  }

  bool hasLoops(const PlacedStore &placed) const {
    auto loops = loopsOf(placed.path);
    return loops.size() == 2 && llvm::is_contained(loops, places) &&
           llvm::is_contained(loops, rows);
  }

  static Expr indexOf(const PlacedStore &placed) {
    const auto *ramp = placed.store->index.as<Ramp>();
    return ramp && is_const_one(ramp->stride) ? resolve(ramp->base, placed.path)
                                              : Expr();
  }

  // One loop goes over rows of the sums, the other over their terms.
  bool findLoops(const PlacedStore &placed) {
    auto loops = loopsOf(placed.path);
    Expr index = indexOf(placed);
    if (loops.size() != 2 || !index.defined())
      return false;
    for (const For *loop : loops)
      (expr_uses_var(index, loop->name) ? rows : places) = loop;
    const int64_t *count = places ? as_const_int(places->extent) : nullptr;
    if (!rows || !count || !is_const_zero(places->min))
      return false;
    placeCount = *count;
    path = placed.path;
    firstRow = resolve(rows->min, path);
    return !expr_uses_var(firstRow, places->name) &&
           !expr_uses_var(resolve(rows->extent, path), places->name);
  }

  // `expr` at the first row and place.
  Expr atFirst(Expr expr) const {
    expr = substitute(rows->name, firstRow, expr);
    return simplified(substitute(places->name, 0, expr));
  }

  // Rows past the last are read as the last, and nobody reads their sums: they
  // are none of the tile.
  bool dropLimits(Expr &index) {
    DropLimits drop(rows->name);
    index = drop.mutate(index);
    Expr count = resolve(rows->extent, path);
    for (const auto &[place, last] : drop.limits) {
      Expr step = stepOf(place, rows->name);
      if (!step.defined() || !is_const_one(step) ||
          expr_uses_var(last, places->name))
        return false;
      Expr first = substitute(rows->name, firstRow, place);
      count = min(count, last - first + 1);
    }
    return take(rowCount, simplify(count));
  }

  // Takes note of a step, which has to be that of the other parts.
  static bool take(Expr &known, const Expr &step) {
    if (!step.defined() || (known.defined() && !equal(known, step)))
      return false;
    known = step;
    return true;
  }

  bool readPart(const PlacedStore &placed, Part &part) {
    Expr index = indexOf(placed);
    TileProducts &products = part.products;
    if (!index.defined() || !products.read(placed.store))
      return false;
    Expr row = resolve(products.row.index, placed.path),
         columns = resolve(products.columns.index, placed.path);
    if (!dropLimits(row) || !take(sumsOfRow, stepOf(index, rows->name)) ||
        !take(rowStep, stepOf(row, rows->name)) ||
        !take(placeStep, stepOf(columns, places->name)))
      return false;
    Expr next = stepOf(row, places->name);
    bool isTile = next.defined() && is_const(next, products.terms) &&
                  !expr_uses_var(index, places->name) &&
                  !expr_uses_var(columns, rows->name);
    part.index = atFirst(index);
    products.row.index = atFirst(row);
    products.columns.index = atFirst(columns);
    return isTile;
  }

  // Whether parts are next to each other, in their order.
  static bool areSideBySide(std::vector<Part> &parts) {
    const Part first = parts.front();
    auto placeOf = [&](const Part &part) -> int64_t {
      Expr distance = simplified(part.index - first.index);
      const int64_t *number = as_const_int(distance);
      return number ? *number : -1;
    };
    llvm::sort(parts, [&](const Part &a, const Part &b) {
      return placeOf(a) < placeOf(b);
    });
    for (auto [number, part] : llvm::enumerate(parts)) {
      const TileProducts &own = part.products, &those = first.products;
      bool isNext =
          placeOf(part) == int64_t(number) * kLanes &&
          own.row.load->name == those.row.load->name &&
          own.columns.load->name == those.columns.load->name &&
          own.kind() == those.kind() &&
          is_const_zero(simplified(own.row.index - those.row.index)) &&
          is_const(simplified(own.columns.index - those.columns.index),
                   int64_t(number) * kLanes * those.terms);
      if (!isNext)
        return false;
    }
    return int(parts.size()) <= heddle::kMostTileParts &&
           !first.products.kind().empty();
  }

  // Whether all sums of the tile, and no others, are 0 before.
  template <typename Stores>
  bool beginAtZero(const std::vector<Part> &parts, const Stores &zeros) const {
    Expr extent = resolve(rows->extent, path);
    std::vector<Expr> known;
    for (const PlacedStore &placed : zeros) {
      auto loops = loopsOf(placed.path);
      Expr index = indexOf(placed);
      if (loops.size() != 1 || !index.defined() ||
          !is_const_one(placed.store->predicate) ||
          placed.store->value.type().lanes() != kLanes ||
          !is_const_zero(
              simplified(resolve(loops[0]->extent, placed.path) - extent)))
        return false;
      Expr step = stepOf(index, loops[0]->name);
      if (!step.defined() || !equal(step, sumsOfRow))
        return false;
      known.push_back(substitute(loops[0]->name,
                                 resolve(loops[0]->min, placed.path), index));
    }
    return known.size() == parts.size() &&
           llvm::all_of(parts, [&](const Part &part) {
             return llvm::any_of(known, [&](const Expr &index) {
               return is_const_zero(simplified(index - part.index));
             });
           });
  }

  // Where an element is, and how many bytes `step` of them are.
  static void add(std::vector<Expr> &arguments, const std::string &buffer,
                  Halide::Type element, const Expr &index, const Expr &step) {
    auto bytes = [&](const Expr &elements) {
      return simplify(cast(Halide::Int(64), elements) *
                      Expr(int64_t(element.bytes())));
    };
    arguments.push_back(Variable::make(Halide::Handle(), buffer));
    arguments.push_back(bytes(index));
    arguments.push_back(bytes(step));
  }

  Stmt call(const std::vector<Part> &parts, llvm::StringRef function) const {
    const Part &first = parts.front();
    const auto &row = first.products.row, &columns = first.products.columns;
    std::vector<Expr> arguments;
    add(arguments, name, Halide::Int(32), first.index, sumsOfRow);
    add(arguments, row.load->name, row.element, row.index, rowStep);
    add(arguments, columns.load->name, columns.element, columns.index,
        placeStep);
    arguments.push_back(rowCount);
    arguments.push_back(int(parts.size()));
    arguments.push_back(int(placeCount));
    return Evaluate::make(Call::make(Halide::Int(32),
                                     function.str() + first.products.kind(),
                                     arguments, Call::Extern));
  }

  std::string name; ///< of the sums
  const Path &around;
  const For *places = nullptr, *rows = nullptr;
  int64_t placeCount = 0;
  Path path; ///< to them
  Expr firstRow, rowCount;
  Expr sumsOfRow, rowStep, placeStep; ///< elements of a step
};

class TileRegisters : public IRMutator {
public:
  explicit TileRegisters(std::set<std::string> funcs)
      : funcs(std::move(funcs)) {}

private:
  using IRMutator::visit;

  Stmt visit(const ProducerConsumer *op) override {
    if (!op->is_producer)
      return IRMutator::visit(op);
    std::string outer = func;
    func = funcs.count(op->name) ? op->name : "";
    Stmt converted =
        func.empty() ? Stmt() : Tile(func, around).convert(op->body);
    Stmt mutated = converted.defined()
                       ? ProducerConsumer::make(op->name, true, converted)
                       : IRMutator::visit(op);
    func = outer;
    return mutated;
  }

  // Loops that add to the sums of a func, if there are others beside them.
  Stmt visit(const For *op) override {
    Stmt converted = func.empty() ? Stmt() : Tile(func, around).convert(op);
    return converted.defined() ? converted : IRMutator::visit(op);
  }

  Stmt visit(const LetStmt *op) override {
    around.push_back(op);
    Stmt mutated = IRMutator::visit(op);
    around.pop_back();
    return mutated;
  }

  std::set<std::string> funcs;
  std::string func; ///< whose sums are computed
  Path around;      ///< definitions
};
} // namespace

void heddle::sumInTileRegisters(Halide::Pipeline &pipeline,
                                const std::set<std::string> &funcs) {
  if (!funcs.empty())
    pipeline.add_custom_lowering_pass(new TileRegisters(funcs));
}

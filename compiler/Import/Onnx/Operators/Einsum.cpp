// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einsum: sums of products whose dimensions have letters, as products of
// matrices.

#include "compiler/Import/Onnx/Operators.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {
/// A letter for each dimension. Those of an ellipsis, which stands for any
/// number of them, are '0', '1', .. from the last one on.
using Letters = std::string;

struct Term {
  Letters letters;
  Value tensor;
};

class Einsum {
public:
  explicit Einsum(Node &node) : node(node) {}

  void translate() {
    readEquation(node.string("equation", ""));
    if (node.failed())
      return;
    Term all = terms.front();
    for (size_t next = 1; next <= terms.size() && !node.failed(); ++next) {
      Letters needed = result;
      for (const Term &later : ArrayRef(terms).drop_front(next))
        needed += later.letters;
      all = summed(all, needed);
      if (next < terms.size())
        all = multiply(all, summed(terms[next], needed + all.letters), needed);
    }
    node.setResult(inOrder(all, result).tensor);
  }

private:
  //===-- the equation ----------------------------------------------------===//

  void readEquation(std::string equation) {
    llvm::erase(equation, ' ');
    auto [left, right] = StringRef(equation).split("->");
    SmallVector<StringRef> inputs;
    left.split(inputs, ',');
    if (int64_t(inputs.size()) != node.inputCount())
      return node.fail("attribute 'equation': expected " +
                       Twine(node.inputCount()) + " terms, found " +
                       Twine(inputs.size()));
    for (auto [index, letters] : llvm::enumerate(inputs))
      addTerm(letters, node.input(index));
    if (node.failed())
      return;
    if (StringRef(equation).contains("->"))
      result = expanded(right, ellipsis);
    else
      chooseResult();
    for (char letter : result)
      if (llvm::none_of(terms, [&](const Term &term) {
            return has(term.letters, letter);
          }))
        return fail("expected only letters of terms in the result", equation);
    checkOnce(result);
  }

  void addTerm(StringRef letters, Value x) {
    if (node.failed())
      return;
    int64_t rank = Node::rankOf(x);
    int64_t named = llvm::count_if(letters, llvm::isAlpha);
    bool hasEllipsis = letters.contains("...");
    if (named + (hasEllipsis ? 3 : 0) != int64_t(letters.size()) ||
        (hasEllipsis ? named > rank : named != rank) || rank - named > 10)
      return fail("expected a letter for each of " + std::to_string(rank) +
                      " dimensions",
                  letters);
    if (hasEllipsis)
      ellipsis = std::max(ellipsis, rank - named);
    terms.push_back({expanded(letters, rank - named), x});
    checkOnce(terms.back().letters);
  }

  static Letters expanded(StringRef letters, int64_t dimensions) {
    auto [before, after] = letters.split("...");
    if (!letters.contains("..."))
      return letters.str();
    Letters all = before.str();
    for (int64_t place = dimensions; place-- > 0;)
      all += char('0' + place);
    return all + after.str();
  }

  // Without a result's letters it has those of an ellipsis, and those that
  // stand once, in the order of the alphabet.
  void chooseResult() {
    Letters all;
    for (const Term &term : terms)
      all += term.letters;
    for (int64_t place = ellipsis; place-- > 0;)
      result += char('0' + place);
    Letters once;
    for (char letter : all)
      if (llvm::isAlpha(letter) && llvm::count(all, letter) == 1)
        once += letter;
    llvm::sort(once);
    result += once;
  }

  void checkOnce(const Letters &letters) {
    for (char letter : letters)
      if (llvm::count(letters, letter) > 1)
        return fail("expected each letter once", letters);
  }

  void fail(const std::string &expected, StringRef found) {
    node.fail("attribute 'equation': " + expected + ", found '" + found + "'");
  }

  //===-- products --------------------------------------------------------===//

  static bool has(const Letters &letters, char letter) {
    return letters.find(letter) != Letters::npos;
  }

  // Without dimensions that nothing else has.
  Term summed(Term term, const Letters &needed) {
    SmallVector<int64_t> axes;
    Letters rest;
    for (auto [axis, letter] : llvm::enumerate(term.letters)) {
      if (has(needed, letter))
        rest += letter;
      else
        axes.push_back(axis);
    }
    if (axes.empty() || node.failed())
      return term;
    return {rest, node.make<ReduceOp>(getElementTypeOrSelf(term.tensor),
                                      ReductionKind::Sum, term.tensor, axes,
                                      /*keepSizes=*/false)};
  }

  Term inOrder(const Term &term, const Letters &letters) {
    SmallVector<int64_t> permutation;
    for (char letter : letters)
      permutation.push_back(term.letters.find(letter));
    return {letters, node.transposed(term.tensor, permutation)};
  }

  // [batches.., rows, columns], with one dimension for all letters of each.
  Value matrices(const Term &term, const Letters &batches, const Letters &rows,
                 const Letters &columns) {
    Value x = inOrder(term, batches + rows + columns).tensor;
    if (node.failed())
      return {};
    Sizes own = sizesOf(x);
    ArrayRef<SizeAttr> sizes(own);
    Sizes all(sizes.take_front(batches.size()));
    MLIRContext *context = node.b.getContext();
    all.push_back(product(context, sizes.slice(batches.size(), rows.size())));
    all.push_back(product(context, sizes.take_back(columns.size())));
    return node.reshaped(x, all);
  }

  Term multiply(const Term &a, const Term &b, const Letters &needed) {
    Letters batches, rows, columns, inner;
    for (char letter : a.letters) {
      bool isShared = has(b.letters, letter), isNeeded = has(needed, letter);
      (!isShared ? rows : isNeeded ? batches : inner) += letter;
    }
    for (char letter : b.letters)
      if (!has(a.letters, letter))
        columns += letter;
    if (node.failed())
      return a;
    Type type = getElementTypeOrSelf(a.tensor);
    Value y = node.make<MatmulOp>(type, matrices(a, batches, rows, inner),
                                  matrices(b, batches, columns, inner),
                                  /*transposeA=*/false, /*transposeB=*/true);
    if (node.failed())
      return a;
    // Batches may have been broadcast.
    Sizes sizes(ArrayRef(sizesOf(y)).take_front(batches.size()));
    for (char letter : rows)
      sizes.push_back(sizesOf(a.tensor)[a.letters.find(letter)]);
    for (char letter : columns)
      sizes.push_back(sizesOf(b.tensor)[b.letters.find(letter)]);
    return {batches + rows + columns, node.reshaped(y, sizes)};
  }

  Node &node;
  std::vector<Term> terms;
  Letters result;
  int64_t ellipsis = 0; ///< the most dimensions that one stands for
};
} // namespace

static void translateEinsum(Node &node) { Einsum(node).translate(); }

llvm::ArrayRef<Operator> onnx::einsumOperators() {
  static constexpr Operator operators[] = {{"", "Einsum", translateEinsum}};
  return operators;
}

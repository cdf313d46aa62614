// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/KernelBuilder.h"
#include "compiler/Lowering/Names.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The sums of a linear layer over all of its depth, or over blocks of it.
class LinearSums {
public:
  LinearSums(KernelBuilder &k, LinearOp op)
      : k(k), input(k.field(op.getInput())), weight(k.field(op.getWeight())),
        depth(op.getWeight().getType().getDimSize(1)) {}

  halide::FuncOp emit() {
    std::optional<int64_t> block = chooseBlockDepth(depth);
    return block ? emitBlocks(*block) : emitSum("accumulator", std::nullopt);
  }

private:
  halide::FuncOp create(StringRef name, ArrayRef<StringRef> vars) {
    halide::FuncOp func =
        k.func(name, vars, f32(),
               [&](OpBuilder &b, ValueRange) { return k.constantF(b, 0); });
    func.setReduction(halide::Reduction::Contraction);
    return func;
  }

  // sum(n, m) += x(k, m) * W(n, k), or for k of one block:
  // sum(n, m, block) += x(block * depth + k, m) * W(n, block * depth + k)
  halide::FuncOp emitSum(StringRef name, std::optional<int64_t> block) {
    SmallVector<StringRef> vars{"n", "m"};
    if (block)
      vars.push_back(kBlockVar);
    halide::FuncOp sum = create(name, vars);
    KernelBuilder::Range range{"k", block.value_or(depth)};
    k.update(sum, range, [&](OpBuilder &b, ValueRange v) {
      Value at = v.back();
      if (block) {
        Value first =
            arith::MulIOp::create(b, k.loc(), v[2], k.constant(b, *block));
        at = arith::AddIOp::create(b, k.loc(), first, at);
        if (depth % *block)
          halide::WhereOp::create(
              b, k.loc(),
              arith::CmpIOp::create(b, k.loc(), arith::CmpIPredicate::slt, at,
                                    k.constant(b, depth)));
      }
      Value product = arith::MulFOp::create(
          b, k.loc(), k.toF32(b, k.read(b, input, at, v[1])),
          k.readPanel(b, weight, v[0], at));
      add(b, sum, v.take_front(vars.size()), product);
    });
    return sum;
  }

  halide::FuncOp emitBlocks(int64_t block) {
    halide::FuncOp blocks = emitSum("block_sum", block);
    halide::FuncOp sum = create("accumulator", {"n", "m"});
    KernelBuilder::Range range{kBlockVar,
                               (int64_t)llvm::divideCeil(depth, block)};
    k.update(sum, range, [&](OpBuilder &b, ValueRange v) {
      add(b, sum, v.take_front(2), k.access(b, blocks.getSymName(), f32(), v));
    });
    blocks->setAttr(kFoldAttr, FlatSymbolRefAttr::get(sum.getSymNameAttr()));
    return sum;
  }

  void add(OpBuilder &b, halide::FuncOp sum, ValueRange place, Value term) {
    Value old = k.access(b, sum.getSymName(), f32(), place);
    Value next = arith::AddFOp::create(b, k.loc(), old, term);
    halide::YieldOp::create(b, k.loc(), next, ValueRange());
  }

  Type f32() { return k.builder.getF32Type(); }

  KernelBuilder &k;
  Field input, weight;
  int64_t depth;
};
} // namespace

// linear(n, m) = sum over k of x(k, m) * W(n, k) + bias(n)
void heddle::lower(KernelBuilder &k, LinearOp op) {
  Type f32 = k.builder.getF32Type();
  int64_t channels = op.getWeight().getType().getDimSize(0);
  k.store(op.getInput());
  std::string name = LinearSums(k, op).emit().getSymName().str();
  halide::FuncOp linear =
      k.func("linear", {"n", "m"}, f32, [&](OpBuilder &b, ValueRange v) {
        Value sum = k.access(b, name, f32, {v[0], v[1]});
        if (!op.getBias())
          return sum;
        Value bias = k.access(b, k.field(op.getBias()).symbol, f32, {v[0]});
        return arith::AddFOp::create(b, k.loc(), sum, bias).getResult();
      });
  k.setField(op.getResult(), {linear.getSymName().str(), f32, {channels}});
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the rows of contractions may be many or few, what is computed of their
// sums is there twice, and outputs choose:
//
//   result(d...) = f(tile_sum(d...))
//   result_few(d...) = f(sum_of_slices(d...))
//   chosen(d...) = rows >= least ? result(d...) : result_few(d...)
//
// In each of the two cases of a schedule the output alone is simplified, so
// that no other func can choose.

#include "compiler/Lowering/KernelBuilder.h"
#include "compiler/Lowering/Names.h"

using namespace mlir;
using namespace heddle;

namespace {

class FormChoice {
public:
  explicit FormChoice(KernelBuilder &k) : k(k) {}

  void run() {
    for (auto &forms : k.twoForms) {
      fewOf[forms.many.getSymName()] = forms.few;
      forms.few->setAttr(kRowsAttr, forms.many->getAttr(kRowsAttr));
    }
    SmallVector<halide::FuncOp> funcs =
        llvm::to_vector(k.pipeline.getBody().front().getOps<halide::FuncOp>());
    for (halide::FuncOp func : funcs)
      if (readsForms(func))
        divide(func);
  }

private:
  // A func with its updates.
  SmallVector<Operation *> definitionsOf(halide::FuncOp func) {
    SmallVector<Operation *> definitions{func};
    for (auto update : k.pipeline.getBody().front().getOps<halide::UpdateOp>())
      if (update.getFunc() == func.getSymName())
        definitions.push_back(update);
    return definitions;
  }

  bool readsForms(halide::FuncOp func) {
    bool reads = false;
    for (Operation *definition : definitionsOf(func))
      definition->walk([&](halide::AccessOp access) {
        reads |= access.getSource() != func.getSymName() &&
                 fewOf.contains(access.getSource());
      });
    return reads;
  }

  void divide(halide::FuncOp func) {
    OpBuilder::InsertionGuard guard(k.builder);
    SmallVector<Operation *> definitions = definitionsOf(func);
    k.builder.setInsertionPointAfter(definitions.back());
    std::string name = k.unique((func.getSymName() + "_few").str());
    halide::FuncOp few;
    for (Operation *definition : definitions) {
      Operation *copy = k.builder.clone(*definition);
      if (auto update = dyn_cast<halide::UpdateOp>(copy))
        update.setFunc(name);
      else
        few = cast<halide::FuncOp>(copy);
      copy->walk([&](halide::AccessOp access) {
        auto other = fewOf.find(access.getSource());
        if (other != fewOf.end())
          access.setSource(other->second.getSymName());
        else if (access.getSource() == func.getSymName())
          access.setSource(name);
      });
    }
    few.setSymName(name);
    few->setAttr(kProductPartAttr, k.builder.getStringAttr(kOfFewRows));
    halide::OutputOp output = outputOf(func);
    if (!output)
      fewOf[func.getSymName()] = few;
    else
      choose(func, few);
  }

  halide::OutputOp outputOf(halide::FuncOp func) {
    for (auto output : k.pipeline.getBody().front().getOps<halide::OutputOp>())
      if (output.getFunc() == func.getSymName())
        return output;
    return {};
  }

  // Whoever read `many`, which was an output, reads the choice.
  void choose(halide::FuncOp many, halide::FuncOp few) {
    k.builder.setInsertionPointAfter(few);
    Type type = cast<TypeAttr>(many.getTypes()[0]).getValue();
    Value rows = k.size(k.twoForms.front().rows);
    auto vars = llvm::to_vector(many.getVars().getAsValueRange<StringAttr>());
    int64_t least = cast<BlockProductAttr>(k.configuration).getThreadRows();
    halide::FuncOp chosen =
        k.func("chosen", vars, type, [&](OpBuilder &b, ValueRange v) -> Value {
          Value areMany =
              arith::CmpIOp::create(b, k.loc(), arith::CmpIPredicate::sge, rows,
                                    k.constant(b, least));
          Value ofMany = k.access(b, many.getSymName(), type, v);
          Value ofFew = k.access(b, few.getSymName(), type, v);
          return arith::SelectOp::create(b, k.loc(), areMany, ofMany, ofFew);
        });
    for (StringRef name : {kExtentsAttr, kRowsAttr})
      if (Attribute attribute = many->getAttr(name))
        chosen->setAttr(name, attribute);
    StringRef old = many.getSymName();
    k.pipeline.walk([&](Operation *op) {
      if (op->getParentOp() == chosen)
        return;
      if (auto access = dyn_cast<halide::AccessOp>(op);
          access && access.getSource() == old)
        access.setSource(chosen.getSymName());
      if (auto output = dyn_cast<halide::OutputOp>(op);
          output && output.getFunc() == old)
        output.setFunc(chosen.getSymName());
    });
  }

  KernelBuilder &k;
  /// Of sums and what is computed of them, by name: the same of few rows.
  llvm::StringMap<halide::FuncOp> fewOf;
};

} // namespace

void heddle::chooseForms(KernelBuilder &k) {
  if (!k.twoForms.empty())
    FormChoice(k).run();
}

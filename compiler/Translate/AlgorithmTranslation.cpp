// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// halide.func and halide.update -> Halide::Func.

#include "compiler/Translate/AlgorithmTranslation.h"

#include "compiler/Lowering/Names.h"

#include "compiler/Translate/ScalarTranslation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using Halide::Expr;

std::string heddle::stageKey(StringRef func, std::optional<uint64_t> update) {
  return update ? (func + "#" + Twine(*update)).str() : func.str();
}

namespace {

class AlgorithmTranslator {
public:
  AlgorithmTranslator(bool isOnDevice, TranslatedPipeline &result)
      : isOnDevice(isOnDevice), result(result) {}

  LogicalResult run(halide::PipelineOp pipeline) {
    pipeline.walk(
        [&](halide::BoundExtentOp op) { wholeFuncs.insert(op.getFunc()); });
    if (isOnDevice)
      result.guards.find(pipeline);
    for (auto output : pipeline.getBody().front().getOps<halide::OutputOp>())
      outputs.try_emplace(output.getFunc(), output);
    for (Operation &op : pipeline.getBody().front())
      if (failed(translate(&op)))
        return failure();
    return success();
  }

private:
  using Loops = std::map<std::string, Halide::VarOrRVar>;

  LogicalResult translate(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<halide::ParamOp, halide::TaskOp, halide::InputOp,
              halide::OutputOp, halide::FuncOp, halide::UpdateOp>([&](auto op) {
          define(op);
          return error;
        })
        .Case([](halide::ScheduleOp) { return success(); })
        .Default([&](Operation *op) { return compute(op); });
  }

  //===-- Structure -------------------------------------------------------===//

  Expr addScalar(const std::string &name) {
    Halide::Param<int32_t> param(name);
    result.arguments.emplace_back(name, Halide::Argument::InputScalar,
                                  Halide::Int(32), 0,
                                  Halide::ArgumentEstimates{});
    return param;
  }

  void define(halide::ParamOp op) {
    Expr param = addScalar("size" + std::to_string(result.arguments.size()));
    values[op.getResult()] = param;
    result.sizes.insert_or_assign(op.getSize().str(), param);
  }

  // Stands after the parameters, and so does its argument.
  void define(halide::TaskOp op) {
    // On a device as well, as Halide wants each parameter among the arguments.
    values[op.getResult()] = addScalar(kTaskVariable);
    if (!isOnDevice)
      return;
    result.tasks = values.lookup(op.getCount());
    if (op.getInOrder())
      result.tasksInOrder = values.lookup(op.getInOrder());
  }

  // Constants or expressions of parameters.
  template <typename Op> std::vector<Expr> extentsOf(Op op) {
    std::vector<Expr> extents;
    unsigned nextDynamic = 0;
    for (int64_t extent : op.getStaticExtents())
      extents.push_back(ShapedType::isDynamic(extent)
                            ? values.lookup(op.getExtents()[nextDynamic++])
                            : Expr(int32_t(extent)));
    return extents;
  }

  // Strides are without gaps.
  template <typename Op, typename Buffer> void setLayout(Op op, Buffer buffer) {
    Expr stride = 1;
    for (auto [index, size] : llvm::enumerate(extentsOf(op))) {
      buffer.dim(index).set_bounds(0, size);
      buffer.dim(index).set_stride(stride);
      stride = Halide::Internal::simplify(stride * size);
    }
    // No more than what C promises: callers pass any float pointer. x86 reads
    // aligned data as fast with instructions that do not ask for it.
    buffer.set_host_alignment(buffer.type().bytes());
  }

  void define(halide::InputOp op) {
    std::string name = op.getSymName().str();
    Halide::ImageParam input(*toHalideType(op.getType()),
                             op.getStaticExtents().size(), name);
    setLayout(op, input);
    result.arguments.push_back(input);
    result.inputs[name] = input;
    if (auto alignment = op->getAttrOfType<IntegerAttr>(kAlignmentAttr))
      result.alignments[name] = alignment.getInt();
  }

  void define(halide::OutputOp op) {
    Halide::Func &func = result.funcs.at(op.getFunc().str());
    setLayout(op, func.output_buffer());
    result.outputs.push_back(func);
  }

  // Names a func's loop variables and binds them to the block's arguments.
  std::vector<Halide::Var> bindVars(ArrayAttr names, Block &body,
                                    Loops &loops) {
    std::vector<Halide::Var> vars;
    for (auto [name, argument] :
         llvm::zip(names.getAsValueRange<StringAttr>(), body.getArguments())) {
      vars.emplace_back(name.str());
      values[argument] = vars.back();
      loops.insert_or_assign(name.str(), vars.back());
    }
    return vars;
  }

  void define(halide::FuncOp op) {
    std::string name = op.getSymName().str();
    Halide::Func func(name);
    Block &body = op.getBody().front();
    Loops loops;
    auto vars = bindVars(op.getVars(), body, loops);
    halide::OutputOp output = outputs.lookup(name);
    std::vector<Expr> ends;
    if (output) {
      ends = extentsOf(output);
      promised = result.guards.promises(name, vars, ends);
    }
    LogicalResult computed = compute(body);
    promised.clear();
    if (failed(computed))
      return;
    Halide::Tuple elements = yielded(body);
    func(vars) = output ? result.guards.guard(name, func, vars, ends, elements)
                        : elements;
    if (hasWhole(body.getTerminator()->getOperands()))
      wholeFuncs.insert(op.getSymName());
    result.funcs[name] = func;
    result.stages.insert_or_assign(stageKey(name, std::nullopt),
                                   TranslatedStage{func, std::move(loops)});
  }

  void define(halide::UpdateOp op) {
    std::string name = op.getFunc().str();
    Halide::Func &func = result.funcs.at(name);
    Block &body = op.getBody().front();
    int number = func.num_update_definitions();
    Loops loops;
    auto vars = bindVars(op.getVars(), body, loops);
    std::vector<Expr> coordinates(vars.begin(), vars.end());

    Halide::Region region;
    for (const Expr &extent : extentsOf(op))
      region.push_back({0, extent});
    Halide::RDom domain;
    if (!region.empty())
      domain = Halide::RDom(region);
    for (auto [index, varName] :
         llvm::enumerate(op.getReductionVars().getAsValueRange<StringAttr>())) {
      Halide::RVar var = domain[index];
      values[body.getArgument(vars.size() + index)] = var;
      loops.insert_or_assign(varName.str(), Halide::VarOrRVar(var));
    }
    reduction = &domain;
    if (failed(compute(body)))
      return;
    auto yield = cast<halide::YieldOp>(body.getTerminator());
    if (!yield.getCoordinates().empty()) {
      coordinates.clear();
      for (Value coordinate : yield.getCoordinates())
        coordinates.push_back(values.lookup(coordinate));
    }
    Halide::Tuple next = yielded(body);
    if (dependOnEachOther(yield, name))
      next = storeTogether(func(coordinates), next,
                           domain.defined() ? Expr(domain[0]) : Expr(vars[0]));
    func(coordinates) = overDomain(domain, next);
    result.stages.insert_or_assign(
        stageKey(name, number),
        TranslatedStage{func.update(number), std::move(loops)});
  }

  // Whether an update reads of its own func what is at another index than the
  // value that it is read for.
  static bool dependOnEachOther(halide::YieldOp yield, StringRef func) {
    for (auto [index, value] : llvm::enumerate(yield.getValues())) {
      llvm::SetVector<Value> used;
      used.insert(value);
      for (size_t next = 0; next < used.size(); ++next) {
        Operation *producer = used[next].getDefiningOp();
        if (!producer)
          continue;
        auto read = dyn_cast<halide::AccessOp>(producer);
        if (read && read.getSource() == func && read.getIndex() != index)
          return true;
        used.insert_range(producer->getOperands());
      }
    }
    return false;
  }

  // Halide computes all values of an update before it stores one, if these read
  // each other's old values. It overlooks old values inside of strict_float and
  // reinterpret. So each new value stands beside all old ones, in a choice that
  // LLVM makes and Halide does not: `number`, an i32, equals itself.
  static Halide::Tuple storeTogether(const Halide::FuncRef &old,
                                     Halide::Tuple next, const Expr &number) {
    Expr isTrue = hidden(number) == number;
    for (size_t index = 0; index < next.size(); ++index)
      isTrue = isTrue || Halide::cast<float>(old[index]) != 0.0f;
    for (size_t index = 0; index < next.size(); ++index)
      next[index] = selectBits(isTrue, next[index],
                               Halide::Internal::make_zero(next[index].type()));
    return next;
  }

  // Halide goes through a domain only where some value names a variable of it.
  static Halide::Tuple overDomain(const Halide::RDom &domain,
                                  Halide::Tuple values) {
    if (!domain.defined())
      return values;
    for (int dim = 0; dim < domain.dimensions(); ++dim)
      for (const Expr &value : values.as_vector())
        if (Halide::Internal::expr_uses_var(value, domain[dim].name()))
          return values;
    values[0] = Halide::select(domain[0] >= 0, values[0], values[0]);
    return values;
  }

  Halide::Tuple yielded(Block &body) {
    std::vector<Expr> exprs;
    for (Value value : cast<halide::YieldOp>(body.getTerminator()).getValues())
      exprs.push_back(values.lookup(value));
    return Halide::Tuple(exprs);
  }

  //===-- Maths -----------------------------------------------------------===//

  LogicalResult compute(Block &body) {
    for (Operation &op : body.without_terminator())
      if (failed(compute(&op)))
        return error = failure();
    return success();
  }

  LogicalResult compute(Operation *op) {
    if (auto where = dyn_cast<halide::WhereOp>(op)) {
      Expr condition = values.lookup(where.getCondition());
      // Halide would make a bound of it, of a loop over tokens by what a
      // sequence has; loops over threads become one, where no bound may depend
      // on another loop.
      bool isScatter =
          !cast<halide::YieldOp>(where->getBlock()->getTerminator())
               .getCoordinates()
               .empty();
      reduction->where(isOnDevice && isScatter ? hiddenCondition(condition)
                                               : condition);
      return success();
    }
    SmallVector<Expr> o;
    for (Value operand : op->getOperands())
      o.push_back(values.lookup(operand));
    bool readsWhole = hasWhole(op->getOperands());
    if (isa<arith::SelectOp>(op) && readsWhole)
      o[0] = hiddenCondition(o[0]);
    Expr expr = toExpr(op, o);
    if (!expr.defined())
      return op->emitOpError("cannot be translated to Halide");
    values[op->getResult(0)] = expr;
    auto access = dyn_cast<halide::AccessOp>(op);
    if (readsWhole || (access && wholeFuncs.contains(access.getSource())))
      wholeValues.insert(op->getResult(0));
    return success();
  }

  static Expr hiddenCondition(const Expr &condition) {
    return hidden(Halide::cast<int8_t>(condition)) != 0;
  }

  bool hasWhole(OperandRange operands) const {
    return llvm::any_of(
        operands, [&](Value value) { return wholeValues.contains(value); });
  }

  Expr access(halide::AccessOp op, ArrayRef<Expr> coordinates) {
    std::string name = op.getSource().str();
    std::vector<Expr> at(coordinates.begin(), coordinates.end());
    if (!promised.empty() && !result.guards.isPart(name))
      for (Expr &coordinate : at)
        coordinate = Halide::Internal::substitute(promised, coordinate);
    auto input = result.inputs.find(name);
    if (input != result.inputs.end())
      return input->second(at);
    Halide::Func &func = result.funcs.at(name);
    Halide::FuncRef ref = func(at);
    return func.outputs() == 1 ? Expr(ref) : Expr(ref[op.getIndex()]);
  }

  Expr toExpr(Operation *op, ArrayRef<Expr> o) {
    return llvm::TypeSwitch<Operation *, Expr>(op)
        .Case([&](halide::AccessOp op) { return access(op, o); })
        .Case([&](halide::PromiseClampedOp) {
          // Calls check no numbers that are in a device's memory.
          return isOnDevice ? Halide::clamp(o[0], o[1], o[2])
                            : Halide::unsafe_promise_clamped(o[0], o[1], o[2]);
        })
        .Case([&](halide::UndefOp op) {
          return Halide::undef(*toHalideType(op.getType()));
        })
        .Default([&](Operation *op) { return translateScalar(op, o); });
  }

  bool isOnDevice;
  TranslatedPipeline &result;
  llvm::StringMap<halide::OutputOp> outputs; ///< by their funcs
  /// Variables of the output that is computed, which is read below their ends.
  std::map<std::string, Expr> promised;
  llvm::DenseMap<Value, Expr> values;
  // Funcs of which the schedule promises an extent, those that read them, and
  // what is computed of either. Where a comparison of coordinates chooses
  // between values, Halide computes a func only for those that are chosen,
  // which is less than the promise: such conditions are hidden from it.
  llvm::StringSet<> wholeFuncs;
  llvm::DenseSet<Value> wholeValues;
  Halide::RDom *reduction = nullptr;
  LogicalResult error = success();
};

} // namespace

LogicalResult heddle::translateAlgorithm(halide::PipelineOp pipeline,
                                         bool isOnDevice,
                                         TranslatedPipeline &result) {
  return AlgorithmTranslator(isOnDevice, result).run(pipeline);
}

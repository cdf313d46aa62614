// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

Value KernelBuilder::param(SizeAttr size) {
  Value &value = params[size];
  if (value)
    return value;
  // Parameters stand first, whatever is being built when one is needed.
  OpBuilder::InsertionGuard guard(builder);
  Block &body = pipeline.getBody().front();
  builder.setInsertionPoint(&body, std::next(body.begin(), params.size() - 1));
  return value = halide::ParamOp::create(builder, loc(), size);
}

Value KernelBuilder::size(SizeAttr size) {
  if (Value known = sizes.lookup(size))
    return known;
  SmallVector<Value> operands;
  bool isQuotient =
      size.getKind() == SizeKind::FloorDiv || size.getKind() == SizeKind::Mod;
  if (isQuotient)
    for (Attribute operand : size.getOperands())
      operands.push_back(this->size(cast<SizeAttr>(operand)));
  Value value = isQuotient || size.asNumber() ? Value() : param(size);
  // After the parameters, and before what uses them.
  OpBuilder::InsertionGuard guard(builder);
  Block &body = pipeline.getBody().front();
  builder.setInsertionPoint(&body, llvm::find_if(body, [](Operation &op) {
    return isa<halide::InputOp, halide::FuncOp>(op);
  }));
  if (std::optional<int64_t> number = size.asNumber())
    value = constant(builder, *number);
  else if (size.getKind() == SizeKind::FloorDiv)
    value =
        arith::FloorDivSIOp::create(builder, loc(), operands[0], operands[1]);
  else if (isQuotient)
    value = halide::ModOp::create(builder, loc(), operands[0], operands[1]);
  return sizes[size] = value;
}

Value KernelBuilder::task(SizeAttr count, SizeAttr inOrder) {
  Value tasks = param(count), group = inOrder ? param(inOrder) : Value();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(tasks);
  while (isa<halide::ParamOp>(*builder.getInsertionPoint()))
    builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  return halide::TaskOp::create(builder, loc(), tasks, group);
}

std::string KernelBuilder::unique(StringRef name) {
  unsigned count = names[name]++;
  return count ? (name + "_" + Twine(count)).str() : name.str();
}

halide::FuncOp KernelBuilder::func(
    StringRef name, ArrayRef<StringRef> vars, TypeRange types,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  auto func = halide::FuncOp::create(
      builder, loc(), unique(name), builder.getStrArrayAttr(vars),
      builder.getTypeArrayAttr(SmallVector<Type>(types)),
      halide::ReductionAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      &func.getBody(), {}, SmallVector<Type>(vars.size(), builder.getI32Type()),
      SmallVector<Location>(vars.size(), loc()));
  SmallVector<Value> values = body(builder, block->getArguments());
  halide::YieldOp::create(builder, loc(), values, ValueRange());
  return func;
}

halide::FuncOp KernelBuilder::func(StringRef name, ArrayRef<StringRef> vars,
                                   Type type, Body body) {
  return func(name, vars, TypeRange(type),
              [&](OpBuilder &b, ValueRange arguments) {
                return SmallVector<Value>{body(b, arguments)};
              });
}

void KernelBuilder::update(
    halide::FuncOp func, ArrayRef<Range> ranges,
    llvm::function_ref<void(OpBuilder &, ValueRange)> body) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> staticExtents;
  SmallVector<Value> extents;
  for (const Range &range : ranges) {
    names.push_back(builder.getStringAttr(range.var));
    staticExtents.push_back(range.extent);
    if (range.dynamicExtent)
      extents.push_back(range.dynamicExtent);
  }
  auto update = halide::UpdateOp::create(
      builder, loc(), func.getSymName(), func.getVars(),
      builder.getArrayAttr(names), extents,
      builder.getDenseI64ArrayAttr(staticExtents));
  size_t count = func.getRank() + ranges.size();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      &update.getBody(), {}, SmallVector<Type>(count, builder.getI32Type()),
      SmallVector<Location>(count, loc()));
  body(builder, block->getArguments());
}

KernelBuilder::Range KernelBuilder::rangeOf(StringRef var, SizeAttr size) {
  Range range{var};
  if (std::optional<int64_t> number = size.asNumber())
    range.extent = *number;
  else
    range.dynamicExtent = this->size(size);
  return range;
}

Value KernelBuilder::access(OpBuilder &b, StringRef symbol, Type type,
                            ValueRange coordinates, int64_t index) {
  return halide::AccessOp::create(b, loc(), type, symbol, index, coordinates);
}

// Panels are outermost in memory, and their elements innermost.
Value KernelBuilder::read(OpBuilder &b, Value value,
                          ArrayRef<Value> coordinates) {
  if (auto known = inlined.find(value); known != inlined.end())
    return known->second(b, coordinates);
  const Field &field = fields.at(value);
  SmallVector<Value> stored(llvm::reverse(coordinates));
  Value inGroup, number;
  if (field.grouped)
    inGroup = divide(b, stored[stored.size() - 1 - *field.grouped],
                     field.layout.getGroup());
  if (field.shared)
    number = divide(b, stored[stored.size() - 1 - *field.shared], field.shares);
  if (field.layout) {
    size_t place = stored.size() - 1 - field.layout.getDimension();
    Value panel = stored[place];
    Value lane = divide(b, panel, field.layout.getWidth());
    stored.erase(stored.begin() + place);
    stored.insert(stored.begin(), lane);
    stored.push_back(panel);
    if (inGroup)
      stored.insert(stored.begin(), inGroup);
  }
  Value element = access(b, field.symbol, field.type, stored);
  return number ? emitHalf(b, field, element, number) : element;
}

Value KernelBuilder::compose(OpBuilder &b, Value part, int64_t count,
                             Value inside) {
  Value first = arith::MulIOp::create(b, loc(), part, constant(b, count));
  Value element = arith::AddIOp::create(b, loc(), first, inside);
  composed[{element, count}] = {part, inside};
  return element;
}

Value KernelBuilder::divide(OpBuilder &b, Value &element, int64_t count) {
  auto known = composed.find({element, count});
  if (known != composed.end()) {
    element = known->second.first;
    return known->second.second;
  }
  Value number = constant(b, count);
  Value inside = halide::ModOp::create(b, loc(), element, number);
  element = arith::FloorDivSIOp::create(b, loc(), element, number);
  return inside;
}

// In 16 bits, of which CPUs shift vectors; of bytes they do not.
Value KernelBuilder::emitHalf(OpBuilder &b, const Field &field, Value place,
                              Value number) {
  constexpr int64_t width = 4;
  Type i16 = b.getI16Type();
  auto bits = [&](int64_t count) -> Value {
    return arith::ConstantIntOp::create(b, loc(), i16, count);
  };
  if (place.getType() != i16)
    place = arith::ExtUIOp::create(b, loc(), i16, place);
  Value code;
  for (int64_t index = 0; index < field.shares; ++index) {
    Value own;
    if (field.hasSign) {
      own = arith::ShLIOp::create(b, loc(), place,
                                  bits(16 - width - index * width));
      own = arith::ShRSIOp::create(b, loc(), own, bits(16 - width));
    } else {
      own = arith::ShRUIOp::create(b, loc(), place, bits(index * width));
      own = arith::AndIOp::create(b, loc(), own, bits((1 << width) - 1));
    }
    if (!code) {
      code = own;
      continue;
    }
    Value isIt = arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::eq,
                                       number, constant(b, index));
    code = arith::SelectOp::create(b, loc(), isIt, own, code);
  }
  return arith::TruncIOp::create(b, loc(), b.getI8Type(), code);
}

Value KernelBuilder::readNumber(OpBuilder &b, Value value,
                                ArrayRef<Value> coordinates) {
  Value number = read(b, value, coordinates);
  Type i32 = b.getI32Type(), type = number.getType();
  if (type == i32)
    return number;
  auto limit = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc(), type, value);
  };
  number = arith::MaxSIOp::create(b, loc(), number, limit(INT32_MIN));
  number = arith::MinSIOp::create(b, loc(), number, limit(INT32_MAX));
  return arith::TruncIOp::create(b, loc(), i32, number);
}

Value KernelBuilder::constant(OpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, loc(), b.getI32Type(), value);
}

Value KernelBuilder::constantF(OpBuilder &b, double value) {
  return arith::ConstantFloatOp::create(b, loc(), b.getF32Type(),
                                        APFloat(float(value)));
}

Value KernelBuilder::promiseBelow(OpBuilder &b, Value value, Value count) {
  Value last = arith::SubIOp::create(b, loc(), count, constant(b, 1));
  return halide::PromiseClampedOp::create(b, loc(), value, constant(b, 0),
                                          last);
}

Value KernelBuilder::toF32(OpBuilder &b, Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(b, loc(), b.getF32Type(), value);
}

// 2^x = 2^n 2^f with n the integer nearest to x, whose bits are added to those
// of 2^f as its exponent. 2^f is the polynomial of degree 5 with p(0) = 1 whose
// largest relative error on [-1/2, 1/2] is the least (Remez exchange): 9.2e-8.
// Of NaN, 2^f is NaN and stays so: CPUs convert it to the integer -2^31, of
// which the shift leaves 0.
Value heddle::emitExp2NotAbove0(KernelBuilder &k, OpBuilder &b, Value x) {
  Location loc = k.loc();
  // 2^-125 times 2^f is still a normal number.
  Value isBelow = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                                        k.constantF(b, -125.0));
  Value nearest = math::RoundEvenOp::create(b, loc, x);
  Value f = arith::SubFOp::create(b, loc, x, nearest);
  Value p = k.constantF(b, 0.00132647272559408);
  for (double coefficient : {0.009671512700171535, 0.05550733743663047,
                             0.24022242084450882, 0.6931469775986021, 1.0})
    p = arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, p, f),
                              k.constantF(b, coefficient));
  Type i32 = b.getI32Type();
  Value exponent = arith::FPToSIOp::create(b, loc, i32, nearest);
  exponent = arith::ShLIOp::create(b, loc, exponent, k.constant(b, 23));
  Value bits = arith::BitcastOp::create(b, loc, i32, p);
  bits = arith::AddIOp::create(b, loc, bits, exponent);
  bits = arith::SelectOp::create(b, loc, isBelow, k.constant(b, 0), bits);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

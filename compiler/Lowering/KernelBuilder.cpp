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

// Dimension `dim` of `value`: a constant, or a parameter.
static Value dimension(KernelBuilder &k, Value value, unsigned dim) {
  SizeAttr size = sizesOf(value)[dim];
  if (std::optional<int64_t> number = size.asNumber())
    return k.constant(k.builder, *number);
  return k.param(size);
}

Value KernelBuilder::batchOf(Value value) { return dimension(*this, value, 0); }

Value KernelBuilder::lengthOf(Value value) {
  return dimension(*this, value, 1);
}

Value KernelBuilder::rowsOf(Value value) {
  return param(heddle::rowsOf(cast<RankedTensorType>(value.getType())));
}

void KernelBuilder::store(Value value) {
  bool isResult = llvm::any_of(
      value.getUsers(), [](Operation *user) { return isa<YieldOp>(user); });
  // A result is stored anyway.
  if (!isResult)
    storeInWorkspace(value);
}

void KernelBuilder::storeInWorkspace(Value value) {
  Field &field = fields.at(value);
  if (!pipeline.lookupSymbol<halide::FuncOp>(field.symbol) ||
      !stored.insert(field.symbol).second)
    return;
  SmallVector<int64_t> extents(field.channels), strides;
  int64_t channels = 1;
  for (int64_t extent : extents) {
    strides.push_back(channels);
    channels *= extent;
  }
  extents.push_back(ShapedType::kDynamic);
  strides.push_back(machine.rowStride(channels));
  halide::OutputOp::create(builder, loc(), field.symbol, rowsOf(value), extents,
                           builder.getDenseI64ArrayAttr(strides), IntegerAttr(),
                           IntegerAttr());
}

std::pair<Value, Value> KernelBuilder::splitRow(OpBuilder &b, Value value,
                                                Value m) {
  if (cast<RankedTensorType>(value.getType()).getDimSize(1) == 1)
    return {m, constant(b, 0)};
  Value length = lengthOf(value);
  return {arith::FloorDivSIOp::create(b, loc(), m, length),
          halide::ModOp::create(b, loc(), m, length)};
}

Value KernelBuilder::access(OpBuilder &b, StringRef symbol, Type type,
                            ValueRange coordinates, int64_t index) {
  return halide::AccessOp::create(b, loc(), type, symbol, index, coordinates);
}

Value KernelBuilder::read(OpBuilder &b, const Field &field, Value channel,
                          Value row) {
  SmallVector<Value> coordinates;
  Value rest = channel;
  ArrayRef<int64_t> dims = field.channels;
  for (int64_t extent : dims.take_front(dims.empty() ? 0 : dims.size() - 1)) {
    Value size = constant(b, extent);
    coordinates.push_back(halide::ModOp::create(b, loc(), rest, size));
    rest = arith::FloorDivSIOp::create(b, loc(), rest, size);
  }
  if (!dims.empty())
    coordinates.push_back(rest);
  if (field.hasRows)
    coordinates.push_back(row);
  return access(b, field.symbol, field.type, coordinates);
}

Value KernelBuilder::readElement(OpBuilder &b, Value value,
                                 ArrayRef<Value> coordinates) {
  const Field &field = fields.at(value);
  if (!field.isTensor && coordinates.size() == 2)
    return readPanel(b, field, coordinates[0], coordinates[1]);
  SmallVector<Value> reversed(llvm::reverse(coordinates));
  return access(b, field.symbol, field.type, reversed);
}

Value KernelBuilder::readPanel(OpBuilder &b, const Field &weight, Value output,
                               Value input) {
  Value width = constant(b, machine.panelWidth);
  Value lane = halide::ModOp::create(b, loc(), output, width);
  Value panel = arith::FloorDivSIOp::create(b, loc(), output, width);
  return toF32(b, access(b, weight.symbol, weight.type, {lane, input, panel}));
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
  // 2^-125 times 2^f is still a normal number. A select, not a maximum, is one
  // instruction and keeps NaN.
  Value smallest = k.constantF(b, -125.0);
  Value isBelow =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, smallest);
  x = arith::SelectOp::create(b, loc, isBelow, smallest, x);
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
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

Value heddle::emitExp2(KernelBuilder &k, OpBuilder &b, Value x) {
  Value largest = k.constantF(b, 127.0);
  return emitExp2NotAbove0(k, b,
                           arith::MinimumFOp::create(b, k.loc(), x, largest));
}

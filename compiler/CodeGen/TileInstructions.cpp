// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a tile of rows by c times 16 columns, c registers. A place is what
// one column of 32 bits of a register holds: four bytes, or two bf16.
//
//   sums[j] = 0, or what has been stored                      for j < c
//   for 16 places:
//     row = 16 places of each row; sums[j] += row * (16 places of 16 columns)
//   the same for the places that are left, in registers of their shape
//   store sums[j]
//
// It takes some two hundred cycles to say what shape registers have. A function
// keeps in mind how many rows those of its last tile had, and says so again
// where they are others.

#include "compiler/CodeGen/TileInstructions.h"

#include "compiler/Lowering/LibraryFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace heddle;

static constexpr unsigned kBytes = 4 * kTileColumns; // of a row of a register

// Registers: sums are the first ones, then a row and columns of 16 places, and
// of those that are left.
static constexpr unsigned kRow = 4, kColumn = 5, kLastRow = 6, kLastColumn = 7;

namespace {
/// The arguments of a call, and what is known of them.
struct Shape {
  llvm::StringRef function, kind; ///< parts of its name
  uint64_t parts, places;

  static Shape of(const llvm::CallInst &call, llvm::StringRef function,
                  llvm::StringRef kind) {
    auto number = [&](unsigned fromEnd) {
      unsigned index = call.arg_size() - fromEnd;
      return llvm::cast<llvm::ConstantInt>(call.getArgOperand(index))
          ->getZExtValue();
    };
    return {function, kind, number(2), number(1)};
  }

  /// Places that do not fill a register.
  uint64_t left() const { return places % kTileColumns; }
  std::string name() const {
    return (function + kind + "_" + llvm::Twine(parts) + "_" +
            llvm::Twine(places))
        .str();
  }
};

class TileModule {
public:
  explicit TileModule(llvm::Module &module) : module(module) {}

  void collect(llvm::StringRef function, llvm::StringRef kind) {
    llvm::Function *declared = module.getFunction((function + kind).str());
    if (!declared)
      return;
    declarations.push_back(declared);
    for (llvm::User *user : declared->users()) {
      auto *call = llvm::cast<llvm::CallInst>(user);
      callers[call->getFunction()].push_back(
          {call, Shape::of(*call, function, kind)});
    }
  }

  // Registers keep their shape from call to call, unless others have another
  // one.
  void define() {
    for (auto &[function, calls] : callers) {
      llvm::Value *rows = addRows(*function);
      std::optional<uint64_t> left = sharedLeft(calls);
      bool mayChange = !left || callsOthers(*function);
      for (const PlacedCall &placed : calls) {
        llvm::CallInst *call = replace(placed, left, rows);
        llvm::IRBuilder<> b(call);
        if (mayChange)
          b.CreateStore(b.getInt32(0), rows);
      }
      for (llvm::BasicBlock &block : *function)
        if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
          llvm::IRBuilder<>(end).CreateIntrinsic(
              llvm::Intrinsic::x86_tilerelease, {});
    }
    for (llvm::Function *declared : declarations)
      declared->eraseFromParent();
  }

private:
  struct PlacedCall {
    llvm::CallInst *call;
    Shape shape;
  };

  // How many places are left that all calls can have the registers of; none
  // where these are several numbers beside 0.
  static std::optional<uint64_t> sharedLeft(llvm::ArrayRef<PlacedCall> calls) {
    uint64_t shared = 0;
    for (const PlacedCall &placed : calls)
      if (uint64_t left = placed.shape.left()) {
        if (shared > 0 && left != shared)
          return std::nullopt;
        shared = left;
      }
    return shared;
  }

  // `rows` are where a caller has how many registers have.
  llvm::CallInst *replace(const PlacedCall &placed,
                          std::optional<uint64_t> left, llvm::Value *rows) {
    llvm::CallInst *call = placed.call;
    llvm::IRBuilder<> b(call);
    llvm::SmallVector<llvm::Value *> arguments;
    for (unsigned buffer : {0, 3, 6}) {
      arguments.push_back(b.CreateGEP(b.getInt8Ty(),
                                      call->getArgOperand(buffer),
                                      call->getArgOperand(buffer + 1)));
      arguments.push_back(call->getArgOperand(buffer + 2));
    }
    arguments.push_back(call->getArgOperand(9));
    arguments.push_back(rows);
    llvm::Function *function =
        functionOf(placed.shape, left.value_or(placed.shape.left()));
    llvm::CallInst *defined = b.CreateCall(function, arguments);
    call->replaceAllUsesWith(b.getInt32(0));
    call->eraseFromParent();
    return defined;
  }

  // 0, or how many registers have.
  static llvm::Value *addRows(llvm::Function &function) {
    llvm::IRBuilder<> b(&function.getEntryBlock().front());
    llvm::Value *rows = b.CreateAlloca(b.getInt32Ty());
    b.CreateStore(b.getInt32(0), rows);
    return rows;
  }

  static bool isOfTiles(const llvm::Function &function) {
    return llvm::any_of(kTileFunctions, [&](llvm::StringRef name) {
      return function.getName().starts_with(name);
    });
  }

  // Whether a call of something else may run tasks, which have registers of
  // their own.
  static bool callsOthers(llvm::Function &function) {
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
          llvm::Function *callee = call->getCalledFunction();
          bool isKnown =
              callee && (callee->isIntrinsic() || isOfTiles(*callee) ||
                         callee->doesNotAccessMemory());
          if (!isKnown)
            return true;
        }
    return false;
  }

  // Palette 1: the bytes of a row are 16 numbers of 16 bits from byte 16 on,
  // the rows 8 bits each from byte 48 on (Intel SDM, volume 1, 18.3).
  llvm::GlobalVariable *configurationOf(uint64_t left) {
    llvm::GlobalVariable *&global = configurations[left];
    if (global)
      return global;
    llvm::SmallVector<uint8_t, kBytes> bytes(kBytes, 0);
    bytes[0] = 1;
    auto set = [&](unsigned tile, unsigned rows, unsigned rowBytes) {
      bytes[16 + 2 * tile] = rowBytes;
      bytes[48 + tile] = rows;
    };
    for (unsigned tile = 0; tile <= kColumn; ++tile)
      set(tile, kTileRows, kBytes);
    if (left > 0) {
      set(kLastRow, kTileRows, 4 * left);
      set(kLastColumn, left, kBytes);
    }
    auto *data = llvm::ConstantDataArray::get(module.getContext(),
                                              llvm::ArrayRef(bytes));
    global = new llvm::GlobalVariable(
        module, data->getType(),
        /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, data, "tiles");
    global->setAlignment(llvm::Align(kBytes));
    return global;
  }

  // `left` is how many places the registers of the last ones have.
  llvm::Function *functionOf(const Shape &shape, uint64_t left);

  llvm::Module &module;
  llvm::SmallVector<llvm::Function *> declarations;
  llvm::MapVector<llvm::Function *, llvm::SmallVector<PlacedCall>> callers;
  llvm::DenseMap<uint64_t, llvm::GlobalVariable *> configurations;
};

/// The body of such a function.
class TileSums {
public:
  TileSums(llvm::Function *function, const Shape &shape, uint64_t left,
           llvm::GlobalVariable *configuration)
      : function(function), shape(shape), left(left),
        configuration(configuration), b(function->getContext()) {
    llvm::Value **values[] = {&sums,    &sumsOfRow,  &rows,     &rowBytes,
                              &columns, &placeBytes, &rowCount, &known};
    for (auto [value, argument] : llvm::zip_equal(values, function->args()))
      *value = &argument;
  }

  void build() {
    auto *entry = block("entry"), *compare = block("compare"),
         *set = block("set"), *add = block("add"), *done = block("done");
    b.SetInsertPoint(entry);
    llvm::AllocaInst *own = b.CreateAlloca(configuration->getValueType());
    own->setAlignment(llvm::Align(kBytes));
    // A register has at least one row.
    b.CreateCondBr(b.CreateICmpSLT(rowCount, b.getInt32(1)), done, compare);

    b.SetInsertPoint(compare);
    llvm::Value *isSet =
        b.CreateICmpEQ(b.CreateLoad(b.getInt32Ty(), known), rowCount);
    b.CreateCondBr(isSet, add, set);

    b.SetInsertPoint(set);
    setRows(own);
    b.CreateStore(rowCount, known);
    b.CreateBr(add);

    b.SetInsertPoint(add);
    addPlaces(add);
    for (unsigned part = 0; part < shape.parts; ++part)
      call(llvm::Intrinsic::x86_tilestored64, sumsOf(part));
    b.CreateBr(done);

    b.SetInsertPoint(done);
    b.CreateRetVoid();
  }

private:
  llvm::BasicBlock *block(const char *name) {
    return llvm::BasicBlock::Create(function->getContext(), name, function);
  }
  void call(llvm::Intrinsic::ID intrinsic,
            llvm::ArrayRef<llvm::Value *> arguments) {
    b.CreateIntrinsic(intrinsic, arguments);
  }
  llvm::Value *offset(llvm::Value *pointer, llvm::Value *bytes) {
    return b.CreateGEP(b.getInt8Ty(), pointer, bytes);
  }

  // A register, and where its sums are stored.
  llvm::SmallVector<llvm::Value *> sumsOf(unsigned part) {
    return {b.getInt8(part), offset(sums, b.getInt64(part * kBytes)),
            sumsOfRow};
  }

  // The shape of registers with `rowCount` rows.
  void setRows(llvm::Value *own) {
    b.CreateMemCpy(own, llvm::Align(kBytes), configuration, llvm::Align(kBytes),
                   kBytes);
    llvm::Value *count = b.CreateTrunc(rowCount, b.getInt8Ty());
    llvm::SmallVector<unsigned> tiles{kRow};
    // Calls with more of them have the same shape.
    for (unsigned part = 0; part < kMostTileParts; ++part)
      tiles.push_back(part);
    if (left > 0)
      tiles.push_back(kLastRow);
    for (unsigned tile : tiles)
      b.CreateStore(count, offset(own, b.getInt64(48 + tile)));
    call(llvm::Intrinsic::x86_ldtilecfg, {own});
  }

  void addPlaces(llvm::BasicBlock *before) {
    bool isZero = shape.function == kTileSums;
    for (unsigned part = 0; part < shape.parts; ++part)
      if (isZero)
        call(llvm::Intrinsic::x86_tilezero, {b.getInt8(part)});
      else
        call(llvm::Intrinsic::x86_tileloadd64, sumsOf(part));
    uint64_t whole = shape.places / kTileColumns;
    if (whole > 0) {
      auto *loop = block("loop"), *after = block("after");
      b.CreateBr(loop);
      b.SetInsertPoint(loop);
      auto *index = b.CreatePHI(b.getInt64Ty(), 2);
      index->addIncoming(b.getInt64(0), before);
      addTile(index, kRow, kColumn);
      llvm::Value *next = b.CreateAdd(index, b.getInt64(1));
      index->addIncoming(next, loop);
      b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(whole)), loop, after);
      b.SetInsertPoint(after);
    }
    if (shape.left() > 0)
      addTile(b.getInt64(whole), kLastRow, kLastColumn);
  }

  // The products of 16 places, those from 16 times `index` on.
  void addTile(llvm::Value *index, unsigned row, unsigned column) {
    llvm::Value *places = b.CreateMul(index, b.getInt64(kTileColumns));
    call(llvm::Intrinsic::x86_tileloadd64,
         {b.getInt8(row), offset(rows, b.CreateMul(places, b.getInt64(4))),
          rowBytes});
    llvm::Value *first = offset(columns, b.CreateMul(places, placeBytes));
    for (unsigned part = 0; part < shape.parts; ++part) {
      call(llvm::Intrinsic::x86_tileloadd64,
           {b.getInt8(column), offset(first, b.getInt64(part * kBytes)),
            placeBytes});
      call(multiply(), {b.getInt8(part), b.getInt8(row), b.getInt8(column)});
    }
  }

  llvm::Intrinsic::ID multiply() const {
    return llvm::StringSwitch<llvm::Intrinsic::ID>(shape.kind)
        .Case("ss", llvm::Intrinsic::x86_tdpbssd)
        .Case("su", llvm::Intrinsic::x86_tdpbsud)
        .Case("us", llvm::Intrinsic::x86_tdpbusd)
        .Case("uu", llvm::Intrinsic::x86_tdpbuud)
        .Case("bf16", llvm::Intrinsic::x86_tdpbf16ps);
  }

  llvm::Function *function;
  Shape shape;
  uint64_t left; ///< places of the registers that the last ones are in
  llvm::GlobalVariable *configuration;
  llvm::IRBuilder<> b;
  llvm::Value *sums, *sumsOfRow, *rows, *rowBytes, *columns, *placeBytes,
      *rowCount, *known;
};
} // namespace

llvm::Function *TileModule::functionOf(const Shape &shape, uint64_t left) {
  std::string name = shape.name();
  if (left != shape.left())
    name += "_" + std::to_string(left);
  if (llvm::Function *known = module.getFunction(name))
    return known;
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0),
             *i64 = llvm::Type::getInt64Ty(context);
  auto *type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, i64, pointer, i64, pointer, i64,
                               llvm::Type::getInt32Ty(context), pointer},
                              /*isVarArg=*/false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::InternalLinkage, name, module);
  function->setDoesNotThrow();
  TileSums(function, shape, left, configurationOf(left)).build();
  return function;
}

void heddle::defineTileSums(llvm::Module &module) {
  TileModule tiles(module);
  for (llvm::StringRef function : kTileFunctions)
    for (llvm::StringRef kind : kTileKinds)
      tiles.collect(function, kind);
  tiles.define();
}

bool heddle::usesTileRegisters(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.getIntrinsicID() == llvm::Intrinsic::x86_ldtilecfg &&
           !function.use_empty();
  });
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/EmbeddedWeights.h"

#include "llvm/IR/Constants.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using ElfFile = llvm::object::ELF64LEFile;

// GNU's and LLVM's linkers place sections of such names behind all others.
static std::string sectionOf(llvm::StringRef target) {
  return ".lrodata.heddle_weights" + (target.empty() ? "" : "." + target.str());
}
// As offsets of data in the weights file, and pages.
static constexpr uint64_t kAlignment = 4096;

llvm::GlobalVariable *heddle::reserveEmbeddedWeights(llvm::Module &module,
                                                     llvm::StringRef prefix,
                                                     llvm::StringRef target) {
  llvm::Constant *empty = llvm::ConstantAggregateZero::get(
      llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 1));
  auto *weights = new llvm::GlobalVariable(
      module, empty->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, empty, prefix + "_weights");
  weights->setSection(sectionOf(target));
  weights->setAlignment(llvm::Align(kAlignment));
  return weights;
}

// Fields of an object that this program has made can be changed in place.
template <typename T> static T &writable(const T &field) {
  return const_cast<T &>(field);
}

// The symbol in the section of that index gets the size of its contents.
static llvm::Error setSymbolSize(const ElfFile &elf,
                                 ElfFile::Elf_Shdr_Range sections,
                                 size_t sectionIndex, uint64_t size) {
  for (const ElfFile::Elf_Shdr &table : sections) {
    if (table.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = elf.symbols(&table);
    if (!symbols)
      return symbols.takeError();
    for (const ElfFile::Elf_Sym &symbol : *symbols)
      if (symbol.st_shndx == sectionIndex &&
          symbol.getType() == llvm::ELF::STT_OBJECT)
        writable(symbol).st_size = size;
  }
  return llvm::Error::success();
}

// Makes the section of that name `size` bytes at `offset` of the file.
static llvm::Error placeSection(const ElfFile &elf, llvm::StringRef wanted,
                                uint64_t offset, uint64_t size) {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (auto [index, section] : llvm::enumerate(*sections)) {
    auto name = elf.getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != wanted)
      continue;
    writable(section).sh_offset = offset;
    writable(section).sh_size = size;
    return setSymbolSize(elf, *sections, index, size);
  }
  return llvm::createStringError("the object has no section %s",
                                 wanted.str().c_str());
}

llvm::Error heddle::writeObject(llvm::MutableArrayRef<char> object,
                                llvm::ArrayRef<TargetWeights> weights,
                                llvm::raw_ostream &file) {
  auto elf = ElfFile::create(llvm::StringRef(object.data(), object.size()));
  if (!elf)
    return elf.takeError();
  uint64_t end = object.size();
  for (const TargetWeights &each : weights) {
    uint64_t offset = llvm::alignTo(end, kAlignment);
    end = offset + each.file->getBufferSize();
    if (llvm::Error error =
            placeSection(*elf, sectionOf(each.target), offset, end - offset))
      return error;
  }
  file.write(object.data(), object.size());
  for (const TargetWeights &each : weights) {
    file.write_zeros(
        llvm::offsetToAlignment(file.tell(), llvm::Align(kAlignment)));
    file << each.file->getBuffer();
  }
  return llvm::Error::success();
}

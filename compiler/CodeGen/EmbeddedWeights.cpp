// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/EmbeddedWeights.h"

#include "llvm/IR/Constants.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using ElfFile = llvm::object::ELF64LEFile;

// GNU's and LLVM's linkers place sections of this name behind all others.
static constexpr llvm::StringLiteral kSection = ".lrodata.heddle_weights";
// As offsets of data in the weights file, and pages.
static constexpr uint64_t kAlignment = 4096;

llvm::GlobalVariable *heddle::reserveEmbeddedWeights(llvm::Module &module,
                                                     llvm::StringRef prefix) {
  llvm::Constant *empty = llvm::ConstantAggregateZero::get(
      llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 1));
  auto *weights = new llvm::GlobalVariable(
      module, empty->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, empty, prefix + "_weights");
  weights->setSection(kSection);
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

llvm::Error heddle::writeObject(llvm::MutableArrayRef<char> object,
                                llvm::StringRef weights,
                                llvm::raw_ostream &file) {
  auto elf = ElfFile::create(llvm::StringRef(object.data(), object.size()));
  if (!elf)
    return elf.takeError();
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();
  uint64_t offset = llvm::alignTo(object.size(), kAlignment);
  for (auto [index, section] : llvm::enumerate(*sections)) {
    auto name = elf->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != kSection)
      continue;
    writable(section).sh_offset = offset;
    writable(section).sh_size = weights.size();
    if (llvm::Error error =
            setSymbolSize(*elf, *sections, index, weights.size()))
      return error;
    file.write(object.data(), object.size());
    file.write_zeros(offset - object.size());
    file << weights;
    return llvm::Error::success();
  }
  return llvm::createStringError("the object has no section %s",
                                 kSection.data());
}

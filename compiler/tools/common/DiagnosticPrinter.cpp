// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/DiagnosticPrinter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace heddle;

// The names in a location: several where ops were fused.
static std::string namesIn(Location location) {
  llvm::SetVector<StringRef> names;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.insert(name.getName());
    return WalkResult::advance();
  });
  return llvm::join(names, ", ");
}

static bool isInFile(Location location) {
  return location
      ->walk([](Location part) {
        return isa<FileLineColRange>(part) ? WalkResult::interrupt()
                                           : WalkResult::advance();
      })
      .wasInterrupted();
}

static raw_ostream &printSeverity(raw_ostream &os, StringRef prefix,
                                  DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return llvm::WithColor::error(os, prefix);
  case DiagnosticSeverity::Warning:
    return llvm::WithColor::warning(os, prefix);
  case DiagnosticSeverity::Note:
    return llvm::WithColor::note(os, prefix);
  case DiagnosticSeverity::Remark:
    return llvm::WithColor::remark(os, prefix);
  }
  llvm_unreachable("all severities are covered");
}

DiagnosticPrinter::DiagnosticPrinter(llvm::SourceMgr &sources,
                                     MLIRContext *context)
    : SourceMgrDiagnosticHandler(sources, context, stream) {
  // The op of a failed kernel is thousands of lines; its location names it.
  context->printOpOnDiagnostic(false);
  setHandler([this](Diagnostic &diagnostic) {
    print(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      print(note);
  });
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  Location location = diagnostic.getLocation();
  if (isInFile(location)) {
    emitDiagnostic(location, diagnostic.str(), diagnostic.getSeverity());
    return;
  }
  std::string names = namesIn(location);
  printSeverity(os, names.empty() ? "heddlec" : names, diagnostic.getSeverity())
      << diagnostic.str() << '\n';
}

// A function without sizes, whose name is that of something local to the object.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --prefix=fixed -o fixed.o
// RUN: FileCheck %s < fixed.h
// RUN: %cc -Wextra -pedantic -I. -fsyntax-only -include fixed.h -x c /dev/null
// RUN: c++ -Wall -Wextra -pedantic -Werror -I. -I%project/runtime -fsyntax-only -include fixed.h -x c++ /dev/null
// RUN: nm --defined-only --extern-only fixed.o | FileCheck %s --check-prefix=NAMES

// CHECK: fixed_string_workspace_size(
// CHECK-NEXT: {{^ *}}size_t *bytes, heddle_error *error) {
// CHECK-NEXT: return heddle_workspace_size(heddle_find_entry(&fixed_model, "string"), NULL, bytes, error);
// NAMES: D fixed_model
// NAMES-NEXT: T fixed_string{{$}}
func.func @string(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = arith.addf %x, %x : tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

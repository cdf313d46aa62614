// Caches of different sizes: each argument's has a function of its own that measures it,
// and where a name means two sizes, that of each entry point.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --prefix=two -o two.o
// RUN: FileCheck %s < two.h
// RUN: %cc -Wextra -I. -fsyntax-only -include two.h -x c /dev/null

// CHECK-NOT: cache_size(
// CHECK: heddle_status two_fill_either_cache_size(int64_t batch, int64_t capacity,
// CHECK: heddle_argument_size(heddle_find_entry(&two_model, "fill"), 6, sizes, bytes, error);
// CHECK: heddle_status two_other_either_cache_size(int64_t batch, int64_t capacity,
// CHECK: heddle_argument_size(heddle_find_entry(&two_model, "other"), 3, sizes, bytes, error);
// CHECK: heddle_status two_large_cache_size(int64_t batch, int64_t capacity,
// CHECK: heddle_argument_size(heddle_find_entry(&two_model, "fill"), 5, sizes, bytes, error);
// CHECK: heddle_status two_small_cache_size(int64_t batch, int64_t capacity,
// CHECK: heddle_argument_size(heddle_find_entry(&two_model, "fill"), 4, sizes, bytes, error);
// CHECK-NOT: cache_size(
module attributes {heddle.positions = 64 : i64} {
func.func @fill(%k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %l: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %small: !heddle.cache<1 x 1 x 16 x f32> {heddle.name = "small", heddle.sizes = ["batch", "capacity"]},
    %large: !heddle.cache<1 x 4 x 16 x f32> {heddle.name = "large", heddle.sizes = ["batch", "capacity"]},
    %either: !heddle.cache<1 x 1 x 16 x f32> {heddle.name = "either", heddle.sizes = ["batch", "capacity"]})
    -> (!heddle.cache<1 x 1 x 16 x f32>, !heddle.cache<1 x 4 x 16 x f32>, !heddle.cache<1 x 1 x 16 x f32>) {
  %a = heddle.cache.append %small, %k, %k layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  %b = heddle.cache.append %large, %l, %l layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 4 x 16 x f32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  %c = heddle.cache.append %either, %k, %k layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  return %a, %b, %c : !heddle.cache<1 x 1 x 16 x f32>, !heddle.cache<1 x 4 x 16 x f32>, !heddle.cache<1 x 1 x 16 x f32>
}

func.func @other(%l: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %either: !heddle.cache<1 x 4 x 16 x f32> {heddle.name = "either", heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 4 x 16 x f32> {
  %a = heddle.cache.append %either, %l, %l layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 4 x 16 x f32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  return %a : !heddle.cache<1 x 4 x 16 x f32>
}
}

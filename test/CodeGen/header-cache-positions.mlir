// Caches of as many bytes in a position, of which one has more positions for the same
// sizes: no function gives the bytes of one for the other.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --prefix=two -o two.o
// RUN: FileCheck %s < two.h
// RUN: %cc -Wextra -I. -fsyntax-only -include two.h -x c /dev/null

// CHECK-NOT: cache_size(
// CHECK: heddle_status two_plain_cache_cache_size(int64_t batch, int64_t capacity,
// CHECK: heddle_find_entry(&two_model, "plain"), 3,
// CHECK: heddle_status two_doubled_cache_cache_size(int64_t batch, int64_t capacity,
// CHECK: heddle_find_entry(&two_model, "doubled"), 3,
// CHECK-NOT: cache_size(
module attributes {heddle.positions = 64 : i64} {
func.func @plain(%k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 1 x 16 x f32> {
  %a = heddle.cache.append %cache, %k, %k layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  return %a : !heddle.cache<1 x 1 x 16 x f32>
}

func.func @doubled(%k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "2 * capacity"]})
    -> !heddle.cache<1 x 1 x 16 x f32> {
  %a = heddle.cache.append %cache, %k, %k layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  return %a : !heddle.cache<1 x 1 x 16 x f32>
}
}

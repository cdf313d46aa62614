halide.schedule @f_linear_1 {
  halide.specialize @result "batch * source" ge 6 {
    halide.split @result "d1" into ("panel", "lane") by 16
    halide.split @result "d0" into ("row_tile", "row") by 6 tail(guard_with_if)
    halide.split @result "row_tile" into ("block", "tile") by 5 tail(guard_with_if)
    halide.reorder @result ["lane", "row", "tile", "panel", "block"]
    halide.vectorize @result "lane" by 8
    halide.unroll @result "lane"
    halide.unroll @result "row"
    halide.fuse @result ("panel", "block") into "task"
    halide.parallel @result "task"
  }
  halide.split @result "d1" into ("panel", "lane") by 16
  halide.split @result "d0" into ("row_tile", "row") by 1
  halide.split @result "row_tile" into ("block", "tile") by 6 tail(guard_with_if)
  halide.reorder @result ["lane", "row", "tile", "panel", "block"]
  halide.vectorize @result "lane" by 8
  halide.unroll @result "lane"
  halide.unroll @result "row"
  halide.compute_at @accumulator @result "tile"
  halide.store_in @accumulator register
  halide.bound_extent @accumulator "d1" 16
  halide.vectorize @accumulator "d1" by 8
  halide.unroll @accumulator "d1"
  halide.unroll @accumulator "d0"
  halide.reorder @accumulator update(0) ["d1", "d0", "r0"]
  halide.vectorize @accumulator update(0) "d1" by 8
  halide.unroll @accumulator update(0) "d1"
  halide.unroll @accumulator update(0) "d0"
}

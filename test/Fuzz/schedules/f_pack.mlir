halide.schedule @f_pack {
  halide.reorder @generic ["d4", "d3", "d2", "d1", "d0"]
  halide.vectorize @generic "d4" by 8
  halide.parallel @generic "d0"
}

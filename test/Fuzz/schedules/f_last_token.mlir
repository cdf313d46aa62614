halide.schedule @f_last_token {
  halide.reorder @generic ["d1", "d0"]
  halide.vectorize @generic "d1" by 8
  halide.split @generic "d0" into ("block", "step") by 16 tail(guard_with_if)
  halide.parallel @generic "block"
}

// Two models in one program, in C++.

#include "dates.h"
#include "small_dates.h"

#include <cstdio>

int main() {
  heddle_error error = {};
  heddle_weights *inside = nullptr, *beside = nullptr;
  if (heddle_weights_open(&dates_model, nullptr, HEDDLE_WEIGHTS_VERIFY, nullptr,
                          &inside, &error) ||
      heddle_weights_open(&small_dates_model, WEIGHTS, HEDDLE_WEIGHTS_VERIFY,
                          nullptr, &beside, &error))
    std::puts(error.message);
  else
    std::printf("%s of %d ids, %s for %s\n", dates_model.name, DATES_VOCABULARY,
                small_dates_model.name, small_dates_model.target_cpu);
  heddle_weights_close(inside);
  heddle_weights_close(beside);
}

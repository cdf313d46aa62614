/* Opens the weights of a model that needs tile registers after it has set a
 * signal stack of so many bytes, and says what comes of it. */
#define _GNU_SOURCE
#include "tiles.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  size_t size = argc > 1 ? (size_t)atol(argv[1]) : 0;
  stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
  heddle_weights *weights = NULL;
  heddle_error error = {0};
  if (sigaltstack(&stack, NULL))
    return 2;
  if (heddle_weights_open(&tiles_model, "tiles.weights", 0, NULL, &weights,
                          &error)) {
    puts(error.message);
    return 1;
  }
  puts("opened");
  heddle_weights_close(weights);
  return 0;
}

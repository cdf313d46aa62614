// Ways to bring a weights file into a program that are not heddlec's, each with
// what heddle_weights_bind says of it: argv[1] is "incbin", "array" or
// "objcopy".

#include "dates.h"

#include <stdio.h>
#include <string.h>

// The assembler aligns what it includes.
__asm__(".section .rodata\n"
        ".balign 4096\n"
        "incbin_weights: .incbin \"dates.weights\"\n"
        "incbin_end:\n"
        ".text\n");
extern const char incbin_weights[], incbin_end[];

// An array, as `xxd -i` writes it, has the alignment that it is given.
#ifdef ARRAY
static const unsigned char array_weights[] __attribute__((aligned(64))) = {
#include "dates.array"
};
#else
static const unsigned char array_weights[1];
#endif

// objcopy knows no alignment unless it is told.
extern const char _binary_dates_weights_start[], _binary_dates_weights_end[];

int main(int argc, char **argv) {
  heddle_error error = {0};
  heddle_weights *weights = NULL;
  const void *data = incbin_weights;
  size_t size = (size_t)(incbin_end - incbin_weights);
  if (argc > 1 && strcmp(argv[1], "array") == 0) {
    data = array_weights;
    size = sizeof(array_weights);
  } else if (argc > 1 && strcmp(argv[1], "objcopy") == 0) {
    data = _binary_dates_weights_start;
    size = (size_t)(_binary_dates_weights_end - _binary_dates_weights_start);
  }
  heddle_weights_bind(&dates_model, data, size, HEDDLE_WEIGHTS_VERIFY, NULL,
                      &weights, &error);
  printf("%s %s\n", heddle_status_name((heddle_status)error.status),
         error.message);
  heddle_weights_close(weights);
  return 0;
}

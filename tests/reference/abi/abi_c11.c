#include "tests/reference/abi/abi_program.h"

_Static_assert(__STDC_VERSION__ == 201112L, "this unit tests the header as C11");

int main(void) { return abi_program("C11"); }

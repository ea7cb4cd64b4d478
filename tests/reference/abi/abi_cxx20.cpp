#include "tests/reference/abi/abi_program.h"

static_assert(__cplusplus == 202002L, "this unit tests the header as C++20");

int main() { return abi_program("C++20"); }

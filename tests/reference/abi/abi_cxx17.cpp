#include "tests/reference/abi/abi_program.h"

static_assert(__cplusplus == 201703L, "this unit tests the header as C++17");

int main() { return abi_program("C++17"); }

#include "cli/program/program.hpp"

int main(int argc, char** argv) { return mx::cli::run_program(argc, argv); }

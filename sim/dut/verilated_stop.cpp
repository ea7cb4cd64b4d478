// How $stop, $fatal and failed assertions of Verilated code end: as an error of the device, not as
// an abort of the program. Verilator calls these functions because the library is built with
// VL_USER_FINISH, VL_USER_STOP and VL_USER_FATAL.
#include <fmt/format.h>
#include <verilated.h>

#include "sim/dut/dut.hpp"

namespace {

[[noreturn]] void end(const char* what, const char* file, int line) {
  throw mx::sim::DutError(fmt::format("rtl: {} at {}:{}", what, file, line));
}

}  // namespace

void vl_finish(const char* filename, int linenum, const char*) {
  end("$finish", filename, linenum);
}
void vl_stop(const char* filename, int linenum, const char*) {
  end("an assertion failed or $stop was called (message above)", filename, linenum);
}
void vl_fatal(const char* filename, int linenum, const char*, const char* message) {
  end(message, filename, linenum);
}

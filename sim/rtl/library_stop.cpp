// How $stop, $fatal and failed assertions end in a library that sim/rtl/load.cpp compiles: as an
// exception, which its caller turns into an error of the device. Part of no other program.
#include <verilated.h>

#include <stdexcept>
#include <string>

namespace {

[[noreturn]] void end(const std::string& what, const char* file, int line) {
  throw std::runtime_error(what + " at " + file + ":" + std::to_string(line));
}

}  // namespace

void vl_finish(const char* file, int line, const char*) { end("$finish", file, line); }
void vl_stop(const char* file, int line, const char*) {
  end("an assertion failed or $stop was called", file, line);
}
void vl_fatal(const char* file, int line, const char*, const char* message) {
  end(message, file, line);
}

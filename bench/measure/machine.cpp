#include "bench/measure/machine.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "fast/cpu/block_plan.hpp"

namespace mx::goals {

namespace {

/// The first line of a file, or "unknown".
std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? line : "unknown";
}

/// The first line of /proc/cpuinfo under a key.
std::string cpu_fact(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

std::string machine_words() {
  std::ostringstream words;
  words << "processor: " << cpu_fact("model name") << ", family " << cpu_fact("cpu family")
        << " model " << cpu_fact("model\t") << ", " << sysconf(_SC_NPROCESSORS_ONLN)
        << " processors\n"
        << "flags: " << cpu_fact("flags") << "\n"
        << "governor: " << first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        << "\n"
        << "load average: " << first_line("/proc/loadavg") << "\n"
        << "huge pages: " << first_line("/sys/kernel/mm/transparent_hugepage/enabled") << "\n"
        << "ours: " << MX_GOALS_COMPILER << ", vectors " << fast::cpu_target() << "\n";
  return words.str();
}

}  // namespace mx::goals

#include "tests/support/report.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/stream.hpp"

namespace mx::oracle {

std::string hex(std::uint64_t value, int digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value % 16]);
    value /= 16;
  } while (value != 0);
  while (static_cast<int>(text.size()) < digits) text.insert(text.begin(), '0');
  return text;
}

std::string reproduce_command() {
  std::ifstream arguments("/proc/self/cmdline");
  std::string program;
  std::getline(arguments, program, '\0');
  std::ostringstream out;
  out << "MX_TEST_SEED=" << test_seed() << ' ' << program;
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  if (info != nullptr) {
    out << " --gtest_filter='" << info->test_suite_name() << '.' << info->name() << '\'';
  }
  return out.str();
}

std::string Report::text() const {
  std::ostringstream out;
  out << mismatches_ << " of " << cases_ << " comparisons differ\n";
  for (const std::string& example : examples_) out << "  " << example << '\n';
  if (!classes_.empty()) {
    out << "  classes:";
    for (const auto& [name, count] : classes_) out << ' ' << name << '=' << count;
    out << '\n';
  }
  out << "  reproduce: " << reproduce_command();
  return out.str();
}

}  // namespace mx::oracle

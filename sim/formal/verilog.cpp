#include "sim/formal/verilog.hpp"

#include <fmt/format.h>

namespace mx::sim {

std::string verilog_of(const ComparisonChain& chain, std::span<const std::uint64_t> thresholds) {
  std::string text = fmt::format("  reg [{}:0] {};\n  always @* begin\n    {} = {}'d0;\n",
                                 chain.width - 1, chain.name, chain.name, chain.width);
  for (std::size_t n = 1; n < thresholds.size(); ++n) {
    text += fmt::format("    if ({} >= {}'d{}) {} = {}'d{};\n", chain.input, chain.input_width,
                        thresholds[n], chain.name, chain.width, n);
  }
  return text + "  end\n";
}

LookupTable::LookupTable(std::string_view name, int width, std::string_view index)
    : name_(name), width_(width), index_(index) {}

void LookupTable::add(std::string_view key, std::uint64_t value) {
  rows_ += fmt::format("      {}: {} = {}'d{};\n", key, name_, width_, value);
}

std::string LookupTable::verilog() const {
  return fmt::format(
      "  reg [{}:0] {};\n  always @* begin\n    {} = {}'d0;\n    case ({})\n{}      default: ;\n"
      "    endcase\n  end\n",
      width_ - 1, name_, name_, width_, index_, rows_);
}

}  // namespace mx::sim

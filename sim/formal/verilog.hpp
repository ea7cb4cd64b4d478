// Pieces of Verilog that certificates become: chains of comparisons and tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mx::sim {

/// Rank n where `input` is at least thresholds[n] and below the next; 0 below all. thresholds[0] is
/// not compared, the others do not fall. A register `name` of `width` bits.
struct ComparisonChain {
  std::string_view name;
  std::string_view input;
  int width = 8;
  int input_width = 32;
};
[[nodiscard]] std::string verilog_of(const ComparisonChain& chain,
                                     std::span<const std::uint64_t> thresholds);

/// A register whose value is looked up under the joined bits of `index`; 0 where no row stands.
class LookupTable {
 public:
  LookupTable(std::string_view name, int width, std::string_view index);
  /// `key` is a constant expression of the width of the index, "{2'd1, 1'b0}".
  void add(std::string_view key, std::uint64_t value);
  [[nodiscard]] std::string verilog() const;

 private:
  std::string name_;
  int width_;
  std::string index_;
  std::string rows_;
};

}  // namespace mx::sim

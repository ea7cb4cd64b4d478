// The reference (reference/unit) in place of a device.

#include <string_view>

#include "reference/unit/unit_dot.hpp"
#include "tests/device/matrix/ask.hpp"

namespace mx::probe {
namespace {

ElementFormat format_of(const Format& format) {
  if (format.name == kTf32.name) return formats::tf32;
  if (format.name == kFp32.name) return formats::fp32;
  if (format.name == kBf16.name) return formats::bf16;
  if (format.name == kFp16.name) return formats::fp16;
  return format.name == kE4m3.name ? formats::e4m3fn : formats::e5m2;
}

std::string_view unit_of(const Instruction& instruction) {
  if (instruction.a.name == kTf32.name) return "h100_tf32";
  if (instruction.a.bytes == 2) return "h100_f16";
  return instruction.name.starts_with("wgmma") ? "h100_wgmma_fp8" : "h100_mma_fp8";
}

/// The codes of packed words; tf32 stands in binary32, whose 13 low bits the unit drops.
std::vector<std::uint64_t> codes_of(const Format& format, const std::vector<std::uint32_t>& words) {
  const int bits = 8 * format.bytes;
  const int dropped = format.fraction_bits - format.kept_bits;
  std::vector<std::uint64_t> codes;
  for (const std::uint32_t word : words) {
    for (int at = 0; at < 32; at += bits) {
      codes.push_back((std::uint64_t{word} >> at & ((std::uint64_t{1} << bits) - 1)) >> dropped);
    }
  }
  return codes;
}

}  // namespace

Answer ask_device(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                  const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c) {
  const UnitDot dot = UnitDot::make({.unit = *find_unit(unit_of(instruction)),
                                     .a = {format_of(instruction.a)},
                                     .b = {format_of(instruction.b)},
                                     .result = format_of(instruction.output)})
                          .value();
  const std::vector<std::uint64_t> x = codes_of(instruction.a, a);
  const std::vector<std::uint64_t> y = codes_of(instruction.b, b);
  const auto k = static_cast<std::size_t>(instruction.k);
  Answer answer;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const DotOperand left{.scales = {}, .codes = std::span(x).subspan(i * k, k)};
    const DotOperand right{.scales = {}, .codes = std::span(y).subspan(i * k, k)};
    answer.d.push_back(static_cast<std::uint32_t>(dot(left, right, c[i])));
  }
  return answer;
}

std::string device_name() { return "none: the reference"; }

std::string obstacle() { return ""; }

}  // namespace mx::probe

// All 2^32 words of fp32 to the OCP element formats under every deterministic rounding, by the
// machine's best vector instructions, against the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <tuple>

#include "fast/cpu/targets.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/format/rows.hpp"
#include "reference/parallel/threads.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/support/print.hpp"

namespace mx {

static void PrintTo(Rounding rounding, std::ostream* out) { *out << token_of(rounding); }

}  // namespace mx

namespace mx::fast::test {
namespace {

using Case = std::tuple<ElementFormat, Rounding>;

class CpuEveryWord : public ::testing::TestWithParam<Case> {};

constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;
constexpr std::uint64_t kWords = std::uint64_t{1} << 32;

TEST_P(CpuEveryWord, Agrees) {
  MX_NEEDS_CPU_PATH();
  const auto& [format, rounding] = GetParam();
  ElementPolicy policy;
  policy.rounding = rounding;
  const ElementPlan plan = ElementPlan::make({formats::fp32, format, policy}).value();
  const Conversion conversion = Conversion::make({formats::fp32, format, policy}).value();
  std::atomic<std::uint64_t> compared = 0;
  std::atomic<std::uint64_t> mismatches = 0;
  share_work(kWords, kPiece, machine_threads(), [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> words(last - first);
    std::vector<std::uint64_t> wide(last - first);
    std::vector<std::uint64_t> expected(last - first);
    std::vector<std::byte> codes(last - first);
    for (std::uint64_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<std::uint32_t>(first + i);
      wide[i] = first + i;
    }
    bulk::convert(conversion, wide, {}, expected, {});
    const bool done = plan.convert(std::as_bytes(std::span(words)), codes);
    std::uint64_t wrong = done ? 0 : 1;
    for (std::uint64_t i = 0; i < words.size(); ++i) {
      wrong += std::to_integer<std::uint64_t>(codes[i]) != expected[i] ? 1u : 0u;
    }
    compared += words.size();
    mismatches += wrong;
  });
  EXPECT_EQ(compared, kWords);
  EXPECT_EQ(mismatches, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, CpuEveryWord,
                         ::testing::Combine(::testing::Values(formats::e4m3fn, formats::e5m2,
                                                              formats::e3m2fn, formats::e2m3fn,
                                                              formats::e2m1fn, formats::int8),
                                            ::testing::ValuesIn(deterministic_roundings())),
                         [](const auto& each) {
                           std::string rounding(token_of(std::get<1>(each.param)));
                           std::erase(rounding, '_');
                           return fmt::format("{}{}", std::get<0>(each.param).name, rounding);
                         });

}  // namespace
}  // namespace mx::fast::test

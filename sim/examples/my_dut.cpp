// A device under test of one's own in C++: FP32 -> MXFP4 through the harness, one configuration.
// docs/plug-in-your-dut.md walks through it. Exit status: 0 pass, 1 mismatch, 4 protocol.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "reference/format/table.hpp"
#include "sim/dut/queue.hpp"
#include "sim/report/report.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace {

using namespace mx::sim;

// QueueDut is a pipeline with valid and ready on both sides around compute(). A clocked device
// implements tick() of sim/dut/dut.hpp instead.
class MyDut : public QueueDut {
 public:
  [[nodiscard]] std::string_view name() const override { return "my_dut"; }

 private:
  // The design of this example: float arithmetic, exact here because a division by a power of two
  // and a comparison with seven constants round nothing.
  void compute(const BlockIn& in, BlockOut& out) override {
    out = {.keep = in.keep, .status = 0, .last = in.last};
    std::array<float, kLanes> x{};
    float amax = 0;
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((in.keep >> i & 1) != 0) std::memcpy(&x[i], &in.source[i], sizeof(float));
      if (std::isinf(x[i])) out.status |= 0x04FF;
      if (std::isnan(x[i])) out.status |= 0x08FF;
      amax = std::fmax(amax, std::fabs(x[i]));
    }
    if (out.status != 0) return;
    const int wanted = amax == 0 ? 0 : std::ilogb(amax) + 127 - 2;
    const int scale = wanted < 0 ? 0 : wanted;
    unsigned flags = (wanted < 0 ? 0x0100U : 0U) | (amax == 0 ? 0x0200U : 0U);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double m = std::ldexp(std::fabs(static_cast<double>(x[i])), 127 - scale);
      // A code is the number of decision points below; a point itself belongs to the even code.
      unsigned code = unsigned{m > 0.25} + unsigned{m >= 0.75} + unsigned{m > 1.25} +
                      unsigned{m >= 1.75} + unsigned{m > 2.5} + unsigned{m >= 3.5} +
                      unsigned{m > 5};
      if (m >= 7) flags |= 0x2000;
      if (code == 0 && m != 0) flags |= 0x1000;
      if (std::signbit(x[i])) code |= 8;
      out.codes[i] = static_cast<std::uint8_t>(code);
    }
    out.status = static_cast<std::uint16_t>(flags | static_cast<unsigned>(scale));
  }
};

}  // namespace

int main() {
  SuiteOptions suite;
  const Selection selection{{mx::formats::e2m1fn},
                            {mx::Rounding::kTiesToEven},
                            {mx::ScaleRule::kFloor},
                            {mx::formats::fp32}};
  suite.configs = selection.configurations(suite.random_bits);
  // This device has one configuration, so it must not be offered any other.
  suite.extras = ExtraPolicies::kAbsent;
  const SuiteSource source(suite);
  const RunResult result = run(
      source, [] { return std::make_unique<MyDut>(); }, RunOptions{});
  ReportFacts facts;
  facts.dut = "my_dut";
  facts.input = "suite smoke";
  facts.seed = suite.seed;
  facts.describe = [&](std::uint64_t i) { return source.describe(i); };
  facts.replay = [](std::uint64_t, std::uint64_t) { return "my_dut"; };
  fmt::print("{}{}", failures_text(result, facts), verdict_line(result, facts));
  return result.exit_code();
}

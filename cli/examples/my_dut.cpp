// A device under test of one's own in C++: FP32 -> MXFP4, one configuration, behind the whole
// command line of mxgold. docs/howto/cpp-dut.md walks through it.
//
//   my_dut                                    the suite smoke
//   my_dut --suite full --stall heavy         any option of mxgold run
//   my_dut --dut my_dut:away --shrink f.json  with a defect: ties go away from zero
//   my_dut replay f.json
#include <cmath>
#include <cstring>

#include "mxgold/cli/program/sim_main.hpp"
#include "mxgold/golden/config_word/config_word.hpp"
#include "mxgold/sim/dut/queue.hpp"

namespace {

using namespace mx::sim;

// QueueDut is a pipeline with valid and ready on both sides around compute(). A clocked device
// implements tick() of sim/dut/dut.hpp instead.
class MyDut : public QueueDut {
 public:
  explicit MyDut(bool is_away) : is_away_(is_away) {}

  [[nodiscard]] std::string_view name() const override {
    return is_away_ ? "my_dut:away" : "my_dut";
  }

  // What the device cannot do or cannot be told it must refuse, or it is judged by it.
  [[nodiscard]] std::string refusal(const mx::QuantizerConfig& config) const override {
    // As a word of docs/spec/rtl.md R5.6: all but the format is at its default.
    constexpr std::uint32_t kFp32ToMxfp4 = 4;
    const mx::golden::ConfigWord word = mx::golden::config_word_of(config);
    if (word.holds() && word.word == kFp32ToMxfp4 && config.format.elements() == kLanes) return {};
    return "the device does blocks of 32, fp32 to e2m1fn, ties_to_even, floor, default policies";
  }

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
      if (is_away_) code += unsigned{m == 0.25 || m == 1.25 || m == 2.5 || m == 5};
      if (m >= 7) flags |= 0x2000;
      if (code == 0 && m != 0) flags |= 0x1000;
      if (std::signbit(x[i])) code |= 8;
      out.codes[i] = static_cast<std::uint8_t>(code);
    }
    out.status = static_cast<std::uint16_t>(flags | static_cast<unsigned>(scale));
  }

  bool is_away_;
};

}  // namespace

int main(int argc, char** argv) {
  DutKind kind{.name = "my_dut", .argument = "[:away]", .help = "FP32 to MXFP4, or with a defect"};
  kind.arguments = [] { return std::vector<std::string_view>{"away"}; };
  kind.make = [](const DutRequest& request) -> DutFactory {
    return [is_away = request.argument == "away"] { return std::make_unique<MyDut>(is_away); };
  };
  return mx::sim_main(argc, argv, std::move(kind));
}

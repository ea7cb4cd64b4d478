#include "sim/formal/lane_thresholds.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <string>

#include "golden/certificates/certificate.hpp"
#include "golden/config_word/table.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "sim/formal/properties.hpp"
#include "sim/formal/verilog.hpp"
#include "sim/formal/word.hpp"

namespace mx::sim {
namespace {

using golden::LadderKind;
using golden::ThresholdCertificate;

constexpr int kFraction = 23;
constexpr int kNumberBits = 33;
constexpr int kRandomBits = 8;  // of the build whose lanes are proved

std::size_t place(auto value) { return static_cast<std::size_t>(value); }

/// A binary32 pattern as such a number under scale 1. The least pattern stands for anything above
/// zero, whatever its exponent.
std::uint64_t number_of(std::uint32_t pattern) {
  return pattern <= 1 ? pattern : pattern + (kScaledOffset << kFraction);
}

constexpr std::string_view kModule = R"(module mx_law (
    input wire [31:0] word_i,
    input wire [26:0] config_i,
    input wire [7:0] scale_i,
    input wire [7:0] random_i,
    output reg is_meant_o,
    output reg [7:0] code_o,
    output wire is_rounded_o,
    output wire underflow_o,
    output wire saturated_o
);
)";

/// One format's certificate as the module mx_property.
class LaneProperty {
 public:
  LaneProperty(std::string_view format, LaneRounding rounding, Property property)
      : format_(*find_format(format)),
        certificate_(golden::make_certificate(formats::fp32, format_)),
        set_(certificate_.set_of(Staging::kNone)),
        rounding_(rounding),
        property_(property) {}

  [[nodiscard]] std::string verilog() const {
    return std::string(kModule) + std::string(kWordVerilog) +
           (rounding_ == LaneRounding::kDeterministic ? ladders() : carries()) + ends() + answer() +
           "endmodule\n";
  }

 private:
  [[nodiscard]] std::vector<std::uint64_t> numbers(LadderKind kind) const {
    std::vector<std::uint64_t> made;
    for (const std::uint32_t t : set_.ladders[place(kind)].thresholds) made.push_back(number_of(t));
    // In the middle of a ladder that is free in every proof, by a step that bf16 has.
    const LadderKind used =
        rounding_ == LaneRounding::kDeterministic ? LadderKind::kNe : LadderKind::kTz;
    if (property_ == Property::kBroken && kind == used) made[made.size() / 2] += 1U << 16;
    return made;
  }

  [[nodiscard]] std::string chain(LadderKind kind) const {
    const std::string name = fmt::format("rank_{}", golden::kLadderNames[place(kind)]);
    return verilog_of({name, "u", 8, kNumberBits}, numbers(kind));
  }

  /// `rank` by the ladder of the rounding and the sign.
  [[nodiscard]] std::string ladders() const {
    std::string text;
    for (std::size_t kind = 0; kind < golden::kLadders; ++kind) {
      text += chain(static_cast<LadderKind>(kind));
    }
    text += "  reg [7:0] rank;\n  always @* begin\n    case ({rounding, sign})\n";
    for (std::size_t r = 0; r < golden::kRoundingCodes.size(); ++r) {
      for (const bool negative : {false, true}) {
        const LadderKind kind = golden::ladder_of(golden::kRoundingCodes[r], negative);
        text += fmt::format("      {{4'd{}, 1'b{}}}: rank = rank_{};\n", r, negative ? 1 : 0,
                            golden::kLadderNames[place(kind)]);
      }
    }
    return text + "      default: rank = 8'd0;\n    endcase\n  end\n";
  }

  /// `rank` of the neighbour below, and one more where the first bits of the way to the next,
  /// plus the random word, carry.
  [[nodiscard]] std::string carries() const {
    const std::vector<std::uint64_t> below = numbers(LadderKind::kTz);
    LookupTable start("start", kNumberBits, "rank_tz");
    LookupTable width("width", 5, "rank_tz");
    for (std::size_t k = 1; k + 1 < below.size(); ++k) {
      const auto& t = set_.ladders[place(LadderKind::kTz)].thresholds;
      start.add(fmt::format("8'd{}", k), number_of(t[k]));
      width.add(fmt::format("8'd{}", k),
                static_cast<std::uint64_t>(std::countr_zero(t[k + 1] - t[k])));
    }
    // From zero to the first value the way is one of values, not of patterns.
    std::vector<std::uint64_t> parts = {0};
    const std::uint64_t first = number_of(set_.ladders[place(LadderKind::kTz)].thresholds[1]);
    for (std::uint64_t j = 1; j < 1U << kRandomBits; ++j) {
      const int top = static_cast<int>(std::bit_width(j)) - 1;
      const std::uint64_t field = (first >> kFraction) - kRandomBits + static_cast<unsigned>(top);
      parts.push_back(field << kFraction | (j << (kFraction - top) & ((1U << kFraction) - 1)));
    }
    return chain(LadderKind::kTz) + start.verilog() + width.verilog() +
           verilog_of({"part", "u", kRandomBits, kNumberBits}, parts) +
           "  wire [32:0] way = (u - start) >> (width - 5'd8);\n"
           "  wire [7:0] cut = rank_tz == 8'd0 ? part : way[7:0];\n"
           "  wire [8:0] sum = {1'b0, cut} + {1'b0, random_i};\n"
           "  wire [7:0] rank = rank_tz + {7'd0, sum[8]};\n";
  }

  /// What the policies make of the ends of the thresholds.
  [[nodiscard]] std::string ends() const {
    LookupTable code("rank_code", 8, "{sign, rank}");
    LookupTable over("over_code", 8, "{overflow, int_min, rounding, sign}");
    LookupTable infinity("inf_code", 8, "{overflow, int_min, sign}");
    LookupTable nan("nan_code", 8, "{nan, sign}");
    LookupTable zero("zero_code", 8, "{zero_sign, sign}");
    LookupTable under("under_code", 8, "{zero_sign, sign}");
    const golden::SpecialCodes& special = certificate_.special;
    for (std::size_t sign = 0; sign < 2; ++sign) {
      for (std::size_t k = 0; k < certificate_.codes[sign].size(); ++k) {
        code.add(fmt::format("{{1'd{}, 8'd{}}}", sign, k), certificate_.codes[sign][k]);
      }
      for (std::size_t o = 0; o < golden::kOverflowCodes.size(); ++o) {
        const std::size_t at = golden::certified_index(golden::kOverflowCodes[o]);
        for (std::size_t m = 0; m < golden::kIntMinCodes.size(); ++m) {
          const std::size_t min = place(golden::kIntMinCodes[m]);
          infinity.add(fmt::format("{{2'd{}, 1'd{}, 1'd{}}}", o, m, sign),
                       special.infinity[at][min][sign]);
          // A random word has no say beyond the largest value: as to the nearest.
          for (std::size_t r = 0; r <= golden::kStochasticCode; ++r) {
            const Rounding rounding =
                r == golden::kStochasticCode ? Rounding::kTiesToEven : golden::kRoundingCodes[r];
            over.add(fmt::format("{{2'd{}, 1'd{}, 4'd{}, 1'd{}}}", o, m, r, sign),
                     special.overflow[at][min][golden::certified_index(rounding)][sign]);
          }
        }
      }
      for (std::size_t n = 0; n < golden::kNanCodes.size(); ++n) {
        nan.add(fmt::format("{{3'd{}, 1'd{}}}", n, sign),
                special.nan[golden::certified_index(golden::kNanCodes[n])][0][sign]);
      }
      for (std::size_t z = 0; z < golden::kZeroSignCodes.size(); ++z) {
        const std::size_t at = place(golden::kZeroSignCodes[z]);
        const std::string key = fmt::format("{{1'd{}, 1'd{}}}", z, sign);
        zero.add(key, special.zero[at][0][sign]);
        under.add(key, special.underflow[at][sign]);
      }
    }
    return code.verilog() + over.verilog() + infinity.verilog() + nan.verilog() + zero.verilog() +
           under.verilog();
  }

  [[nodiscard]] std::string answer() const {
    const auto top = [&](std::size_t sign) {
      return fmt::format("(int_min ? 8'd{} : 8'd{})", certificate_.top[sign][place(IntMin::kAllow)],
                         certificate_.top[sign][place(IntMin::kClampSymmetric)]);
    };
    return fmt::format(R"(  wire [7:0] top = sign ? {} : {};
  wire is_nan_scale = scale_i == 8'hFF;
  assign is_rounded_o = ~is_nan_scale & ~is_nan & ~is_inf & ~is_zero;
  assign underflow_o = is_rounded_o & (rank == 8'd0);
  assign saturated_o = is_rounded_o & (rank > top);
  always @* begin
    is_meant_o = is_nan_scale | is_nan | is_inf | is_zero | (exponent < 10'd{});
    if (is_nan_scale) code_o = nan_scale_codes ? 8'd{} : 8'd0;
    else if (is_nan) code_o = nan_code;
    else if (is_inf) code_o = inf_code;
    else if (is_zero) code_o = zero_code;
    else if (rank > top) code_o = over_code;
    else if (rank == 8'd0) code_o = under_code;
    else code_o = rank_code;
  end
)",
                       top(1), top(0), scaled_limit(format_),
                       format_.has_nan() ? format_.canonical_nan : 0);
  }

  ElementFormat format_;
  ThresholdCertificate certificate_;
  const golden::ThresholdSet& set_;
  LaneRounding rounding_;
  Property property_;
};

/// The lane beside its property.
std::string comparison(std::size_t format, LaneRounding rounding) {
  return fmt::format(
      R"(module mx_proof (
    input wire clk_i,
    input wire [31:0] word,
    input wire [26:0] settings,
    input wire [7:0] scale,
    input wire [7:0] random
);
  wire [26:0] config_word = {{settings[26:3], 3'd{}}};
  wire [7:0] code, law;
  wire is_meant, valid;
  lane_sweep #(.Lanes(1)) u_lane (.clk_i(clk_i), .valid_i(1'b1), .words_i(word), .config_i(config_word),
      .scale_i(scale), .random_i(random), .valid_o(valid), .codes_o(code));
  mx_law u_law (.word_i(word), .config_i(config_word), .scale_i(scale), .random_i(random),
                .is_meant_o(is_meant), .code_o(law));
  always @* begin
    assume (config_word[6:3] {} {});
    assume (config_word[11:10] < {});
    assume (config_word[13:12] < {});
    assume (config_word[21:19] < {});
    assume (is_meant);
    assert (code == law);
  end
endmodule
)",
      format, rounding == LaneRounding::kDeterministic ? "<" : "==", golden::kStochasticCode,
      golden::kSourceCodes.size(), golden::kOverflowCodes.size(), golden::kNanCodes.size());
}

std::vector<Obligation> made(LaneRounding rounding) {
  std::vector<Obligation> all;
  for (std::size_t f = 0; f < golden::kFormatCodes.size(); ++f) {
    const std::string_view name = golden::kFormatCodes[f];
    const bool is_drawn = rounding == LaneRounding::kStochastic;
    const std::string proof = comparison(f, rounding);
    all.push_back(
        {fmt::format("P1{}.{}", is_drawn ? "s" : "", name),
         fmt::format(
             "a lane's code is that of the threshold certificate of {}, for every word of "
             "fp32, bf16 and fp16 below 2^(emax + 1) times the scale, every scale code, {}, "
             "and every overflow, NaN, int_min, zero-sign and source subnormal policy",
             name,
             is_drawn ? "stochastic rounding A with every random word of 8 bits"
                      : "nine roundings"),
         FormalEngine::kSat, LaneProperty(name, rounding, Property::kRight).verilog() + proof,
         LaneProperty(name, rounding, Property::kBroken).verilog() + proof});
    all.back().free_settings = 0x7FFFFF8;
    all.back().settings = static_cast<std::uint32_t>(f);
  }
  return all;
}

}  // namespace

std::string lane_property(std::string_view format, LaneRounding rounding, Property property) {
  return LaneProperty(format, rounding, property).verilog();
}

std::vector<Obligation> lane_obligations() { return made(LaneRounding::kDeterministic); }

std::vector<Obligation> stochastic_lane_obligations() { return made(LaneRounding::kStochastic); }

}  // namespace mx::sim

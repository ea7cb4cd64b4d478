// A source word and what it is under a scale, in Verilog: what the properties of lanes and scales
// share.
#pragma once

#include <cstdint>
#include <string_view>

#include "reference/format/format.hpp"

namespace mx::sim {

/// A value under a scale is a number of 24 significant bits whose exponent leaves binary32's range:
/// its exponent field, less the scale code and plus that of scale 1, gets 10 bits, and this is
/// added so that none is negative.
inline constexpr std::uint64_t kScaledOffset = 256;

/// The exponent of such a number that no element of a block reaches: that of 2^(emax + 1).
[[nodiscard]] constexpr std::uint64_t scaled_limit(const ElementFormat& element) {
  return static_cast<std::uint64_t>(element.emax() + 1) + 127 + kScaledOffset;
}

/// From word_i, config_i and scale_i: the fields of the configuration; sign, is_nan, is_inf and
/// is_zero (src_ftz makes a zero of a subnormal); field_32 and significand, the exponent field of
/// binary32 (two's complement, 10 bits: below 1 for its subnormals) and the bits below the leading
/// one; u, the number under the scale, whose exponent is `exponent`.
inline constexpr std::string_view kWordVerilog = R"(  wire [1:0] source = config_i[11:10];
  wire [3:0] rounding = config_i[6:3];
  wire [1:0] overflow = config_i[13:12];
  wire nan_scale_codes = config_i[17];
  wire [2:0] nan = config_i[21:19];
  wire int_min = config_i[24];
  wire zero_sign = config_i[25];
  wire src_ftz = config_i[26];
  wire sign = source == 2'd0 ? word_i[31] : word_i[15];
  reg [7:0] field;
  reg [22:0] fraction;
  reg is_top;
  always @* begin
    case (source)
      2'd0: begin
        field = word_i[30:23];
        fraction = word_i[22:0];
        is_top = &field;
      end
      2'd1: begin
        field = word_i[14:7];
        fraction = {word_i[6:0], 16'd0};
        is_top = &field;
      end
      default: begin
        field = {3'd0, word_i[14:10]};
        fraction = {word_i[9:0], 13'd0};
        is_top = &field[4:0];
      end
    endcase
  end
  wire is_nan = is_top & (fraction != 23'd0);
  wire is_inf = is_top & (fraction == 23'd0);
  wire is_subnormal = field == 8'd0;
  wire is_zero = is_subnormal & ((fraction == 23'd0) | src_ftz);
  reg [4:0] zeros;
  integer i;
  always @* begin
    zeros = 5'd0;
    for (i = 0; i < 23; i = i + 1) if (fraction[i]) zeros = 22 - i;
  end
  wire [22:0] significand = is_subnormal ? (fraction << zeros) << 1 : fraction;
  wire [9:0] rebias = source == 2'd2 ? 10'd112 : 10'd0;
  wire [9:0] field_32 = (is_subnormal ? 10'd0 - {5'd0, zeros} : {2'd0, field}) + rebias;
  wire [9:0] exponent = field_32 + 10'd383 - {2'd0, scale_i};
  wire [32:0] u = {exponent, significand};
)";

}  // namespace mx::sim

// Every word of an answer that is compared is one that the module gave: fields on two ports, lanes
// and bits that no port has are refused with their place, and what may be said twice is not.
#include <array>
#include <string>

#include "tests/sim/device/fixture.hpp"

namespace mx::sim::test {
namespace {

using CarriedDevice = DeviceTest;

struct Change {
  const char* device;
  const char* from;
  const char* to;
  const char* words;
};

TEST_F(CarriedDevice, AResultHasOnePlace) {
  for (const Change& each :
       {Change{"fp32_to_e4m3", R"("y_o": {"field": "code"})",
               R"("y_o": {"field": "code"}, "x_o": {"field": "code"})",
               "output.ports.x_o gives code, which output.ports.y_o gives already; name each "
               "result field once"},
        Change{"fp32_to_e4m3", R"({"field": "code"})",
               R"([{"field": "flags", "width": 4}, {"field": "flags", "width": 4}])",
               "output.ports.y_o[1] gives flags, which output.ports.y_o[0] gives already"},
        Change{"fp32_to_e4m3", R"("y_o": {"field": "code"})",
               R"("y_o": {"field": "scale", "beats": "first"},
                  "x_o": {"field": "scale", "beats": "last"})",
               "output.ports.x_o gives scale, which output.ports.y_o gives already"},
        Change{"dequantize_fp4", R"({"field": "code"})",
               R"([{"field": "code", "lanes": 16, "slot": 16},
                   {"field": "code", "lanes": 16, "slot": 16}])",
               "output.ports.values_o[1] gives code, which output.ports.values_o[0] gives already"},
        Change{
            "widen_bf16", R"("ports": {"out_data_o": {"field": "code", "order": "high_first"}})",
            R"("packed": {"port": "out_data_o", "words": [{"field": "code"}, {"field": "code"}]})",
            "output.packed.words[1] gives code, which output.packed.words[0] gives already"},
        Change{"fp32_to_e4m3", R"({"field": "code"})", R"({"field": "source"})",
               "output.ports.y_o gives source, which is no result"},
        Change{"fp32_to_e4m3", R"("x_i": {"field": "source"})", R"("x_i": {"field": "code"})",
               "input.ports.x_i drives code, which is no operand"}}) {
    expect("run --dut device:" + variant(each.device, {{each.from, each.to}}) + " --suite smoke", 3,
           each.words);
  }
}

TEST_F(CarriedDevice, LanesAndBitsThatNoPortGivesAreRefused) {
  for (const Change& each :
       {Change{"dequantize_fp4", R"({"field": "code"})",
               R"({"field": "code", "lanes": 31, "slot": 16})",
               "output.ports.values_o gives 31 of 32 lanes of code"},
        Change{"dequantize_fp4", R"({"field": "a"})",
               R"([{"field": "a", "lanes": 31, "slot": 4}, {"value": 0, "width": 4}])",
               "input.ports.codes_i[0] drives 31 of 32 lanes of a"},
        Change{"widen_bf16", R"("code",)", R"("code", "lanes": 3, "slot": 32,)",
               "output.ports.out_data_o gives 3 of 4 lanes of code"},
        Change{"dequantize_fp4", R"({"field": "code"})",
               R"({"field": "code", "slot": 16, "width": 15})",
               "output.ports.values_o gives 15 of 16 bits of code"},
        Change{"dot_fp4", R"({"field": "code"})", R"({"field": "code", "slot": 32, "width": 16})",
               "output.ports.y_o gives 16 of 32 bits of code"},
        Change{"fp32_to_e4m3", R"({"field": "code"})", R"({"field": "code", "width": 7})",
               "output.ports.y_o gives 7 of 8 bits of code"},
        Change{"fp32_to_e4m3", R"({"field": "code"})", R"({"field": "flags", "width": 5})",
               "output.ports.y_o gives 5 of 6 bits of flags"}}) {
    const std::string file = variant(each.device, {{each.from, each.to}});
    for (const char* const again : {"first", "second"}) {  // compiled before, too
      SCOPED_TRACE(again);
      expect("run --dut device:" + file + " --suite smoke", 3, each.words);
    }
  }
}

// A value twice would be counted as two configurations.
TEST_F(CarriedDevice, AListHasNoValueTwice) {
  for (const Change& each :
       {Change{"fp32_to_e4m3", R"("rounding": "ties_to_even")",
               R"("rounding": ["ties_to_even", "ties_to_even"])",
               "configuration.rounding has 'ties_to_even' twice; leave one out"},
        Change{"fp32_to_e4m3", R"("nan": "any")", R"("nan": ["0x7f", "0xff", "0x7f"])",
               "output.nan has the code 0x7f twice"},
        Change{"fp32_to_e4m3", R"("sources": [")",
               R"("sources": [")" MX_DEVICES R"(/modules/../modules/fp32_to_e4m3.sv", ")",
               "modules/fp32_to_e4m3.sv' twice; leave one out"}}) {
    expect("run --dut device:" + variant(each.device, {{each.from, each.to}}) + " --suite smoke", 3,
           each.words);
  }
}

TEST_F(CarriedDevice, AnOperandMayDriveTwoPorts) {
  const std::string twice = variant(
      "dot_fp4", {{R"("b_scale_i": {"field": "b_scale"})", R"("b_scale_i": {"field": "a_scale"})"},
                  {R"("clock")", R"("assume": {"b_scale": "0x7f"}, "clock")"}});
  EXPECT_NE(mxgold("run --dut device:" + twice + " --suite smoke").exit, 3);
}

// As those under tie are.
TEST_F(CarriedDevice, ConstantsFitTheirBitsAndNamesAreOfTheField) {
  const std::string values = R"({"toward_zero": 0, "ties_to_even": 1})";
  const std::string select = R"({"select": "rounding", "values": )" + values + "}";
  for (const auto& [from, to, words] :
       {std::array{values, std::string(R"({"toward_zero": 2, "ties_to_even": 3})"),
                   std::string("input.ports.round_i.values.toward_zero is 2, which 1 bits do not")},
        std::array{values, std::string(R"({"toward_zero": 0, "ties_to_even": "0x11"})"),
                   std::string("input.ports.round_i.values.ties_to_even is 17, which 1 bits")},
        std::array{select, std::string(R"({"value": 2})"),
                   std::string("input.ports.round_i.value is 2, which 1 bits do not hold")},
        std::array{select, std::string(R"([{"value": 5, "width": 1}])"),
                   std::string("input.ports.round_i[0].value is 5, which 1 bits do not hold")},
        std::array{values, std::string(R"({"toward_zero": 0, "ties_to_even": 1, "ties_even": 0})"),
                   std::string("input.ports.round_i.values.ties_even is no value of rounding; "
                               "give one of ties_to_even, ")},
        std::array{select,
                   std::string(R"({"select": "destination", "values": {"bf16": 1, "bf17": 0}})"),
                   std::string("input.ports.round_i.values: unknown format 'bf17'")}}) {
    expect("run --suite smoke --dut device:" + variant("narrow_fp32", {{from, to}}), 3, words);
  }
}

// A port for a field that these records do not have shows noise.
TEST_F(CarriedDevice, AFieldThatRecordsDoNotHaveDrivesNothing) {
  const std::string other =
      variant("dot_fp4", {{R"("b_i": {"field": "b"})", R"("b_i": {"field": "c"})"},
                          {R"("clock")", R"("assume": {"b": "0x2"}, "clock")"}});
  expect("run --dut device:" + other + " --suite smoke", 1, "FAIL");
}

// A number with a bias has bits of its own: what is beyond them is a wrong answer, and no zero.
TEST_F(CarriedDevice, ANumberWithAnOffsetMayBeNarrow) {
  const std::string biased = variant(
      "fp32_to_e4m3", {{R"({"field": "code"})", R"({"field": "code", "width": 7, "offset": -1})"}});
  expect("run --dut device:" + biased + " --suite smoke", 1, "FAIL");
}

}  // namespace
}  // namespace mx::sim::test

#include <gtest/gtest.h>

#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
#include "tests/cli/files/byte_builder.hpp"

namespace mx::cli::test::safetensors_header_test {
namespace {

TensorTable parse(const std::string& bytes) {
  return parse_safetensors("m.safetensors", as_bytes(bytes));
}

std::string refusal(const std::string& bytes) {
  try {
    (void)parse(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(SafetensorsHeader, ListsTensorsInNameOrderWhateverTheFileOrder) {
  const std::string bytes = safetensors_file({{"b", "F32", "[2]", "abcdefgh"},
                                              {"a.x", "BF16", "[1,1]", "ij"},
                                              {"a", "F64", "[]", "klmnopqr"},
                                              {"ids", "I64", "[1]", "stuvwxyz"},
                                              {"B", "F16", "[0,3]", ""}});
  const TensorTable table = parse(bytes);
  ASSERT_EQ(table.tensors.size(), 5U);
  const char* const names[] = {"B", "a", "a.x", "b", "ids"};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(table.tensors[i].name, names[i]);
  EXPECT_EQ(table.tensors[3].elements, 2U);
  EXPECT_EQ(table.tensors[3].data.size(), 8U);
  EXPECT_EQ(table.tensors[3].data[0], std::byte{'a'});
  EXPECT_EQ(table.tensors[1].data[0], std::byte{'k'});
  EXPECT_EQ(table.tensors[4].format, nullptr);
  EXPECT_TRUE(table.tensors[1].shape.empty());
  EXPECT_EQ(table.tensors[0].elements, 0U);
}

TEST(SafetensorsHeader, ReadsMetadataAndPaddedHeaders) {
  const TensorTable table =
      parse(safetensors(R"({"__metadata__":{"format":"pt","k":"\u00e9"}}     )", ""));
  EXPECT_EQ(table.metadata.at("format"), "pt");
  EXPECT_EQ(table.metadata.at("k"), "\xC3\xA9");
  EXPECT_TRUE(table.tensors.empty());
}

TEST(SafetensorsHeader, KeepsTensorsOfUnknownTypesForTheSkipMessage) {
  const TensorTable table =
      parse(safetensors(R"({"q":{"dtype":"Q4_K","shape":[3],"data_offsets":[0,2]}})", "ab"));
  EXPECT_EQ(table.tensors.at(0).dtype, "Q4_K");
  EXPECT_EQ(table.tensors.at(0).format, nullptr);
}

TEST(SafetensorsHeader, AcceptsTypesNarrowerThanAByteThatEndOnOne) {
  const TensorTable table =
      parse(safetensors(R"({"q":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]}})", "ab"));
  EXPECT_EQ(table.tensors.at(0).elements, 4U);
}

struct Bad {
  const char* name;
  std::string bytes;
  const char* says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class SafetensorsBad : public testing::TestWithParam<Bad> {};

TEST_P(SafetensorsBad, IsRefusedWithPlaceAndField) {
  const std::string message = refusal(GetParam().bytes);
  EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with("m.safetensors: ")) << message;
}

/// One F32 tensor "t" with the fields given, over four data bytes.
std::string one(std::string_view fields) {
  return safetensors("{\"t\":{" + std::string(fields) + "}}", "abcd");
}
std::string shaped(std::string_view shape) {
  return one("\"dtype\":\"F32\",\"data_offsets\":[0,4],\"shape\":" + std::string(shape));
}
std::string placed(std::string_view offsets) {
  return one("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":" + std::string(offsets));
}
std::string two(std::string_view a, std::string_view b, std::string_view data) {
  std::string header = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)";
  header.append(a).append(R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)");
  header.append(b).append("}}");
  return safetensors(header, data);
}

INSTANTIATE_TEST_SUITE_P(
    Headers, SafetensorsBad,
    testing::Values(
        Bad{"Short", "abc", "byte 0: header length: 3 bytes"},
        Bad{"HeaderLongerThanFile", words({100}, 8) + "{}", "100 bytes announced, 2 left"},
        Bad{"HeaderAbsurd", words({~std::uint64_t{0}}, 8) + "{}", "is over 100000000"},
        Bad{"HeaderEmpty", words({0}, 8), "does not start with '{'"},
        Bad{"NoObject", safetensors("[1]", ""), "does not start with '{'"},
        Bad{"JsonCut", safetensors("{\"a\":", ""), "byte 13: header: is no JSON"},
        Bad{"JsonTwice", safetensors("{} {}", ""), "header: is no JSON"},
        Bad{"JsonNul", safetensors("{\"a\":1}" + std::string(1, '\0') + "{{", ""),
            "byte 15: header: is no JSON: byte 7 is 00"},
        Bad{"JsonNan", placed("[0,NaN]"), "header: is no JSON"},
        Bad{"JsonInfinity", placed("[0,1e999]"), "header: a number that is too large"},
        Bad{"JsonNotUtf8", safetensors("{\"\xFF\":1}", ""), "header: is no JSON"},
        Bad{"NameTwice",
            safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                        R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                        "xy"),
            "name \"a\" appears twice"},
        Bad{"FieldTwice", one(R"("dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4])"),
            "name \"dtype\" appears twice"},
        Bad{"TensorNoObject", safetensors(R"({"t":7})", ""), "tensor 't': not an object"},
        Bad{"MetadataNoObject", safetensors(R"({"__metadata__":1})", ""), "'__metadata__'"},
        Bad{"MetadataNoText", safetensors(R"({"__metadata__":{"a":1}})", ""),
            "field 'a': not a text"},
        Bad{"NoDtype", one(R"("shape":[1],"data_offsets":[0,4])"), "field 'dtype'"},
        Bad{"DtypeNoText", one(R"("dtype":4,"shape":[1],"data_offsets":[0,4])"), "field 'dtype'"},
        Bad{"NoShape", one(R"("dtype":"F32","data_offsets":[0,4])"), "field 'shape': missing"},
        Bad{"NoOffsets", one(R"("dtype":"F32","shape":[1])"), "field 'data_offsets': missing"},
        Bad{"ShapeNoList", shaped("1"), "field 'shape': not a list"},
        Bad{"ShapeNegative", shaped("[-1]"), "field 'shape[0]'"},
        Bad{"ShapeFraction", shaped("[1.0]"), "field 'shape[0]': '1.0'"},
        Bad{"ShapeText", shaped("[\"1\"]"), "field 'shape[0]'"},
        Bad{"ShapeBeyond64Bits", shaped("[18446744073709551616]"), "field 'shape[0]'"},
        Bad{"ShapeOverflow", shaped("[4294967296,4294967296]"), "63 bits"},
        Bad{"ShapeOverflowBesideZero", shaped("[0,4294967296,4294967296]"), "63 bits"},
        Bad{"ShapeTooBig", shaped("[2]"), "4 bytes, shape [2] of F32 needs 8"},
        Bad{"ShapeEmptyButData", shaped("[0]"), "4 bytes, shape [0] of F32 needs 0"},
        Bad{"OffsetsOne", placed("[0]"), "1 numbers, 2 needed"},
        Bad{"OffsetsThree", placed("[0,4,8]"), "3 numbers, 2 needed"},
        Bad{"OffsetsMisordered", placed("[4,0]"), "the end 0 lies before the begin 4"},
        Bad{"OffsetsOutside", placed("[0,8]"), "8 lies outside the 4 data bytes"},
        Bad{"OffsetsHuge", placed("[18446744073709551612,18446744073709551615]"), "lies outside"},
        Bad{"OffsetsOverlap", two("[0,2]", "[1,3]", "abc"), "another tensor reaches to 2"},
        Bad{"OffsetsSame", two("[0,2]", "[0,2]", "ab"), "another tensor reaches to 2"},
        Bad{"OffsetsHole", two("[0,2]", "[3,5]", "abcde"), "the tensors before it end at 2"},
        Bad{"DataBefore", two("[1,3]", "[3,5]", "abcde"), "end at 0"},
        Bad{"DataAfter", two("[0,2]", "[2,4]", "abcde"), "1 bytes follow the last tensor"},
        Bad{"BitsDoNotEndOnAByte",
            safetensors(R"({"q":{"dtype":"F6_E2M3","shape":[3],"data_offsets":[0,3]}})", "abc"),
            "do not end on a byte"}),
    [](const auto& row) { return row.param.name; });

TEST(SafetensorsHeader, SurvivesEveryTruncation) {
  const std::string whole = safetensors_file({{"a", "F32", "[2]", "abcdefgh"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)), "accepted") << size;
  }
}

TEST(SafetensorsHeader, SurvivesEveryChangedByte) {
  const std::string whole = safetensors_file({{"a", "F32", "[2]", "abcdefgh"}});
  int refused = 0;
  for (std::size_t at = 0; at < whole.size() - 8; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      refused += refusal(changed) == "accepted" ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 10000);
}

TEST(SafetensorsHeader, SurvivesDeepNesting) {
  const std::string open = "{\"a\":" + std::string(1'000'000, '[');
  const std::string whole = open + std::string(1'000'000, ']') + "}";
  for (const std::string& deep : {open, whole}) {
    EXPECT_NE(refusal(safetensors(deep, "")).find("nested too deeply"), std::string::npos);
  }
}

}  // namespace
}  // namespace mx::cli::test::safetensors_header_test

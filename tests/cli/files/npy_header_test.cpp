#include <gtest/gtest.h>

#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
#include "tests/cli/files/byte_builder.hpp"

namespace mx::cli::test {
namespace {

TensorTable parse(const std::string& bytes) { return parse_npy("x.npy", as_bytes(bytes)); }

/// The message of the error, which must be kBadInput.
std::string refusal(const std::string& bytes) {
  try {
    (void)parse(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kBadInput);
    return error.what();
  }
  return "accepted";
}

struct Good {
  const char* name;
  std::string bytes;
  const char* dtype;
  std::vector<std::uint64_t> shape;
};
void PrintTo(const Good& good, std::ostream* out) { *out << good.name; }

class NpyGood : public testing::TestWithParam<Good> {};

TEST_P(NpyGood, IsRead) {
  const std::string bytes = GetParam().bytes;
  const TensorTable table = parse(bytes);
  ASSERT_EQ(table.tensors.size(), 1U);
  const Tensor& tensor = table.tensors[0];
  EXPECT_EQ(tensor.name, "data");
  EXPECT_EQ(tensor.dtype, GetParam().dtype);
  EXPECT_EQ(tensor.shape, GetParam().shape);
  ASSERT_NE(tensor.format, nullptr);
  EXPECT_EQ(tensor.data.size(),
            tensor.elements * static_cast<std::uint64_t>(tensor.format->bits / 8));
  EXPECT_EQ(tensor.data.data() + tensor.data.size(), as_bytes(bytes).data() + bytes.size());
}

const std::string kSix(6 * 8, 'z');

INSTANTIATE_TEST_SUITE_P(
    Headers, NpyGood,
    testing::Values(
        Good{"Fp64", npy_array("<f8", "(2, 3)", kSix.substr(0, 48)), "F64", {2, 3}},
        Good{"Fp32", npy_array("<f4", "(2, 3)", kSix.substr(0, 24)), "F32", {2, 3}},
        Good{"Fp16", npy_array("<f2", "(6,)", kSix.substr(0, 12)), "F16", {6}},
        Good{"Bfloat16AsMlDtypesStoresIt",
             npy_array("<V2", "(6,)", kSix.substr(0, 12)),
             "BF16",
             {6}},
        Good{"Bfloat16ByName", npy_array("bfloat16", "(6,)", kSix.substr(0, 12)), "BF16", {6}},
        Good{"ZeroDimensions", npy_array("<f4", "()", "abcd"), "F32", {}},
        Good{"NoElements", npy_array("<f4", "(0, 7)", ""), "F32", {0, 7}},
        Good{"ShapeOfPython2", npy_array("<f4", "(1L, 1L)", "abcd"), "F32", {1, 1}},
        Good{"OtherOrderAndQuotes",
             npy("{\"shape\": (1,), \"fortran_order\": False, \"descr\": \"<f4\"}", "abcd"),
             "F32",
             {1}},
        Good{"FortranOrderOfOneDimension",
             npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "abcd"),
             "F32",
             {1}},
        Good{"FortranOrder",
             npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd"),
             "F32",
             {1, 1}},
        Good{"Version2",
             npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }   \n", "abcd", 2),
             "F32",
             {1}},
        Good{"Version3",
             npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", "abcd", 3),
             "F32",
             {1}}),
    [](const auto& row) { return row.param.name; });

struct Bad {
  const char* name;
  std::string bytes;
  const char* says;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

class NpyBad : public testing::TestWithParam<Bad> {};

TEST_P(NpyBad, IsRefusedWithPlaceAndField) {
  const std::string message = refusal(GetParam().bytes);
  EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with("x.npy: byte ")) << message;
}

std::string with_shape(const char* shape) { return npy_array("<f4", shape, "abcd"); }

INSTANTIATE_TEST_SUITE_P(
    Headers, NpyBad,
    testing::Values(
        Bad{"OtherMagic", std::string("\x93NUMPX\x01\0\0\0", 10), "byte 0: magic"},
        Bad{"OnlyMagic", "\x93NUMPY", "byte 0: magic"},
        Bad{"Version4", npy("{}", "", 4), "byte 6: version: 4.0"},
        Bad{"LengthCutVersion2", std::string("\x93NUMPY\x02\0\x10\0", 10),
            "header length: truncated"},
        Bad{"HeaderLongerThanFile", npy("{'descr'", "").replace(8, 1, "\xFF"),
            "header length: 255 bytes announced, 8 left"},
        Bad{"HeaderOf4GiB", npy("{", "", 2).replace(8, 4, "\xFF\xFF\xFF\xFF"), "4294967295 bytes"},
        Bad{"HeaderEmpty", npy("", ""), "field header: expected '{'"},
        Bad{"HeaderCut", npy("{'descr': '<f4', ", ""), "field header: expected a quoted text"},
        Bad{"TextOpen", npy("{'descr: <f4}", ""), "does not end"},
        Bad{"NoColon", npy("{'descr' '<f4'}", ""), "field descr: expected ':'"},
        Bad{"NoComma", npy("{'descr': '<f4' 'shape': ()}", ""), "expected ',' or '}'"},
        Bad{"NoDescr", npy("{'fortran_order': False, 'shape': ()}", ""), "field descr: is missing"},
        Bad{"NoOrder", npy("{'descr': '<f4', 'shape': ()}", ""), "fortran_order: is missing"},
        Bad{"NoShape", npy("{'descr': '<f4', 'fortran_order': False}", ""), "shape: is missing"},
        Bad{"FieldTwice", npy("{'shape': (), 'shape': ()}", ""), "field shape: appears twice"},
        Bad{"FieldUnknown", npy("{'colour': 1}", ""), "field 'colour'"},
        Bad{"FieldAfterEnd",
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "abcd"),
            "something follows"},
        Bad{"BigEndian", npy_array(">f4", "(1,)", "abcd"), "big-endian"},
        Bad{"Dates", npy_array("<M8[s]", "(1,)", "abcdefgh"), "type '<M8[s]'"},
        Bad{"OpaqueBytes", npy_array("|V2", "(2,)", "abcd"), "unknown meaning"},
        Bad{"ControlCharacters", npy_array("<\x01\x1B", "(1,)", "abcd"), "\\x01\\x1B"},
        Bad{"Structured", npy("{'descr': [('a', '<f4')], ", ""), "structured"},
        Bad{"OrderNoBool", npy("{'fortran_order': 1}", ""), "expected True or False"},
        Bad{"ShapeNegative", with_shape("(-1,)"), "negative"},
        Bad{"ShapeFraction", with_shape("(1.5,)"), "expected ',' or ')'"},
        Bad{"ShapeNoNumber", with_shape("(x,)"), "whole number"},
        Bad{"ShapeOpen", with_shape("(1"), "whole number"},
        Bad{"ShapeNumberBeyond64Bits", with_shape("(18446744073709551616,)"), "64 bits"},
        Bad{"ShapeOverflow", with_shape("(4294967296, 4294967296)"), "63 bits"},
        Bad{"ShapeOverflowBesideZero", with_shape("(0, 4294967296, 4294967296)"), "63 bits"},
        Bad{"ShapeAbsurd", with_shape("(1000000000000,)"), "truncated"},
        Bad{"DataShort", npy_array("<f4", "(2,)", "abcdefg"), "7 bytes found"},
        Bad{"DataLong", npy_array("<f4", "(1,)", "abcde"), "longer than its header"}),
    [](const auto& row) { return row.param.name; });

TEST(NpyHeader, RefusesMoreDimensionsThanNumPyHas) {
  std::string shape = "(";
  for (int i = 0; i < 65; ++i) shape += "1,";
  EXPECT_NE(refusal(with_shape((shape + ")").c_str())).find("64 dimensions"), std::string::npos);
}

TEST(NpyHeader, SurvivesEveryTruncation) {
  const std::string whole = npy_array("<f4", "(2, 3)", kSix.substr(0, 24));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)), "accepted") << size;
  }
}

TEST(NpyHeader, SurvivesEveryChangedByte) {
  const std::string whole = npy_array("<f4", "(2, 3)", kSix.substr(0, 24));
  int refused = 0;
  for (std::size_t at = 0; at < whole.size() - 24; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      refused += refusal(changed) == "accepted" ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace mx::cli::test

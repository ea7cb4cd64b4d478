// SPDX-License-Identifier: Apache-2.0
// Names that are definitions: every format has one canonical name, which is read back as it.
#include "reference/catalog/definitions.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "reference/catalog/block_fields.hpp"
#include "reference/catalog/fields.hpp"
#include "tests/support/family_names.hpp"
#include "tests/support/stream.hpp"

namespace mx {
namespace {

/// What a canonical name means.
ElementFormat named(const std::string& name) {
  FormatCatalog catalog;
  const ElementFormat* const found = catalog.find(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? ElementFormat{} : *found;
}

TEST(CanonicalNames, OfTheTableAreItsRows) {
  for (const ElementFormat& row : all_formats()) EXPECT_EQ(canonical_name(row), row.name);
  std::size_t own = 0;
  for (const BlockFormat& row : all_block_formats()) {
    const std::string name = canonical_name(row);
    EXPECT_EQ(*find_block_format(name), row) << row.name;
    own += name == row.name ? 1U : 0U;
  }
  EXPECT_GT(own, all_block_formats().size() - 12);  // some systems have others' formats
}

TEST(CanonicalNames, OfFamiliesAreReadBack) {
  std::set<std::string> seen;
  std::size_t members = 0;
  for (const auto& names :
       {oracle::p3109_names(), oracle::float_names(), oracle::integer_names()}) {
    for (const std::string& name : names) {
      const auto format = make_format(name);
      if (!format) continue;
      const std::string canonical = canonical_name(*format);
      EXPECT_FALSE(is_definition(canonical)) << name << ' ' << canonical;
      EXPECT_EQ(make_format(canonical), format) << name << ' ' << canonical;
      seen.insert(canonical);
      ++members;
    }
  }
  EXPECT_GT(members, 500U);
  EXPECT_LT(seen.size(), members);  // e5m10 is fp16
}

/// A format drawn of everything that fields say.
std::optional<ElementFormat> drawn(oracle::Stream& stream) {
  FormatDraft draft;
  const auto pick = [&](std::initializer_list<const char*> values) {
    return std::string(values.begin()[stream.below(values.size())]);
  };
  const auto maybe = [&](std::string_view field, const std::string& value) {
    return stream.below(3) != 0 || !draft.set(field, value);
  };
  bool is_set = !draft.set("exp_bits", std::to_string(stream.below(6))) &&
                !draft.set("man_bits", std::to_string(stream.below(6)));
  is_set = maybe("bias", std::to_string(static_cast<int>(stream.below(40)) - 10)) && is_set;
  is_set = maybe("signed", pick({"true", "false"})) && is_set;
  is_set = maybe("has_subnormal", pick({"true", "false"})) && is_set;
  is_set = maybe("zero", pick({"pos_and_neg", "pos_only", "none"})) && is_set;
  is_set = maybe("inf", pick({"none", "ieee_top", "p3109_top"})) && is_set;
  is_set =
      maybe("nan", pick({"none", "ieee_all", "outer_one_per_sign", "neg_zero_slot", "top_code"})) &&
      is_set;
  is_set = maybe("parity", pick({"code_lsb", "implicit_odd"})) && is_set;
  is_set = maybe("storage_bits", pick({"8", "16", "32", "64"})) && is_set;
  is_set = maybe("unused_bits", pick({"must_be_zero", "ignored"})) && is_set;
  EXPECT_TRUE(is_set);
  ElementFormat format;
  if (draft.finish(format)) return std::nullopt;
  return format;
}

// Negative control: without any of its fields a definition says another format, or none.
TEST(CanonicalNames, OfAnyFormatAreReadBackAndHaveNoFieldTooMany) {
  oracle::Stream stream(801);
  std::size_t definitions = 0, fields = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto format = drawn(stream);
    if (!format) continue;
    const std::string name = canonical_name(*format);
    EXPECT_EQ(named(name), *format) << name;
    EXPECT_EQ(canonical_name(named(name)), name);
    if (!is_definition(name)) continue;
    ++definitions;
    std::vector<std::pair<std::string, std::string>> pairs;
    ASSERT_FALSE(split_pairs(name, pairs));
    for (std::size_t left_out = 0; left_out < pairs.size(); ++left_out) {
      FormatDraft draft;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (k != left_out) {
          EXPECT_FALSE(draft.set(pairs[k].first, pairs[k].second));
        }
      }
      ElementFormat other;
      EXPECT_TRUE(draft.finish(other) || other != *format) << name << ' ' << pairs[left_out].first;
      ++fields;
    }
  }
  EXPECT_GT(definitions, 300U);
  EXPECT_GT(fields, 1000U);
}

TEST(CanonicalNames, OfBlocksAreReadBack) {
  FormatCatalog catalog;
  const auto canonical = [&](const char* text) {
    const BlockFormat* const found = catalog.find_block(text);
    EXPECT_NE(found, nullptr) << text << ": " << definition_problem(text);
    if (found == nullptr) return std::string();
    const std::string name(found->name);
    EXPECT_EQ(catalog.find_block(name), found) << name;
    EXPECT_EQ(canonical_name(*found), name);
    FormatCatalog other;
    EXPECT_EQ(*other.find_block(name), *found) << name;
    return name;
  };
  EXPECT_EQ(canonical("element=e2m1fn"), "mxfp4");
  EXPECT_EQ(canonical("element=(exp_bits=2,man_bits=1)"), "mxfp4");
  EXPECT_EQ(canonical(" block_size=8 , element=e2m1fn"), "element=e2m1fn,block_size=8");
  EXPECT_EQ(canonical("(element=e2m1fn,block_size=8)"), "element=e2m1fn,block_size=8");
  EXPECT_EQ(canonical("element=(exp_bits=3,man_bits=2,has_subnormal=false),scale=(exp_bits=4,"
                      "man_bits=1,signed=false,bias=3),rule=maxabs_finite,extent=axis"),
            "element=(exp_bits=3,man_bits=2,has_subnormal=false),scale=ue4m1b3fin,extent=axis,"
            "rule=maxabs_finite");
  EXPECT_EQ(canonical("element=e5m10,block_size=4"), "element=fp16,block_size=4");
  EXPECT_EQ(catalog.find_block("element=e5m10,block_size=4")->element.name, "fp16");
  EXPECT_EQ(canonical("element=e2m1fn,scale=ue4m3,block_size=16,tensor_scale=fp32,rule=nvfp4_te"),
            "element=e2m1fn,scale=ue4m3,block_size=16,tensor_scale=fp32,rule=nvfp4_te");
  EXPECT_TRUE(catalog.defined().empty());
  EXPECT_TRUE(catalog.defined_blocks().empty());
}

TEST(Definitions, SayFieldValueReasonAndRemedy) {
  const auto problem = [](const char* text) { return definition_problem(text); };
  EXPECT_EQ(problem("exp_bits=3,man_bits=4"), "");
  EXPECT_EQ(problem("exp_bits=17,man_bits=4"),
            "field 'exp_bits', value '17': not a value of this field; give 0..16");
  EXPECT_EQ(problem("exp_bits=3"),
            "field 'man_bits': missing; a float needs two of bits, exp_bits and man_bits");
  EXPECT_EQ(problem("exp_bits=3,man_bits=4,name=mine"),
            "field 'name', value 'mine': a format that is given by its fields has no other name; "
            "leave it out");
  EXPECT_NE(problem("exp_bits=3,man_bits=4,exp_bits=3").find("there twice"), std::string::npos);
  EXPECT_NE(problem("exp_bits=3,,man_bits=4").find("not of the form"), std::string::npos);
  EXPECT_NE(problem("=").find("not of the form"), std::string::npos);
  EXPECT_NE(problem("element=nobody").find("no such format"), std::string::npos);
  EXPECT_EQ(
      problem("element=(exp_bits=3),block_size=4"),
      "field 'element', value '(exp_bits=3)': field 'man_bits': missing; a float needs two of "
      "bits, exp_bits and man_bits");
  EXPECT_EQ(
      problem("element=(element=e2m1fn,block_size=8)"),
      "field 'element', value '(element=e2m1fn,block_size=8)': a format of blocks; give one of "
      "single values");
  EXPECT_NE(problem("element=e2m1fn,block_size=0").find("1..1024"), std::string::npos);
  EXPECT_NE(problem("element=e2m1fn,block_size=1025").find("1..1024"), std::string::npos);
  EXPECT_EQ(problem("element=e2m1fn,block_size=1024"), "");
  EXPECT_FALSE(make_format("exp_bits=17,man_bits=4"));
  EXPECT_FALSE(make_format("element=e2m1fn,block_size=8"));
  FormatCatalog catalog;
  EXPECT_EQ(catalog.find("element=e2m1fn,block_size=8"), nullptr);
  EXPECT_EQ(catalog.find_block("exp_bits=3,man_bits=4"), nullptr);
  EXPECT_EQ(catalog.find("exp_bits=3,man_bits=4"), catalog.find("man_bits=4, exp_bits=3"));
}

}  // namespace
}  // namespace mx

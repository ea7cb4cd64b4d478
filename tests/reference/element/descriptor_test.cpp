// Formats and block formats described as text: what may be left out, what is refused and why, and
// that everything accepted is a format (spec F6.2).
#include <gtest/gtest.h>

#include "reference/block/quantizer.hpp"
#include "reference/catalog/block_fields.hpp"
#include "reference/catalog/check.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/print.hpp"

namespace mx {
namespace {

ElementFormat described(std::string_view text) {
  std::string name;
  ElementFormat format;
  const auto problem = parse_format_text(text, name, format);
  EXPECT_FALSE(problem) << text << ": " << problem->text();
  return format;
}

std::string refusal(std::string_view text) {
  std::string name;
  ElementFormat format;
  const auto problem = parse_format_text(text, name, format);
  return problem ? problem->text() : "accepted";
}

TEST(Descriptor, TextOfEveryFormatComesBack) {
  int compared = 0;
  for (const ElementFormat& row : all_formats()) {
    if (row.kind == FormatKind::kTapered) continue;
    ElementFormat back = described(format_text(row));
    back.name = row.name;
    EXPECT_TRUE(back == row) << format_text(row) << '\n' << format_text(back);
    ++compared;
  }
  FormatCatalog catalog;
  for (const char* name : {"e5m10", "e4m3b11fnuz", "ue5m3", "ue4m4b3fin", "int12", "uint5",
                           "fixed16.8", "ufixed1.0", "sm7", "binary9p4se", "binary3p1uf", "exp8nan",
                           "exp5", "e0m3fin", "e11m52", "e8m7fn", "binary16p3ue", "int32"}) {
    const ElementFormat* member = catalog.find(name);
    ASSERT_NE(member, nullptr) << name;
    std::string text = format_text(*member);
    text.replace(5, member->name.size(), "member");  // fixed16.8 is no name of a definition
    ElementFormat back = described(text);
    back.name = member->name;
    EXPECT_TRUE(back == *member) << text;
    ++compared;
  }
  EXPECT_EQ(compared, 25 + 18);
}

TEST(Descriptor, LittleHasToBeSaid) {
  ElementFormat f = described("name=a, exp_bits=4, man_bits=3, nan=outer_one_per_sign");
  f.name = "e4m3fn";
  EXPECT_TRUE(f == formats::e4m3fn);
  f = described("name=a, bits=8, exp_bits=5, inf=ieee_top, nan=ieee_all, canonical_nan_code=127");
  f.name = "e5m2";
  EXPECT_TRUE(f == formats::e5m2);
  f = described("name=a, bits=8, man_bits=3, nan=neg_zero_slot");
  f.name = "e4m3fnuz";
  EXPECT_TRUE(f == formats::e4m3fnuz);
  f = described("name=a, kind=exp_only, bits=8, nan=top_code");
  f.name = "e8m0";
  EXPECT_TRUE(f == formats::e8m0);
  f = described("name=a, kind=twos_compl_fixed, bits=8, frac_bits=6");
  f.name = "int8";
  EXPECT_TRUE(f == formats::int8);
}

struct Refused {
  const char* text;
  const char* says;
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.text; }

class Descriptor : public testing::TestWithParam<Refused> {};

TEST_P(Descriptor, IsRefusedWithFieldValueAndRemedy) {
  const std::string said = refusal(GetParam().text);
  EXPECT_NE(said.find(GetParam().says), std::string::npos) << GetParam().text << '\n' << said;
}

INSTANTIATE_TEST_SUITE_P(
    Errors, Descriptor,
    testing::Values(
        Refused{"exp_bits=3, man_bits=1", "field 'name': missing"},
        Refused{"name=1x, exp_bits=3, man_bits=1", "field 'name', value '1x': not a name"},
        Refused{"name=a-b, exp_bits=3, man_bits=1", "not a name"},
        Refused{"name=a, name=b, exp_bits=3, man_bits=1", "field 'name', value 'b': the field"},
        Refused{"name=a, exp_bits=3", "field 'man_bits': missing"},
        Refused{"name=a, bits=3", "field 'exp_bits': missing"},
        Refused{"name=a", "field 'exp_bits': missing"},
        Refused{"name=a, exp_bits=3, man_bits", "not of the form field=value"},
        Refused{"name=a, exp_bits=3, man_bits=1, mant=2", "field 'mant', value '2': no such field"},
        Refused{"name=a, exp_bits=3, man_bits=1, int_min=allow", "it is a policy: --int-min"},
        Refused{"name=a, exp_bits=3, man_bits=1, exp_bits=3", "the field is there twice"},
        Refused{"name=a, bits=0, exp_bits=0", "field 'bits', value '0'"},
        Refused{"name=a, bits=65, exp_bits=11", "field 'bits', value '65'"},
        Refused{"name=a, bits=-8, exp_bits=4", "field 'bits', value '-8'"},
        Refused{"name=a, bits=8.5, exp_bits=4", "field 'bits', value '8.5'"},
        Refused{"name=a, bits=99999999999999999999, exp_bits=4", "give 1..64"},
        Refused{"name=a, bits=8, exp_bits=4, man_bits=4", "is not sign + exponent + significand"},
        Refused{"name=a, bits=3, exp_bits=4", "0..52 stored significand bits"},
        Refused{"name=a, bits=64, exp_bits=4", "0..52 stored significand bits"},
        Refused{"name=a, exp_bits=17, man_bits=4", "field 'exp_bits', value '17'"},
        Refused{"name=a, exp_bits=4, man_bits=3, bias=1000000", "field 'bias', value '1000000'"},
        Refused{"name=a, exp_bits=4, man_bits=3, storage_bits=12", "give 8 | 16 | 32 | 64"},
        Refused{"name=a, exp_bits=4, man_bits=7, storage_bits=8", "storage_bits is less than bits"},
        Refused{"name=a, exp_bits=4, man_bits=3, signed=maybe", "give true | false"},
        Refused{"name=a, exp_bits=4, man_bits=3, nan=top", "field 'nan', value 'top'"},
        // Special codes without room, and on top of each other.
        Refused{"name=a, exp_bits=4, man_bits=3, nan=top_code", "needs an unsigned format"},
        Refused{"name=a, signed=false, exp_bits=4, man_bits=3, nan=neg_zero_slot",
                "the NaN slot of -0 needs a signed format"},
        Refused{"name=a, exp_bits=4, man_bits=3, nan=neg_zero_slot, zero=pos_and_neg",
                "the NaN slot of -0 needs a signed format with only +0"},
        Refused{"name=a, exp_bits=4, man_bits=0, nan=ieee_all", "a stored significand"},
        Refused{"name=a, exp_bits=0, man_bits=3, inf=ieee_top", "ieee_top needs an exponent field"},
        Refused{"name=a, exp_bits=4, man_bits=3, inf=p3109_top, nan=outer_one_per_sign",
                "layouts of inf and nan overlap"},
        Refused{"name=a, exp_bits=4, man_bits=3, inf=ieee_top", "codes above Inf or NaN"},
        Refused{"name=a, exp_bits=4, man_bits=3, inf=ieee_top, nan=outer_one_per_sign",
                "codes above Inf or NaN are finite"},
        Refused{"name=a, signed=false, exp_bits=4, man_bits=3, inf=p3109_top",
                "codes above Inf or NaN are finite"},
        Refused{"name=a, exp_bits=4, man_bits=3, max_code=0x7E", "the code after max_code is"},
        Refused{"name=a, exp_bits=4, man_bits=3, nan=outer_one_per_sign, max_code=0x7F",
                "field 'max_code', value '0x7F': max_code does not decode to a finite"},
        Refused{"name=a, exp_bits=4, man_bits=3, max_code=0x80", "not a magnitude code"},
        Refused{"name=a, exp_bits=4, man_bits=3, max_code=0", "not a magnitude code"},
        Refused{"name=a, exp_bits=4, man_bits=3, max_code=0x11111111111111111", "give a code"},
        Refused{"name=a, exp_bits=4, man_bits=3, canonical_nan_code=0x7F", "there is no NaN"},
        Refused{"name=a, exp_bits=4, man_bits=3, nan=outer_one_per_sign, canonical_nan_code=0x7E",
                "does not decode to NaN"},
        Refused{"name=a, exp_bits=4, man_bits=3, nan=outer_one_per_sign, canonical_nan_code=0x17F",
                "above the format's width"},
        // Zeros.
        Refused{"name=a, exp_bits=4, man_bits=3, zero=pos_only", "leaves the code of -0 undefined"},
        Refused{"name=a, signed=false, exp_bits=4, man_bits=3, zero=pos_and_neg", "has no -0"},
        Refused{"name=a, kind=exp_only, bits=8, zero=pos_only", "exp_only has no zero"},
        Refused{"name=a, kind=exp_only, bits=8, man_bits=2", "exp_only has none"},
        Refused{"name=a, exp_bits=4, man_bits=0, has_subnormal=true", "no room for subnormals"},
        Refused{"name=a, exp_bits=0, man_bits=3, has_subnormal=false", "field 'max_code'"},
        Refused{"name=a, exp_bits=4, man_bits=3, parity=implicit_odd", "field 'parity'"},
        // Fixed kinds.
        Refused{"name=a, kind=twos_compl_fixed, bits=8", "field 'frac_bits': missing"},
        Refused{"name=a, kind=twos_compl_fixed, frac_bits=8", "field 'bits': missing"},
        Refused{"name=a, kind=twos_compl_fixed, bits=8, frac_bits=4, exp_bits=3", "to floats"},
        Refused{"name=a, kind=twos_compl_fixed, bits=8, frac_bits=4, zero=pos_and_neg",
                "two's complement has one zero"},
        Refused{"name=a, kind=twos_compl_fixed, bits=8, frac_bits=4, nan=top_code",
                "every code of a fixed format is a number"},
        Refused{"name=a, kind=twos_compl_fixed, bits=8, frac_bits=4, max_code=0x7E", "is its top"},
        Refused{"name=a, kind=sign_mag_fixed, bits=8, frac_bits=4, zero=pos_only", "both zeros"},
        Refused{"name=a, kind=sign_mag_fixed, signed=false, bits=8, frac_bits=4", "needs a sign"},
        Refused{"name=a, exp_bits=3, man_bits=2, frac_bits=1", "belongs to fixed kinds"},
        Refused{"name=a, kind=tapered, bits=8", "hif8 is the only tapered format"}),
    [](const auto& row) { return "Case" + std::to_string(row.index); });

// Control: descriptors whose codes do not come back are seen, whatever find_fault() says of them.
TEST(Descriptor, UnstableCodesAreSeen) {
  EXPECT_FALSE(find_unstable_code(formats::e4m3fn));
  EXPECT_FALSE(find_unstable_code(formats::fp64));
  ElementFormat f = formats::e4m3fnuz;
  f.nan = NanKind::kNone;  // the code 80 is -0, which a format with only +0 never writes
  EXPECT_EQ(find_unstable_code(f), 0x80U);
  f = formats::e4m3fn;
  f.max_code = 0x70;
  EXPECT_EQ(find_unstable_code(f), 0x71U);
  f = formats::fp32;
  f.max_code = 0x7F000000;
  EXPECT_TRUE(find_unstable_code(f));
}

// Every description that is accepted holds all of 6.2: a walk over all small layouts.
TEST(Descriptor, WhateverIsAcceptedIsStable) {
  int accepted = 0, refused = 0;
  for (const char* sign : {"true", "false"}) {
    for (int exp_bits = 0; exp_bits <= 4; ++exp_bits) {
      for (int man_bits = 0; man_bits <= 3; ++man_bits) {
        for (const char* zero : {"pos_and_neg", "pos_only", "none"}) {
          for (const char* inf : {"none", "ieee_top", "p3109_top"}) {
            for (const char* nan :
                 {"none", "ieee_all", "outer_one_per_sign", "neg_zero_slot", "top_code"}) {
              const std::string text = std::string("name=a, signed=") + sign +
                                       ", exp_bits=" + std::to_string(exp_bits) +
                                       ", man_bits=" + std::to_string(man_bits) + ", zero=" + zero +
                                       ", inf=" + inf + ", nan=" + nan;
              std::string name;
              ElementFormat f;
              if (parse_format_text(text, name, f)) {
                ++refused;
                continue;
              }
              ++accepted;
              EXPECT_FALSE(find_fault(f)) << text;
              EXPECT_FALSE(find_unstable_code(f)) << text;
              EXPECT_FALSE(decode(f, f.max_code).cls != ValueClass::kFinite) << text;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(accepted, 200);
  EXPECT_GT(refused, 1000);
}

TEST(Catalog, NamesThatAreTakenAreRefused) {
  FormatCatalog catalog;
  const ElementFormat f = described("name=a, exp_bits=3, man_bits=2");
  EXPECT_EQ(catalog.define("mine", f), "");
  EXPECT_EQ(catalog.find("mine")->name, "mine");
  EXPECT_EQ(catalog.define("mine", f), "the name is taken by another definition");
  EXPECT_EQ(catalog.define("e4m3fn", f), "the name is taken by a format of the table");
  EXPECT_EQ(catalog.define("mxfp4", f), "the name is taken by a block format");
  EXPECT_EQ(catalog.define("msfp12", f), "the name is taken by a format known by name only");
  EXPECT_EQ(catalog.define("int12", f), "the name means a member of a family of formats");
  EXPECT_EQ(catalog.defined().size(), 1U);
}

TEST(BlockDraft, DescribesAndRefuses) {
  FormatCatalog catalog;
  EXPECT_EQ(catalog.define("tiny", described("name=a, exp_bits=2, man_bits=2")), "");
  BlockDraft draft(catalog);
  BlockFormat block;
  EXPECT_EQ(draft.finish(block)->text(),
            "field 'element': missing; a block format needs an element format");
  EXPECT_FALSE(draft.set("element", "tiny"));
  EXPECT_FALSE(draft.set("block_size", "16"));
  EXPECT_FALSE(draft.set("rule", "rceil"));
  EXPECT_NE(draft.set("rule", "ceil")->text().find("twice"), std::string::npos);
  EXPECT_NE(draft.set("blocksize", "3")->text().find("no such field"), std::string::npos);
  ASSERT_FALSE(draft.finish(block));
  EXPECT_EQ(block.element.name, "tiny");
  EXPECT_EQ(block.scale.name, "e8m0");
  EXPECT_EQ(catalog.define_block("tiny_block", block), "");
  EXPECT_EQ(catalog.find_block("tiny_block")->name, "tiny_block");
  EXPECT_EQ(catalog.define("tiny_block", block.element), "the name is taken by a block format");
  struct Row {
    const char* field;
    const char* value;
    const char* says;
  };
  for (const Row& row :
       {Row{"element", "tinny", "no such format"}, Row{"scale", "e8m1x", "define it before"},
        Row{"block_size", "0", "1..1024"}, Row{"block_size", "1025", "1..1024"},
        Row{"tile_lines", "two", "1..1024"}, Row{"extent", "row", "axis"},
        Row{"tensor_scale", "bf16", "none | fp32"}, Row{"rule", "flor", "a scale rule"},
        Row{"scale_limit", "-1", "2^32"}}) {
    BlockDraft other(catalog);
    const auto problem = other.set(row.field, row.value);
    ASSERT_TRUE(problem) << row.field;
    EXPECT_NE(problem->text().find(row.says), std::string::npos) << problem->text();
  }
  BlockDraft wrong(catalog);
  EXPECT_FALSE(wrong.set("element", "tiny"));
  EXPECT_FALSE(wrong.set("scale", "ue4m3"));
  // Codes come back without a rule; one that is named has to fit.
  EXPECT_FALSE(wrong.finish(block));
  EXPECT_FALSE(wrong.set("rule", "ceil"));
  EXPECT_NE(wrong.finish(block)->text().find("exponent-only scale"), std::string::npos);
  BlockDraft right(catalog);
  EXPECT_FALSE(right.set("element", "tiny"));
  EXPECT_FALSE(right.set("scale", "ue4m3"));
  EXPECT_FALSE(right.set("rule", "nvfp4_exact"));
  EXPECT_FALSE(right.finish(block));
  BlockDraft tensor(catalog);
  EXPECT_FALSE(tensor.set("element", "tiny"));
  EXPECT_FALSE(tensor.set("tensor_scale", "fp32"));
  EXPECT_NE(tensor.finish(block)->text().find("knows no tensor scale"), std::string::npos);
}

}  // namespace
}  // namespace mx

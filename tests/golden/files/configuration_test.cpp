// The header carries the whole configuration: every field of every operation comes back, and no two
// configurations that differ in one field have the same file.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "golden/bytes/error.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/configuration/text.hpp"
#include "golden/vectors/header_parse.hpp"
#include "reference/policy/fields.hpp"
#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;

/// A header that holds one configuration, random words included, so that nothing but the
/// configuration can differ.
VectorHeader header_of_one(const Configuration& configuration) {
  VectorHeader header;
  header.op = configuration.operation();
  header.configs = {configuration};
  header.lanes = lanes_of(configuration);
  header.random_words = RandomWords::kPresent;
  header.generator = "test";
  header.count = 1;
  return header;
}

std::vector<std::string> header_lines(const VectorHeader& header) {
  std::vector<std::string> lines;
  std::istringstream text(header.text(""));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// One configuration of each operation, two block formats of different kinds among them.
std::vector<Configuration> some_of_each() {
  return {conversion(formats::fp32, formats::e4m3fn),
          block(formats::fp32, "mxfp8_e4m3"),
          block(formats::fp32, "nvfp4"),
          dot("mxfp8_e4m3", "mxfp4", Addend::kPresent),
          arith(ArithmeticOperation::kFma, formats::fp32),
          dequantize("nvfp4", formats::bf16),
          mma("b200_mxf4"),
          mma("mi300_fp8")};
}

/// The configuration with one policy field changed; nothing where it has no such field.
std::optional<Configuration> with_policy(const Configuration& base, const PolicyField& field,
                                         std::string_view value) {
  Configuration changed = base;
  Policies policies;
  if (auto* const c = std::get_if<ConversionConfig>(&changed.what)) {
    if (field.scope == FieldScope::kBlock) return std::nullopt;
    policies.element = c->policy;
    EXPECT_TRUE(field.write(policies, value));
    c->policy = policies.element;
  } else if (auto* const b = std::get_if<QuantizerConfig>(&changed.what)) {
    policies = {b->element, b->block};
    EXPECT_TRUE(field.write(policies, value));
    b->element = policies.element;
    b->block = policies.block;
  } else if (auto* const a = std::get_if<ArithmeticCase>(&changed.what)) {
    if (field.scope == FieldScope::kBlock) return std::nullopt;
    policies.element = a->arithmetic.policy;
    EXPECT_TRUE(field.write(policies, value));
    a->arithmetic.policy = policies.element;
  } else if (std::holds_alternative<DequantizeCase>(changed.what)) {
    if (!is_policy_of(Operation::kDequantize, field)) return std::nullopt;
    policies = policies_of(changed).value();
    EXPECT_TRUE(field.write(policies, value));
    changed = with_policies(changed, policies);
  } else if (std::holds_alternative<UnitCase>(changed.what)) {
    return std::nullopt;
  } else {
    auto& d = std::get<DotCase>(changed.what);
    if (field.name != "rounding" && field.name != "overflow") return std::nullopt;
    policies.element.rounding = d.dot.rounding;
    policies.element.overflow = d.dot.overflow;
    EXPECT_TRUE(field.write(policies, value));
    d.dot.rounding = policies.element.rounding;
    d.dot.overflow = policies.element.overflow;
  }
  return changed;
}

std::vector<std::string_view> values_of(const PolicyField& field) {
  if (field.name == "random_bits") return {"1", "8", "16", "32"};
  return field.values();
}

std::string field_value(const Configuration& configuration, std::string_view name) {
  for (const auto& [field, value] : fields_of(configuration)) {
    if (field == name) return value;
  }
  return {};
}

/// Every value of every policy field makes another header, which reads back as itself; a
/// configuration that cannot be computed is refused.
TEST(ConfigurationText, EveryPolicyFieldTravels) {
  for (const Configuration& base : some_of_each()) {
    std::size_t fields = 0;
    std::size_t refused = 0;
    std::size_t taken = 0;
    for (const PolicyField& field : policy_fields()) {
      std::set<std::string> texts;
      std::size_t values = 0;
      for (const std::string_view value : values_of(field)) {
        const std::optional<Configuration> changed = with_policy(base, field, value);
        if (!changed) continue;
        ++values;
        const VectorHeader header = header_of_one(*changed);
        texts.insert(header.text(""));
        EXPECT_EQ(field_value(*changed, field.name), value) << name_of(base);
        if (!problem_of(*changed).empty()) {
          ++refused;
          EXPECT_THROW((void)parse_header(header_lines(header), "x"), VectorError);
          continue;
        }
        ++taken;
        const VectorHeader back = parse_header(header_lines(header), "x");
        EXPECT_EQ(back.text(""), header.text("")) << field.name << " " << value;
        EXPECT_EQ(field_value(back.configs[0], field.name), value);
      }
      EXPECT_EQ(texts.size(), values) << name_of(base) << " " << field.name;
      fields += values != 0 ? 1 : 0;
    }
    switch (base.operation()) {
      case Operation::kBlock:
        EXPECT_EQ(fields, policy_fields().size());
        break;
      case Operation::kDot:
        EXPECT_EQ(fields, 2U);
        break;
      case Operation::kMma:
        EXPECT_EQ(fields, 0U) << "a unit is what it is";
        continue;
      case Operation::kDequantize:
        EXPECT_EQ(fields, 4U);
        // nvfp4 takes few of the rules.
        EXPECT_GT(taken, 12U);
        continue;
      default:
        EXPECT_GE(fields, 12U);
    }
    EXPECT_GT(taken, refused) << name_of(base);
  }
}

/// What is written is read: a field with a value of no meaning is refused by name, whatever field
/// it is, and so is a header that lacks it.
TEST(ConfigurationText, NoFieldIsIgnored) {
  for (const Configuration& base : some_of_each()) {
    const ConfigurationFields fields = fields_of(base);
    EXPECT_GE(fields.size(), base.operation() == Operation::kMma ? 14U : 16U);
    for (const auto& [name, value] : fields) {
      // Free text, and what follows from the profile.
      if (name == "chosen" || name == "profile_document" || name.ends_with("format") ||
          name == "profile") {
        continue;
      }
      std::map<std::string, std::string> map(fields.begin(), fields.end());
      FormatCatalog catalog;
      Configuration back;
      map[name] = "?";
      auto problem = parse_fields(base.operation(), map, catalog, back);
      ASSERT_TRUE(problem.has_value()) << name;
      EXPECT_THAT(problem->field, HasSubstr(name.substr(0, 4))) << problem->what;
      map.erase(name);
      problem = parse_fields(base.operation(), map, catalog, back);
      ASSERT_TRUE(problem.has_value()) << name;
    }
  }
}

TEST(ConfigurationText, FieldsHaveDistinctNames) {
  for (const Configuration& base : some_of_each()) {
    std::set<std::string> names;
    for (const auto& [name, value] : fields_of(base)) {
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(value.find("; "), std::string::npos);
      EXPECT_EQ(value.find('\n'), std::string::npos);
      EXPECT_FALSE(value.empty()) << name;
    }
  }
}

/// What is no policy travels too: level, definition of the block format, accumulator, origin.
TEST(ConfigurationText, EverythingElseTravels) {
  std::vector<Configuration> list;
  const auto add_block = [&](auto change) {
    Configuration each = block(formats::fp32, "nvfp4");
    // A name of mxgold's means its facts alone.
    std::get<QuantizerConfig>(each.what).format.name = "mine";
    change(std::get<QuantizerConfig>(each.what));
    list.push_back(each);
  };
  add_block([](QuantizerConfig&) {});
  add_block([](QuantizerConfig& c) { c.source = formats::bf16; });
  add_block([](QuantizerConfig& c) { c.tensor.amax = 0x3F800001; });
  add_block([](QuantizerConfig& c) { c.tensor.scale = 0x3F800001; });
  add_block([](QuantizerConfig& c) { c.format.block_size = 15; });
  add_block([](QuantizerConfig& c) { c.format.tile_lines = 2; });
  add_block([](QuantizerConfig& c) { c.format.extent = BlockExtent::kAxis; });
  add_block([](QuantizerConfig& c) { c.format.element = formats::e3m2fn; });
  add_block([](QuantizerConfig& c) { c.format.name = "other"; });
  add_block([](QuantizerConfig& c) { c.format.scale_limit = 0x70; });
  const auto add_dot = [&](auto change) {
    Configuration each = dot("mxfp4", "mxfp4", Addend::kPresent);
    change(std::get<DotCase>(each.what));
    list.push_back(each);
  };
  add_dot([](DotCase&) {});
  add_dot([](DotCase& c) { c.addend = Addend::kAbsent; });
  add_dot([](DotCase& c) { c.dot.addend = formats::bf16; });
  add_dot([](DotCase& c) { c.dot.result = formats::bf16; });
  add_dot([](DotCase& c) {
    c.dot.a = c.dot.b = *find_block_format("nvfp4");
    c.a_tensor_scale = 0x40000000;
  });
  add_dot([](DotCase& c) {
    c.dot.a = c.dot.b = *find_block_format("nvfp4");
    c.b_tensor_scale = 0x40000000;
  });
  add_dot([](DotCase& c) { c.dot.mode = DotMode::kAccumulator; });
  add_dot([](DotCase& c) {
    c.dot.mode = DotMode::kAccumulator;
    c.dot.accumulator.group = 7;
  });
  add_dot([](DotCase& c) {
    c.dot.mode = DotMode::kAccumulator;
    c.dot.accumulator.alignment_bits = 31;
  });
  add_dot([](DotCase& c) {
    c.dot.mode = DotMode::kAccumulator;
    c.dot.accumulator.format = formats::bf16;
  });
  add_dot([](DotCase& c) {
    c.dot.mode = DotMode::kAccumulator;
    c.dot.accumulator.zero_sign = DotZeroSign::kIeee;
  });
  add_dot([](DotCase& c) { c.dot.b.block_size = 16; });
  for (const Token<ArithmeticOperation>& each : tokens<ArithmeticOperation>()) {
    list.push_back(arith(each.value, formats::fp32));
  }
  list.push_back(arith(ArithmeticOperation::kAdd, formats::bf16));
  list.push_back(
      arith(ArithmeticOperation::kToInteger, formats::fp32, {.type = IntegerType::kU64}));
  list.push_back(arith(ArithmeticOperation::kToInteger, formats::fp32,
                       {.out_of_range = OutOfRange::kIndefinite}));
  list.push_back(
      arith(ArithmeticOperation::kFromInteger, formats::fp32, {.type = IntegerType::kI8}));
  const auto add_values = [&](auto change) {
    DequantizeCase what = std::get<DequantizeCase>(dequantize("nvfp4", formats::bf16).what);
    change(what);
    list.push_back({what, {}});
  };
  add_values([](DequantizeCase&) {});
  add_values([](DequantizeCase& c) { c.result = formats::fp16; });
  add_values([](DequantizeCase& c) { c.how.rounding = Rounding::kToOdd; });
  add_values([](DequantizeCase& c) { c.how.dst_ftz = ResultSubnormals::kFlushBeforeRounding; });
  add_values([](DequantizeCase& c) { c.overflow = DequantOverflow::kSaturate; });
  add_values([](DequantizeCase& c) { c.rule = ScaleRule::kNvfp4Torchao; });
  add_values([](DequantizeCase& c) { c.tensor_scale = 0x40000000; });
  add_values([](DequantizeCase& c) { c.format.block_size = 32; });
  for (const MatrixUnit& unit : matrix_units()) list.push_back(mma(unit.name));
  list.push_back(mma("h100_f16", formats::bf16, formats::bf16));
  list.push_back(mma("h100_f16", formats::fp16, formats::fp16, formats::fp16));
  list.push_back(mma("b200_f8f6f4", formats::e4m3fn, formats::e2m1fn));
  list.push_back(mma("b200_f8f6f4", formats::e2m1fn, formats::e4m3fn));
  for (const std::size_t scale : {1U, 2U}) {
    list.push_back(mma("b200_mxf4", formats::e2m1fn, formats::e2m1fn, formats::fp32, scale));
  }
  const auto add_origin = [&](const Origin& origin) {
    list.push_back({conversion(formats::fp32, formats::e4m3fn).what, origin});
  };
  add_origin({});
  add_origin({"mxgold-default", "rounding,overflow", 0});
  add_origin({"mxgold-default", "", kMaskNan});
  add_origin({"ocp-mx-1.0", "", 0});
  std::set<std::string> texts;
  for (const Configuration& each : list) {
    const VectorHeader header = header_of_one(each);
    EXPECT_TRUE(texts.insert(header.text("")).second) << header.text("");
    if (!header.problem().empty() || !problem_of(each).empty()) continue;
    EXPECT_EQ(parse_header(header_lines(header), "x").text(""), header.text(""));
  }
  EXPECT_GE(list.size(), 30U);
}

/// The header names the document, with its version, that the policies come from.
TEST(ConfigurationText, ProfilesNameTheirDocument) {
  for (const Profile& profile : all_profiles()) {
    Configuration each = conversion(formats::fp32, formats::e4m3fn);
    each.origin.profile = profile.name;
    EXPECT_EQ(field_value(each, "profile_document"), profile.source);
    EXPECT_FALSE(profile.source.empty()) << profile.name;
    // Beside another configuration it stands in a list that "; " separates.
    EXPECT_EQ(profile.source.find("; "), std::string_view::npos) << profile.name;
  }
  Configuration unknown = conversion(formats::fp32, formats::e4m3fn);
  unknown.origin.profile = "nobody-1.0";
  EXPECT_THROW((void)parse_header(header_lines(header_of_one(unknown)), "x"), VectorError);
}

/// Configurations whose records differ in shape do not share a file.
TEST(ConfigurationText, HeadersThatDoNotFit) {
  VectorHeader header = header_of_one(conversion(formats::fp32, formats::e4m3fn));
  EXPECT_EQ(header.problem(), "");
  header.configs.push_back(conversion(formats::bf16, formats::e4m3fn));
  EXPECT_THAT(header.problem(), HasSubstr("write a file for each"));
  header.configs.back() = block(formats::fp32, "mxfp4");
  EXPECT_THAT(header.problem(), HasSubstr("several operations"));
  header.configs.clear();
  EXPECT_THAT(header.problem(), HasSubstr("no configuration"));
  header = header_of_one(block(formats::fp32, "mxfp4"));
  header.lanes = 31;
  EXPECT_THAT(header.problem(), HasSubstr("31 lanes"));
  header.lanes = 0;
  EXPECT_NE(header.problem(), "");
  header = header_of_one(conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA));
  header.random_words = RandomWords::kAbsent;
  EXPECT_THAT(header.problem(), HasSubstr("random words"));
}

}  // namespace
}  // namespace mx::golden

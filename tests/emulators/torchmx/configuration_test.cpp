// T16 and KT13: what configurations accept.
#include "emulators/torchmx/configuration.hpp"

#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

MXConfig config_of(std::string name) { return *MXConfig::make(std::move(name)); }

TEST(Torchmx, T16_MxConfigChecksNameAndBlockSize) {
  for (const DType& each : kSupportedElemDtypes) {
    const Checked<MXConfig> config = MXConfig::make(std::string(each.name));
    ASSERT_EQ(config.problem(), "");
    EXPECT_EQ(config->block_size, 32);
    EXPECT_EQ(*config->elem_dtype(), each);
  }
  EXPECT_EQ(exception_of(MXConfig::make("float32").problem()), "ValueError");
  EXPECT_EQ(MXConfig::make("int8", 0).problem(),
            "ValueError: Block size must be at least 1, got 0");
  EXPECT_EQ(config_of("int8").to_dict(), "{'elem_dtype_name': 'int8', 'block_size': 32}");
}

TEST(Torchmx, T16_ConfigurationsPrintAsDictionaries) {
  const QLinearConfig linear = {config_of("int8"), config_of("float8_e4m3")};
  EXPECT_EQ(linear.to_dict(),
            "{'weights_config': {'elem_dtype_name': 'int8', 'block_size': 32}, "
            "'activations_config': {'elem_dtype_name': 'float8_e4m3', 'block_size': 32}}");
  EXPECT_EQ(linear, (QLinearConfig{config_of("int8"), config_of("float8_e4m3")}));
  QAttentionConfig all;
  all.projection_config = linear;
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(*QAttentionConfig::make(all, mode)->to_dict(),
              "{'projection_config': " + linear.to_dict() + "}");
  }
  all.query_config = all.key_config = all.value_config = all.attention_weights_config =
      config_of("int8");
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    const Checked<QAttentionConfig> made = QAttentionConfig::make(all, mode);
    EXPECT_TRUE(made->is_qkv_quantization_enabled());
    EXPECT_TRUE(made->to_dict());
  }
}

TEST(Torchmx, KT13_PartialAttentionPassesInCompat) {
  QAttentionConfig partial;
  partial.projection_config = {config_of("int8"), config_of("int8")};
  partial.query_config = config_of("int8");
  const Checked<QAttentionConfig> compat = QAttentionConfig::make(partial, Mode::kCompat);
  ASSERT_EQ(compat.problem(), "");
  EXPECT_FALSE(compat->is_qkv_quantization_enabled());
  EXPECT_EQ(exception_of(compat->to_dict().problem()), "AttributeError");
  EXPECT_EQ(exception_of(QAttentionConfig::make(partial, Mode::kStrict).problem()),
            "AssertionError");
}

}  // namespace
}  // namespace mx::emulators::torchmx

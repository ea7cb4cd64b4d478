#include "emulators/microxcaling/text/element_cast.hpp"

#include <utility>

#include "emulators/common/number_type.hpp"
#include "emulators/microxcaling/quantize_elemwise.hpp"
#include "emulators/microxcaling/text/arguments.hpp"
#include "emulators/microxcaling/text/number_text.hpp"

namespace mx::emulators::microxcaling {
namespace {

class Identity final : public Cast {
 public:
  explicit Identity(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] Checked<std::size_t> random_words(const CastInput&) const override { return 0; }
  [[nodiscard]] Checked<std::vector<Tensor>> apply(const CastInput& input) const override {
    Tensor same = Tensor::zeros("values", input.tensor.type, input.tensor.shape);
    same.bytes.assign(input.tensor.bytes.begin(), input.tensor.bytes.end());
    return listed(std::move(same));
  }

 private:
  std::string text_;
};

class ElementCast final : public Cast {
 public:
  ElementCast(std::string text, const ElementConfig& config, const Setting& setting)
      : text_(std::move(text)), config_(config), setting_(setting) {}

  [[nodiscard]] std::string text() const override { return text_; }

  [[nodiscard]] Checked<std::size_t> random_words(const CastInput& input) const override {
    return elemwise_random_words(input.tensor, config_);
  }

  [[nodiscard]] Checked<std::vector<Tensor>> apply(const CastInput& input) const override {
    auto result = quantize_elemwise_core(input.tensor, config_, setting_, input.random);
    if (!result) return Problem{std::string(result.problem())};
    return listed(*std::move(result));
  }

  [[nodiscard]] std::size_t piece(const CastInput& /*input*/, std::size_t /*axis*/) const override {
    return 1;
  }

 private:
  std::string text_;
  ElementConfig config_;
  Setting setting_;
};

/// What PyTorch's own cast gives where the device has bfloat16: a tensor of another type.
class NativeBfloat16 final : public Cast {
 public:
  explicit NativeBfloat16(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] Checked<std::size_t> random_words(const CastInput&) const override { return 0; }
  [[nodiscard]] Checked<std::vector<Tensor>> apply(const CastInput& input) const override {
    return listed(
        from_fp32("values", TensorType::kBf16, input.tensor.shape, to_fp32(input.tensor)));
  }

 private:
  std::string text_;
};

std::string tail(const ElementConfig& config, std::string_view denormals) {
  return ",round=" + std::string(token_of(config.round)) + "," + std::string(denormals) + "=" +
         spelt(config.allow_denorm) + ",path=" + std::string(token_of(config.path)) + ")";
}

Checked<CastPointer> made(std::string text, const ElementConfig& config, const Setting& setting) {
  // What no tensor changes is said at once.
  std::string problem = problem_of(config, TensorType::kFp32, setting);
  if (problem.starts_with("ValueError")) return Problem{std::move(problem)};
  return CastPointer(std::make_shared<ElementCast>(std::move(text), config, setting));
}

Problem refusal(const Call& call) { return {call.problem()}; }

/// bits, exp_bits and max_norm, which a name gives or the call itself.
ElementConfig take_core(Call& call) {
  ElementConfig config;
  config.bits = static_cast<int>(call.integer("bits", {}, 0, 62));
  config.exp_bits = static_cast<int>(call.integer("exp_bits", {}, 0, 40));
  const std::string text = call.word("max_norm", {});
  const auto max_norm = read_binary64(text);
  if (!max_norm && !text.empty()) {
    call.refuse("max_norm", "is a decimal that binary64 holds exactly or as float.hex() writes it");
  }
  config.max_norm = max_norm.value_or(0);
  return config;
}

}  // namespace

CastPointer identity_cast(std::string text) { return std::make_shared<Identity>(std::move(text)); }

Checked<CastPointer> quantize_elemwise_cast(Call& call, const Setting& setting) {
  ElementConfig config;
  std::string what;
  const bool is_named = call.has("elem_format");
  bool is_identity = false;
  if (is_named) {
    if (const auto format = take_elem_format(call)) {
      config = element_config(*format);
      what.append("elem_format=").append(token_of(*format));
    } else {
      is_identity = true;
    }
  } else {
    config = take_core(call);
    what.append("bits=").append(std::to_string(config.bits));
    what.append(",exp_bits=").append(std::to_string(config.exp_bits));
    what.append(",max_norm=").append(write_binary64(config.max_norm));
  }
  config.round = take_round(call);
  config.saturate_normals = call.boolean("saturate_normals", false);
  config.allow_denorm = call.boolean("allow_denorm", true);
  config.path = take_path(call);
  if (!call.problem().empty()) return refusal(call);
  if (is_identity) return identity_cast("quantize_elemwise(elem_format=None)");
  return made("quantize_elemwise(" + what + ",saturate_normals=" + spelt(config.saturate_normals) +
                  tail(config, "allow_denorm"),
              config, setting);
}

Checked<CastPointer> quantize_bfloat_cast(Call& call, const Setting& setting) {
  const auto bfloat = static_cast<int>(call.integer("bfloat", {}, 0, 61));
  ElementConfig rest{.round = take_round(call),
                     .allow_denorm = call.boolean("allow_denorm", true),
                     .path = take_path(call)};
  if (!call.problem().empty()) return refusal(call);
  const std::string name = "quantize_bfloat(bfloat=" + std::to_string(bfloat);
  const auto config = bfloat_config(bfloat);
  if (!config) return Problem{std::string(config.problem())};
  if (!*config) return identity_cast(name + ")");
  rest.bits = (*config)->bits;
  rest.exp_bits = (*config)->exp_bits;
  rest.max_norm = (*config)->max_norm;
  return made(name + tail(rest, "allow_denorm"), rest, setting);
}

Checked<CastPointer> quantize_fp_cast(Call& call, const Setting& setting) {
  const auto exp_bits = static_cast<int>(call.integer("exp_bits", {}, 0, 40));
  const auto mantissa_bits = static_cast<int>(call.integer("mantissa_bits", {}, 0, 52));
  ElementConfig rest{.round = take_round(call),
                     .allow_denorm = call.boolean("allow_denorm", true),
                     .path = take_path(call)};
  if (!call.problem().empty()) return refusal(call);
  const auto config = fp_config(exp_bits, mantissa_bits);
  if (!config) return Problem{std::string(config.problem())};
  rest.bits = config->bits;
  rest.exp_bits = config->exp_bits;
  rest.max_norm = config->max_norm;
  return made("quantize_fp(exp_bits=" + std::to_string(exp_bits) +
                  ",mantissa_bits=" + std::to_string(mantissa_bits) + tail(rest, "allow_denorm"),
              rest, setting);
}

Checked<CastPointer> quantize_elemwise_op_cast(Call& call, const Setting& setting) {
  const auto bfloat = static_cast<int>(call.integer("bfloat", 0, 0, 61));
  const auto fp = static_cast<int>(call.integer("fp", 0, 0, 58));
  ElementConfig rest{.round = take_round(call),
                     .allow_denorm = call.boolean("bfloat_subnorms", true),
                     .path = take_path(call)};
  if (!call.problem().empty()) return refusal(call);
  std::string text = "quantize_elemwise_op(bfloat=" + std::to_string(bfloat) +
                     ",fp=" + std::to_string(fp) + tail(rest, "bfloat_subnorms");
  const bool is_on_cuda = setting.platform == Platform::kCuda || rest.path == Path::kCuda;
  if (setting.mode == Mode::kCompat && is_on_cuda && bfloat == 16 && rest.allow_denorm &&
      rest.round == RoundingMode::kEven) {
    return CastPointer(std::make_shared<NativeBfloat16>(std::move(text)));
  }
  if (bfloat > 0 && fp > 0) {
    return Problem{"ValueError: Cannot set both [bfloat] and [fp] in mx_specs."};
  }
  if (bfloat > 0 && bfloat <= 9)
    return Problem{"ValueError: Cannot set [bfloat] <= 9 in mx_specs."};
  if (fp > 0 && fp <= 6) return Problem{"ValueError: Cannot set [fp] <= 6 in mx_specs."};
  if ((bfloat == 0 && fp == 0) || bfloat == 32) return identity_cast(std::move(text));
  const int exp_bits = bfloat > 0 ? 8 : 5;
  const auto config = fp_config(exp_bits, bfloat > 0 ? bfloat - 9 : fp - 6);
  if (!config) return Problem{std::string(config.problem())};
  rest.bits = config->bits;
  rest.exp_bits = config->exp_bits;
  rest.max_norm = config->max_norm;
  return made(std::move(text), rest, setting);
}

}  // namespace mx::emulators::microxcaling

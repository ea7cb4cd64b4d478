#include "emulators/microxcaling/text/block_cast.hpp"

#include <charconv>
#include <utility>

#include "emulators/microxcaling/quantize_mx.hpp"
#include "emulators/microxcaling/text/arguments.hpp"
#include "emulators/microxcaling/text/element_cast.hpp"

namespace mx::emulators::microxcaling {
namespace {

/// "(-1)", "(0,1)", "(0,)", "[0]", "2", "()".
std::optional<std::vector<std::int64_t>> read_axes(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '(' || text.front() == '[')) {
    if (text.back() != (text.front() == '(' ? ')' : ']')) return std::nullopt;
    text = text.substr(1, text.size() - 2);
  }
  std::vector<std::int64_t> axes;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view digits = text.substr(0, comma);
    while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
    while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
    std::int64_t axis = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), axis);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    axes.push_back(axis);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return axes;
}

std::string write_axes(const std::vector<std::int64_t>& axes) {
  std::string text = "(";
  for (const std::int64_t axis : axes) {
    if (text.size() > 1) text.append(",");
    text.append(std::to_string(axis));
  }
  return text.append(")");
}

class BlockCast final : public Cast {
 public:
  BlockCast(BlockConfig config, bool has_axes, const Setting& setting)
      : config_(std::move(config)), has_axes_(has_axes), setting_(setting) {}

  [[nodiscard]] std::string text() const override {
    return "quantize_mx(scale_bits=" + std::to_string(config_.scale_bits) +
           ",elem_format=" + std::string(token_of(config_.elem_format)) +
           ",shared_exp_method=" + std::string(token_of(config_.shared_exp_method)) +
           ",axes=" + (has_axes_ ? write_axes(config_.axes) : "None") +
           ",block_size=" + std::to_string(config_.block_size) +
           ",round=" + std::string(token_of(config_.round)) +
           ",flush_fp32_subnorms=" + spelt(config_.flush_fp32_subnorms) +
           ",path=" + std::string(token_of(config_.path)) + ")";
  }

  [[nodiscard]] Checked<std::size_t> random_words(const CastInput& input) const override {
    const auto config = with_axis(input);
    if (!config) return Problem{std::string(config.problem())};
    return quantize_mx_random_words(input.tensor, *config, setting_);
  }

  [[nodiscard]] Checked<std::vector<Tensor>> apply(const CastInput& input) const override {
    const auto config = with_axis(input);
    if (!config) return Problem{std::string(config.problem())};
    auto result = quantize_mx(input.tensor, *config, setting_, input.random);
    if (!result) return Problem{std::string(result.problem())};
    return listed(*std::move(result));
  }

  [[nodiscard]] std::size_t piece(const CastInput& input, std::size_t axis) const override {
    const auto config = with_axis(input);
    if (!config || config->round == RoundingMode::kDither || config->axes.size() != 1) return 0;
    const auto rank = static_cast<std::int64_t>(input.tensor.shape.size());
    const std::int64_t blocks = config->axes[0] + (config->axes[0] < 0 ? rank : 0);
    if (blocks < 0 || blocks >= rank) return 0;
    const bool is_blocked = blocks == static_cast<std::int64_t>(axis);
    return is_blocked ? static_cast<std::size_t>(config->block_size) : 1;
  }

 private:
  [[nodiscard]] Checked<BlockConfig> with_axis(const CastInput& input) const {
    BlockConfig config = config_;
    if (input.axis) {
      config.axes = {*input.axis};
    } else if (!has_axes_) {
      return Problem{"TypeError: 'NoneType' object is not iterable"};
    }
    return config;
  }

  BlockConfig config_;
  bool has_axes_;
  Setting setting_;
};

Checked<CastPointer> block_cast(Call& call, const Setting& setting, bool is_op) {
  BlockConfig config;
  config.scale_bits = static_cast<int>(is_op ? call.integer("scale_bits", 0, 0, 64)
                                             : call.integer("scale_bits", 8, 1, 64));
  if (config.scale_bits == 0) config.scale_bits = 8;
  const auto format = take_elem_format(call);
  config.shared_exp_method =
      take_token(call, "shared_exp_method", SharedExponentMethod::kMax, "is max or none, not");
  const std::string axes_text = call.word("axes", "None");
  const auto axes = axes_text == "None" ? std::vector<std::int64_t>{} : read_axes(axes_text);
  if (!axes) call.refuse("axes", "is a tuple of integers as in (-1), not '" + axes_text + "'");
  config.axes = axes.value_or(std::vector<std::int64_t>{});
  config.block_size = call.integer("block_size", 0, 0, std::int64_t{1} << 40);
  config.round = take_round(call);
  config.flush_fp32_subnorms =
      call.boolean(is_op ? "mx_flush_fp32_subnorms" : "flush_fp32_subnorms", false);
  config.path = take_path(call);
  if (std::string problem = call.problem(); !problem.empty()) return Problem{std::move(problem)};
  if (!format) return identity_cast("quantize_mx(elem_format=None)");
  config.elem_format = *format;
  return CastPointer(std::make_shared<BlockCast>(config, axes_text != "None", setting));
}

}  // namespace

Checked<CastPointer> quantize_mx_cast(Call& call, const Setting& setting) {
  return block_cast(call, setting, false);
}

Checked<CastPointer> quantize_mx_op_cast(Call& call, const Setting& setting) {
  return block_cast(call, setting, true);
}

}  // namespace mx::emulators::microxcaling

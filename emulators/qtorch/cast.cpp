#include "emulators/qtorch/cast.hpp"

#include <functional>
#include <limits>

#include "emulators/common/call.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/qtorch/quantizer.hpp"

namespace mx::emulators::qtorch {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

using Results = Checked<std::vector<Tensor>>;

Results only(Checked<Tensor> values) {
  if (!values) return Problem{std::string(values.problem())};
  return listed(std::move(values).value());
}

/// A function of one tensor.
class FunctionCast final : public Cast {
 public:
  using Apply = std::function<Results(const CastInput&)>;

  /// `dim`: blocks are the entries of this axis, -1 the tensor; nothing: there are no blocks.
  FunctionCast(std::string text, Rounding rounding, std::optional<std::int64_t> dim, Apply apply)
      : text_(std::move(text) + ",rounding=" + std::string(token_of(rounding)) + ")"),
        is_random_(rounding == Rounding::kStochastic),
        dim_(dim),
        apply_(std::move(apply)) {}

  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] Checked<std::size_t> random_words(const CastInput& input) const override {
    return is_random_ ? input.tensor.size() : std::size_t{0};
  }
  [[nodiscard]] Results apply(const CastInput& input) const override { return apply_(input); }

  [[nodiscard]] std::size_t piece(const CastInput& input, std::size_t axis) const override {
    if (!dim_) return 1;
    return input.axis.value_or(*dim_) == static_cast<std::int64_t>(axis) ? 1 : 0;
  }

 private:
  std::string text_;
  bool is_random_;
  std::optional<std::int64_t> dim_;
  Apply apply_;
};

class QuantizerCast final : public Cast, public ReadsOperands {
 public:
  explicit QuantizerCast(Quantizer quantizer) : quantizer_(std::move(quantizer)) {}

  [[nodiscard]] std::string text() const override {
    const QuantizerConfig& c = quantizer_.config();
    return "quantizer(forward_number=" + call_text(c.forward_number) +
           ",backward_number=" + call_text(c.backward_number) +
           ",forward_rounding=" + std::string(token_of(c.forward_rounding)) +
           ",backward_rounding=" + std::string(token_of(c.backward_rounding)) +
           ",clamping_grad_zero=" + (c.clamping_grad_zero ? "True)" : "False)");
  }

  [[nodiscard]] Checked<std::size_t> random_words(const CastInput& input) const override {
    const TensorView* const gradient = input.operand("gradient");
    return quantizer_.forward_words(input.tensor.size()) +
           (gradient == nullptr ? 0 : quantizer_.backward_words(gradient->size()));
  }

  [[nodiscard]] Results apply(const CastInput& input) const override {
    const std::size_t forward_words = quantizer_.forward_words(input.tensor.size());
    Checked<Forward> made = quantizer_.forward(input.tensor, input.random);
    if (!made) return Problem{std::string(made.problem())};
    Forward forward = std::move(made).value();
    std::vector<Tensor> results;
    if (const TensorView* const gradient = input.operand("gradient")) {
      const Tensor* const mask = forward.mask ? &*forward.mask : nullptr;
      Checked<Tensor> theirs =
          quantizer_.backward(*gradient, mask, input.random.subspan(forward_words));
      if (!theirs) return Problem{std::string(theirs.problem())};
      results.push_back(std::move(theirs).value());
    }
    if (forward.mask) results.insert(results.begin(), std::move(*forward.mask));
    results.insert(results.begin(), std::move(forward.values));
    return results;
  }

  [[nodiscard]] std::vector<std::string_view> operands() const override { return {"gradient"}; }

 private:
  Quantizer quantizer_;
};

std::int64_t integer(Call& call, std::string_view key, std::optional<std::int64_t> fallback = {}) {
  return call.integer(key, fallback, kLeast, kMost);
}

Rounding rounding_of(Call& call, std::string_view key) {
  const std::string text = call.word(key, "stochastic");
  const std::optional<Rounding> rounding = parse_token<Rounding>(text);
  if (!rounding) call.refuse(key, "must be stochastic or nearest, not '" + text + "'");
  return rounding.value_or(Rounding::kStochastic);
}

Number number_of(Call& call, std::string_view key, std::string& problem) {
  Checked<Number> number = read_number(call.word(key, "None"));
  if (!number) {
    if (problem.empty()) problem = number.problem();
    return {};
  }
  return *number;
}

std::string python(bool value) { return value ? "True" : "False"; }

CastPointer read_float(Call& call, const Setting& setting) {
  const std::int64_t exp = integer(call, "exp");
  const std::int64_t man = integer(call, "man");
  const Rounding rounding = rounding_of(call, "rounding");
  return std::make_shared<FunctionCast>(
      "float_quantize(exp=" + std::to_string(exp) + ",man=" + std::to_string(man), rounding,
      std::nullopt, [=](const CastInput& input) {
        return only(float_quantize(input.tensor, exp, man, rounding, input.random, setting));
      });
}

FixedPoint read_fixed_format(Call& call) {
  FixedPoint format;
  format.wl = integer(call, "wl");
  format.fl = integer(call, "fl");
  format.symmetric = call.boolean("symmetric", false);
  return format;
}

std::string sizes(const FixedPoint& format) {
  return "(wl=" + std::to_string(format.wl) + ",fl=" + std::to_string(format.fl);
}

CastPointer read_fixed(Call& call, const Setting& setting) {
  FixedPoint format = read_fixed_format(call);
  format.clamp = call.boolean("clamp", true);
  const Rounding rounding = rounding_of(call, "rounding");
  return std::make_shared<FunctionCast>(
      "fixed_point_quantize" + sizes(format) + ",clamp=" + python(format.clamp) +
          ",symmetric=" + python(format.symmetric),
      rounding, std::nullopt, [=](const CastInput& input) {
        return only(fixed_point_quantize(input.tensor, format, rounding, input.random, setting));
      });
}

CastPointer read_fixed_mask(Call& call, const Setting& setting) {
  const FixedPoint format = read_fixed_format(call);
  const Rounding rounding = rounding_of(call, "rounding");
  return std::make_shared<FunctionCast>(
      "fixed_point_quantize_mask" + sizes(format) + ",symmetric=" + python(format.symmetric),
      rounding, std::nullopt, [=](const CastInput& input) {
        return fixed_point_quantize_mask(input.tensor, format, rounding, input.random, setting);
      });
}

CastPointer read_block(Call& call, const Setting& setting) {
  const std::int64_t wl = integer(call, "wl");
  const std::int64_t dim = integer(call, "dim", -1);
  const Rounding rounding = rounding_of(call, "rounding");
  return std::make_shared<FunctionCast>(
      "block_quantize(wl=" + std::to_string(wl) + ",dim=" + std::to_string(dim), rounding, dim,
      [=](const CastInput& input) {
        return only(block_quantize(input.tensor, wl, input.axis.value_or(dim), rounding,
                                   input.random, setting));
      });
}

CastPointer read_block_sim(Call& call, const Setting& setting) {
  const std::int64_t wl = integer(call, "wl");
  const Rounding rounding = rounding_of(call, "rounding");
  return std::make_shared<FunctionCast>(
      "block_quantize_sim(wl=" + std::to_string(wl), rounding, -1, [=](const CastInput& input) {
        return only(block_quantize_sim(input.tensor, wl, rounding, input.random, setting));
      });
}

Checked<CastPointer> read_quantizer(Call& call, const Setting& setting) {
  std::string problem;
  QuantizerConfig config;
  config.forward_number = number_of(call, "forward_number", problem);
  config.backward_number = number_of(call, "backward_number", problem);
  config.forward_rounding = rounding_of(call, "forward_rounding");
  config.backward_rounding = rounding_of(call, "backward_rounding");
  config.clamping_grad_zero = call.boolean("clamping_grad_zero", false);
  if (const std::string why = call.problem(); !why.empty()) return Problem{why};
  if (!problem.empty()) return Problem{problem};
  Checked<Quantizer> made = Quantizer::make(std::move(config), setting);
  if (!made) return Problem{std::string(made.problem())};
  return CastPointer(std::make_shared<QuantizerCast>(std::move(made).value()));
}

struct Function {
  std::string_view name;
  CastPointer (*read)(Call& call, const Setting& setting);
};

constexpr Function kFunctions[] = {{"float_quantize", read_float},
                                   {"fixed_point_quantize", read_fixed},
                                   {"fixed_point_quantize_mask", read_fixed_mask},
                                   {"block_quantize", read_block},
                                   {"block_quantize_sim", read_block_sim}};

}  // namespace

Checked<CastPointer> make(std::string_view body, const Setting& setting) {
  Checked<Call> read = Call::read(body);
  if (!read) return Problem{std::string(read.problem())};
  Call call = *std::move(read);
  if (call.name() == "quantizer") return read_quantizer(call, setting);
  for (const Function& each : kFunctions) {
    if (call.name() != each.name) continue;
    CastPointer cast = each.read(call, setting);
    if (const std::string why = call.problem(); !why.empty()) return Problem{why};
    return cast;
  }
  return Problem{"ValueError: position 0: no function of qtorch.quant: " + call.name()};
}

}  // namespace mx::emulators::qtorch

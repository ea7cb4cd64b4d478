#include "emulators/torchmx/casts.hpp"

#include <memory>
#include <string>
#include <utility>

#include "emulators/common/call.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/common/refusals.hpp"
#include "emulators/torchmx/floatx/floatx.hpp"
#include "emulators/torchmx/floatx/number_text.hpp"
#include "emulators/torchmx/mx_tensor.hpp"
#include "emulators/torchmx/packing.hpp"

namespace mx::emulators::torchmx {
namespace {

using Results = std::vector<Tensor>;

constexpr std::int64_t kMost = std::int64_t{1} << 40;

Problem problem_of(std::string_view text) { return {std::string(text)}; }

/// A target type of dequantization by torch's name.
struct TargetName {
  std::string_view text;
  TensorType type;
};
constexpr TargetName kTargets[] = {{"bfloat16", TensorType::kBf16},
                                   {"float32", TensorType::kFp32},
                                   {"float16", TensorType::kFp16},
                                   {"float64", TensorType::kFp64}};

std::string_view name_of(TensorType type) {
  for (const TargetName& each : kTargets) {
    if (each.type == type) return each.text;
  }
  return "none";
}

std::optional<TensorType> read_target(Call& call, std::string_view key, std::string_view fallback) {
  const std::string text = call.word(key, fallback);
  for (const TargetName& each : kTargets) {
    if (each.text == text) return each.type;
  }
  if (text != "none" || fallback != "none") {
    call.refuse(key, "must be one of bfloat16, float32, float16, float64");
  }
  return std::nullopt;
}

/// What every cast to or from blocks has.
struct Blocks {
  std::string elem_dtype_name;
  std::int64_t block_size = 32;
  Variant variant;

  [[nodiscard]] std::string text() const {
    return "elem_dtype=" + elem_dtype_name + ", block_size=" + std::to_string(block_size);
  }
  [[nodiscard]] std::string path_text() const {
    const bool is_hw = variant.path == Path::kHwExact;
    return text() + (is_hw ? ", path=hw_exact" : "");
  }
};

Blocks read_blocks(Call& call, Mode mode) {
  Blocks blocks;
  const std::string_view key = call.has("elem_dtype_name") ? "elem_dtype_name" : "elem_dtype";
  blocks.elem_dtype_name = call.word(key, std::nullopt);
  blocks.block_size = call.integer("block_size", 32, -kMost, kMost);
  blocks.variant.mode = mode;
  return blocks;
}

Blocks read_blocks_and_path(Call& call, Mode mode) {
  Blocks blocks = read_blocks(call, mode);
  const std::optional<Path> path = parse_token<Path>(call.word("path", "simulated"));
  if (!path) call.refuse("path", "must be simulated or hw_exact");
  blocks.variant.path = path.value_or(Path::kSimulated);
  return blocks;
}

class TorchmxCast : public Cast {
 public:
  [[nodiscard]] Checked<std::size_t> random_words(const CastInput&) const override {
    return std::size_t{0};
  }

 protected:
  /// "" or why the axis of the call cannot be the block dimension.
  [[nodiscard]] static std::string axis_problem(const CastInput& input) {
    const auto rank = static_cast<std::int64_t>(input.tensor.shape.size());
    if (!input.axis || *input.axis == -1 || *input.axis == rank - 1) return {};
    return "ValueError: blocks lie along the last dimension only";
  }
};

/// quantize_mx, and to_mx, which pads.
class Quantize final : public TorchmxCast, public ReadsOperands {
 public:
  Quantize(Blocks blocks, bool pads, std::optional<TensorType> values)
      : blocks_(std::move(blocks)), pads_(pads), values_(values) {}

  [[nodiscard]] std::string text() const override {
    const std::string values =
        values_ == TensorType::kBf16
            ? ""
            : ", values=" + std::string(values_ ? name_of(*values_) : "none");
    return (pads_ ? "to_mx(" : "quantize_mx(") + blocks_.path_text() + values + ")";
  }

  [[nodiscard]] Checked<Results> apply(const CastInput& input) const override {
    if (std::string problem = axis_problem(input); !problem.empty()) return Problem{problem};
    // An unknown name is refused when the package would look it up.
    const DType* const known = find_elem_dtype(blocks_.elem_dtype_name);
    const DType elem_dtype = known != nullptr ? *known : DType{.name = blocks_.elem_dtype_name};
    Results results;
    const Checked<MXTensor> tensor = quantized(input.tensor, elem_dtype);
    if (!tensor) return problem_of(tensor.problem());
    if (values_) {
      Checked<Tensor> values = tensor->to_dtype(*values_);
      if (!values) return problem_of(values.problem());
      results.push_back(std::move(values).value());
    }
    results.push_back(tensor->scale_e8m0());
    results.push_back(tensor->data());
    const TensorView* const gradient = input.operand("gradient");
    if (pads_ && gradient != nullptr) results.push_back(to_mx_backward(*gradient));
    return results;
  }

  /// Rows; of a vector blocks, two of them so that a byte holds no codes of two pieces.
  [[nodiscard]] std::size_t piece(const CastInput& input, std::size_t axis) const override {
    if (!input.operands.empty()) return 0;
    if (axis + 1 < input.tensor.shape.size()) return 1;
    return blocks_.block_size < 1 ? 0 : 2 * static_cast<std::size_t>(blocks_.block_size);
  }

  [[nodiscard]] std::vector<std::string_view> operands() const override {
    if (pads_) return {"gradient"};
    return {};
  }

 private:
  [[nodiscard]] Checked<MXTensor> quantized(const TensorView& data, const DType& elem_dtype) const {
    if (pads_) return MXTensor::to_mx(data, elem_dtype, blocks_.block_size, blocks_.variant);
    return noop_fw_to_mx_bw_backward(data, elem_dtype, blocks_.block_size, blocks_.variant);
  }

  Blocks blocks_;
  bool pads_;
  std::optional<TensorType> values_;
};

/// dequantize_mx, and to_dtype, which knows of padding.
class Dequantize final : public TorchmxCast, public ReadsOperands {
 public:
  Dequantize(Blocks blocks, TensorType target, std::int64_t block_dim,
             std::optional<std::int64_t> padding)
      : blocks_(std::move(blocks)), target_(target), block_dim_(block_dim), padding_(padding) {}

  [[nodiscard]] std::string text() const override {
    const std::string target = std::string(name_of(target_));
    return (padding_ ? "to_dtype(" : "dequantize_mx(") + blocks_.text() +
           ", target_dtype=" + target + ", block_dim=" + std::to_string(block_dim_) +
           (padding_ ? ", padding=" + std::to_string(*padding_) : "") + ")";
  }

  [[nodiscard]] Checked<Results> apply(const CastInput& input) const override {
    const TensorView* const scale = input.operand("scale");
    if (scale == nullptr) return Problem{"TypeError: the operand 'scale' is missing"};
    const std::int64_t block_dim = input.axis.value_or(block_dim_);
    if (padding_) return unpadded(input, *scale, block_dim);
    Checked<Tensor> values = dequantize_mx(input.tensor, *scale,
                                           {.elem_dtype_name = blocks_.elem_dtype_name,
                                            .block_size = blocks_.block_size,
                                            .target_dtype = target_,
                                            .block_dim = block_dim},
                                           blocks_.variant.mode);
    if (!values) return problem_of(values.problem());
    return listed(std::move(values).value());
  }

  /// Rows of codes and of scales, where both have as many and blocks lie along the last axis.
  [[nodiscard]] std::size_t piece(const CastInput& input, std::size_t axis) const override {
    const TensorView* const scale = input.operand("scale");
    if (padding_ || scale == nullptr || input.operands.size() != 1) return 0;
    const auto last = static_cast<std::int64_t>(input.tensor.shape.size()) - 1;
    const std::int64_t block_dim = input.axis.value_or(block_dim_);
    if (block_dim != -1 && block_dim != last) return 0;
    const bool fits =
        scale->shape.size() == input.tensor.shape.size() &&
        static_cast<std::int64_t>(axis) < last &&
        std::equal(scale->shape.begin(), scale->shape.end() - 1, input.tensor.shape.begin());
    return fits ? 1 : 0;
  }

  [[nodiscard]] std::vector<std::string_view> operands() const override {
    if (padding_) return {"scale", "gradient"};
    return {"scale"};
  }

 private:
  [[nodiscard]] Checked<Results> unpadded(const CastInput& input, const TensorView& scale,
                                          std::int64_t block_dim) const {
    const DType* const elem_dtype = find_elem_dtype(blocks_.elem_dtype_name);
    if (elem_dtype == nullptr) {
      return Problem{"AssertionError: unsupported elem_dtype " + blocks_.elem_dtype_name};
    }
    const Checked<MXTensor> tensor = MXTensor::make({.scale_e8m0 = named("scale", scale),
                                                     .data = named("data", input.tensor),
                                                     .elem_dtype = *elem_dtype,
                                                     .block_size = blocks_.block_size,
                                                     .orig_dtype = target_,
                                                     .padding = *padding_,
                                                     .block_dim = block_dim},
                                                    blocks_.variant.mode);
    if (!tensor) return problem_of(tensor.problem());
    Checked<Tensor> values = tensor->to_dtype(target_);
    if (!values) return problem_of(values.problem());
    Results results;
    results.push_back(std::move(values).value());
    const TensorView* const gradient = input.operand("gradient");
    if (gradient == nullptr) return results;
    Checked<Tensor> passed = from_mx_backward(*tensor, *gradient);
    if (!passed) return problem_of(passed.problem());
    results.push_back(std::move(passed).value());
    return results;
  }

  Blocks blocks_;
  TensorType target_;
  std::int64_t block_dim_;
  std::optional<std::int64_t> padding_;  ///< nothing: dequantize_mx
};

/// The elements alone, under scales that are given.
class QuantizeElements final : public TorchmxCast, public ReadsOperands {
 public:
  QuantizeElements(DType elem_dtype, Variant variant)
      : elem_dtype_(elem_dtype), variant_(variant) {}

  [[nodiscard]] std::string text() const override {
    const bool is_hw = variant_.path == Path::kHwExact;
    return "quantize_elements(elem_dtype=" + std::string(elem_dtype_.name) +
           (is_hw ? ", path=hw_exact)" : ")");
  }

  [[nodiscard]] Checked<Results> apply(const CastInput& input) const override {
    const TensorView* const scale = input.operand("scale");
    if (scale == nullptr) return Problem{"TypeError: the operand 'scale' is missing"};
    Checked<Tensor> data =
        quantize_mx_with_e8m0_shared_exponent(input.tensor, elem_dtype_, *scale, variant_);
    if (!data) return problem_of(data.problem());
    return listed(std::move(data).value());
  }

  [[nodiscard]] std::vector<std::string_view> operands() const override { return {"scale"}; }

 private:
  DType elem_dtype_;
  Variant variant_;
};

class NoopForward final : public TorchmxCast, public ReadsOperands {
 public:
  explicit NoopForward(Blocks blocks) : blocks_(std::move(blocks)) {}

  [[nodiscard]] std::string text() const override {
    return "noop_fw_to_mx_bw(" + blocks_.path_text() + ")";
  }

  [[nodiscard]] Checked<Results> apply(const CastInput& input) const override {
    Results results = {named("values", input.tensor)};
    const TensorView* const gradient = input.operand("gradient");
    if (gradient == nullptr) return results;
    const DType* const elem_dtype = find_elem_dtype(blocks_.elem_dtype_name);
    if (elem_dtype == nullptr) return problem_of("KeyError: '" + blocks_.elem_dtype_name + "'");
    const Checked<MXTensor> tensor =
        noop_fw_to_mx_bw_backward(*gradient, *elem_dtype, blocks_.block_size, blocks_.variant);
    if (!tensor) return problem_of(tensor.problem());
    const Checked<Tensor> values = tensor->to_dtype(tensor->orig_dtype());
    if (!values) return problem_of(values.problem());
    results.push_back(named("gradient", *values));
    results.push_back(tensor->scale_e8m0());
    results.push_back(tensor->data());
    return results;
  }

  [[nodiscard]] std::vector<std::string_view> operands() const override { return {"gradient"}; }

 private:
  Blocks blocks_;
};

class ToFloatx final : public TorchmxCast {
 public:
  ToFloatx(const Floatx& call, const Setting& setting) : call_(call), setting_(setting) {}

  [[nodiscard]] std::string text() const override {
    return "hp_to_floatx(exponent_bits=" + std::to_string(call_.exponent_bits) +
           ", mantissa_bits=" + std::to_string(call_.mantissa_bits) +
           ", max_normal=" + binary64_text(call_.max_normal) +
           ", round_mode=" + std::string(token_of(call_.round_mode)) +
           ", keep_subnormals=" + (call_.keep_subnormals ? "True" : "False") + ")";
  }

  [[nodiscard]] Checked<Results> apply(const CastInput& input) const override {
    const bool is_compat_on_cuda =
        setting_.mode == Mode::kCompat && setting_.platform == Platform::kCuda;
    if (is_compat_on_cuda && input.tensor.type == TensorType::kFp64) {
      return problem_of(kCudaBinary64);
    }
    Checked<Tensor> values = hp_to_floatx(input.tensor, call_, setting_.mode);
    if (!values) return problem_of(values.problem());
    return listed(std::move(values).value());
  }
  [[nodiscard]] std::size_t piece(const CastInput& /*input*/, std::size_t /*axis*/) const override {
    return 1;
  }

 private:
  Floatx call_;
  Setting setting_;
};

CastPointer read_floatx(Call& call, const Setting& setting) {
  Floatx floatx;
  floatx.exponent_bits = static_cast<int>(call.integer("exponent_bits", std::nullopt, 0, 16));
  floatx.mantissa_bits = static_cast<int>(call.integer("mantissa_bits", std::nullopt, 0, kMost));
  const std::optional<std::uint64_t> largest = read_binary64(call.word("max_normal", std::nullopt));
  if (!largest) call.refuse("max_normal", "must be a number, or 0x and 8 or 16 digits");
  floatx.max_normal = largest.value_or(0);
  floatx.keep_subnormals = call.boolean("keep_subnormals", true);
  const std::optional<FloatxRounding> rounding =
      parse_token<FloatxRounding>(call.word("round_mode", "round_to_even"));
  if (!rounding) call.refuse("round_mode", "must be round_to_even or truncate");
  floatx.round_mode = rounding.value_or(FloatxRounding::kRoundToEven);
  return std::make_shared<ToFloatx>(floatx, setting);
}

CastPointer read_dequantize(Call& call, Mode mode, bool pads) {
  Blocks blocks = read_blocks(call, mode);
  const std::optional<TensorType> target = read_target(call, "target_dtype", "bfloat16");
  const std::int64_t block_dim = call.integer("block_dim", -1, -kMost, kMost);
  std::optional<std::int64_t> padding;
  if (pads) padding = call.integer("padding", 0, 0, kMost);
  return std::make_shared<Dequantize>(std::move(blocks), target.value_or(TensorType::kBf16),
                                      block_dim, padding);
}

CastPointer read_elements(Call& call, Mode mode) {
  const std::string name = call.word("elem_dtype", std::nullopt);
  const DType* const elem_dtype = find_elem_dtype(name);
  if (elem_dtype == nullptr) call.refuse("elem_dtype", "must be an element type");
  const std::optional<Path> path = parse_token<Path>(call.word("path", "simulated"));
  if (!path) call.refuse("path", "must be simulated or hw_exact");
  const Variant variant = {mode, path.value_or(Path::kSimulated)};
  return std::make_shared<QuantizeElements>(elem_dtype == nullptr ? kInt8 : *elem_dtype, variant);
}

CastPointer read_quantize(Call& call, Mode mode, bool pads) {
  Blocks blocks = read_blocks_and_path(call, mode);
  std::optional<TensorType> values = TensorType::kBf16;
  if (call.has("values")) values = read_target(call, "values", "none");
  return std::make_shared<Quantize>(std::move(blocks), pads, values);
}

}  // namespace

Checked<CastPointer> make(std::string_view body, const Setting& setting) {
  Checked<Call> read = Call::read(body);
  if (!read) return problem_of(read.problem());
  Call call = std::move(read).value();
  CastPointer cast;
  const std::string name = call.name();
  if (name == "quantize_mx" || name == "to_mx") {
    cast = read_quantize(call, setting.mode, name == "to_mx");
  } else if (name == "dequantize_mx" || name == "to_dtype") {
    cast = read_dequantize(call, setting.mode, name == "to_dtype");
  } else if (name == "noop_fw_to_mx_bw") {
    cast = std::make_shared<NoopForward>(read_blocks_and_path(call, setting.mode));
  } else if (name == "quantize_elements") {
    cast = read_elements(call, setting.mode);
  } else if (name == "hp_to_floatx") {
    cast = read_floatx(call, setting);
  } else {
    return Problem{"ValueError: position 0: torchmx has no cast '" + name +
                   "'; it has quantize_mx, to_mx, dequantize_mx, to_dtype, quantize_elements, "
                   "noop_fw_to_mx_bw, hp_to_floatx"};
  }
  if (std::string problem = call.problem(); !problem.empty()) return Problem{problem};
  return cast;
}

}  // namespace mx::emulators::torchmx

// The functions of dmx.compressor.quant, and make_mantissa_asymmetric(). spec S5.4.
#include "emulators/common/call.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/dmx/dmx.hpp"
#include "emulators/dmx/format/joined.hpp"
#include "emulators/dmx/kernel/kernels.hpp"
#include "emulators/dmx/rows.hpp"
#include "emulators/dmx/strict.hpp"

namespace mx::emulators::dmx {
namespace {

enum class Function : std::uint8_t { kFixed, kFloat, kBlock, kAsymmetric };

struct FunctionCall {
  Function function = Function::kFixed;
  FixedPoint fixed;
  FloatingPoint floating;
  int word_length = 8;
  std::int64_t dim = -1;
  bool symmetric = true;
  Rounding rounding = Rounding::kStochastic;
  int mantissa_bits = 8;
};

std::string_view spelt(bool value) { return value ? "True" : "False"; }

class FunctionCast final : public Cast, public ReadsOperands {
 public:
  FunctionCast(const FunctionCall& call, const Setting& setting) : call_(call), setting_(setting) {}

  [[nodiscard]] std::string text() const override {
    const std::string_view rounding = token_of(call_.rounding);
    switch (call_.function) {
      case Function::kFixed:
        return joined({"fixed_point_quantize(wl=", std::to_string(call_.fixed.precision), ", fl=",
                       std::to_string(call_.fixed.fraction), ", clamp=", spelt(call_.fixed.clamp),
                       ", symmetric=", spelt(call_.fixed.symmetric), ", rounding=", rounding, ")"});
      case Function::kFloat:
        return joined({"float_quantize(exp=", std::to_string(call_.floating.exponent),
                       ", man=", std::to_string(call_.floating.mantissa),
                       ", bias=", std::to_string(call_.floating.bias), ", flush_subnormal=",
                       spelt(call_.floating.flush_subnormal), ", rounding=", rounding, ")"});
      case Function::kBlock:
        return joined({"block_quantize(wl=", std::to_string(call_.word_length),
                       ", dim=", std::to_string(call_.dim), ", symmetric=", spelt(call_.symmetric),
                       ", rounding=", rounding, ")"});
      case Function::kAsymmetric:
        return joined({"make_mantissa_asymmetric(n_mantissa_bits=",
                       std::to_string(call_.mantissa_bits), ")"});
    }
    return {};
  }

  [[nodiscard]] Checked<std::size_t> random_words(const CastInput& input) const override {
    Words words;
    const auto values = cast(input, words);
    if (!values) return Problem{std::string(values.problem())};
    return words.drawn();
  }

  [[nodiscard]] std::size_t piece(const CastInput& /*input*/, std::size_t /*axis*/) const override {
    const bool is_elementwise =
        call_.function == Function::kFixed || call_.function == Function::kFloat;
    const Rounding rounding = call_.rounding;
    return is_elementwise && rounding != Rounding::kStochastic ? 1 : 0;
  }

  [[nodiscard]] Checked<std::vector<Tensor>> apply(const CastInput& input) const override {
    Words words(input.random);
    const auto values = cast(input, words);
    if (!values) return Problem{std::string(values.problem())};
    if (std::string why = lacking(words, input.random.size()); !why.empty()) {
      return Problem{std::move(why)};
    }
    std::vector<Tensor> results;
    results.push_back(from_fp32("values", TensorType::kFp32, input.tensor.shape, *values));
    return results;
  }

  [[nodiscard]] std::vector<std::string_view> operands() const override {
    if (call_.function == Function::kAsymmetric) return {"fp32_inp"};
    return {};
  }

 private:
  using Result = Checked<std::vector<Bits>>;

  [[nodiscard]] bool is_compat() const { return setting_.mode == Mode::kCompat; }

  [[nodiscard]] Result cast(const CastInput& input, Words& words) const {
    const std::vector<Bits> values = to_binary32(input.tensor, setting_);
    if (call_.function == Function::kAsymmetric) return asymmetric(input, values);
    if (input.tensor.type != TensorType::kFp32) {
      return Problem{joined(
          {"RuntimeError: expected scalar type Float but found ", token_of(input.tensor.type)})};
    }
    if (call_.function == Function::kBlock) return block(input, values, words);
    std::vector<Bits> out(values.size());
    if (call_.function == Function::kFixed) {
      if (is_compat())
        quantize_fixed(call_.fixed, setting_.platform, values, words, out);
      else
        strict_fixed(call_.fixed, values, words, out);
      return out;
    }
    if (is_compat()) {
      quantize_float(call_.floating, setting_.platform, values, words, out);
      return out;
    }
    std::string why = cast_values(call_.floating, setting_, input.tensor, values, -1, words, out);
    if (!why.empty()) return Problem{std::move(why)};
    return out;
  }

  [[nodiscard]] Result asymmetric(const CastInput& input, const std::vector<Bits>& values) const {
    const TensorView* const original = input.operand("fp32_inp");
    if (original == nullptr) return Problem{"ValueError: the operand 'fp32_inp' is missing"};
    if (original->shape != input.tensor.shape) {
      return Problem{"RuntimeError: dmx_result and fp32_inp differ in shape"};
    }
    if (input.tensor.shape.size() != 2) {
      return Problem{"IndexError: dmx_result must be a matrix of blocks"};
    }
    return make_mantissa_asymmetric(values, to_binary32(*original, setting_), input.tensor.shape[1],
                                    call_.mantissa_bits, setting_.platform);
  }

  /// One exponent for the tensor, or one for each index of an axis.
  [[nodiscard]] Result block(const CastInput& input, std::span<const Bits> values,
                             Words& words) const {
    const Shape& shape = input.tensor.shape;
    const std::int64_t dim = input.axis.value_or(call_.dim);
    std::size_t blocks = 1;
    std::size_t run = values.size();  // neighbours that share an exponent
    if (dim != -1) {
      const auto axis = axis_of(shape, dim);
      if (!axis) return Problem{std::string(axis.problem())};
      if (shape.empty()) {
        return Problem{"IndexError: Dimension specified as 0 but tensor has no dimensions"};
      }
      blocks = shape[*axis];
      run = 1;
      for (std::size_t i = *axis + 1; i < shape.size(); ++i) run *= shape[i];
    }
    if (values.empty()) return nothing(dim, blocks);
    std::vector<Bits> out(values.size());
    if (!is_compat()) return strict_blocks(values, blocks, run, words, std::move(out));
    std::vector<Bits> most(blocks);
    for (std::size_t i = 0; i < values.size(); i += run) {
      Bits& here = most[i / run % blocks];
      here = std::max(here, largest_magnitude(values.subspan(i, run)));
    }
    BlockKernel kernel{.word_length = call_.word_length,
                       .rounding = bit_rounding_of(call_.rounding),
                       .machine = SoftMachine{setting_.platform}};
    kernel.symmetric = call_.symmetric;
    for (std::size_t i = 0; i < values.size(); i += run) {
      kernel(values.subspan(i, run), most[i / run % blocks], words, std::span(out).subspan(i, run));
    }
    return out;
  }

  [[nodiscard]] Result strict_blocks(std::span<const Bits> values, std::size_t blocks,
                                     std::size_t run, Words& words, std::vector<Bits> out) const {
    for (std::size_t b = 0; b < blocks; ++b) {
      std::vector<Bits> members;
      for (std::size_t i = b * run; i < values.size(); i += blocks * run) {
        members.insert(members.end(), values.begin() + static_cast<std::ptrdiff_t>(i),
                       values.begin() + static_cast<std::ptrdiff_t>(i + run));
      }
      std::vector<Bits> cast(members.size());
      strict_block(call_.word_length, call_.symmetric, call_.rounding, members, words, cast);
      for (std::size_t i = 0; i < cast.size(); ++i) {
        out[(i / run * blocks + b) * run + i % run] = cast[i];
      }
    }
    return out;
  }

  [[nodiscard]] Result nothing(std::int64_t dim, std::size_t blocks) const {
    if (!is_compat()) return std::vector<Bits>();
    if (dim == -1) {
      return Problem{
          "RuntimeError: max(): Expected reduction dim to be specified for input.numel() == 0. "
          "Specify the reduction dim with the 'dim' argument."};
    }
    if (blocks == 0) {
      return Problem{
          "RuntimeError: cannot reshape tensor of 0 elements into shape [0, -1] because the "
          "unspecified dimension size -1 can be any value and is ambiguous"};
    }
    return Problem{"IndexError: max(): Expected reduction dim 1 to have non-zero size."};
  }

  FunctionCall call_;
  Setting setting_;
};

constexpr std::int64_t kFar = 1'000'000;

Rounding rounding_word(Call& call, bool of_floats) {
  const std::string word = call.word("rounding", "stochastic");
  const auto found = parse_token<Rounding>(word);
  const bool is_refused = of_floats && (word == "up" || word == "down");
  if (!found || is_refused) call.refuse("rounding", "is no rounding of this function");
  return found.value_or(Rounding::kNearest);
}

FunctionCall fixed_call(Call& call) {
  FunctionCall made;
  made.function = Function::kFixed;
  made.fixed = {.precision = call.integer("wl", {}, -kFar, kFar),
                .fraction = call.integer("fl", {}, -kFar, kFar),
                .clamp = call.boolean("clamp", true),
                .symmetric = call.boolean("symmetric", false)};
  made.rounding = made.fixed.rounding = rounding_word(call, false);
  return made;
}

FunctionCall float_call(Call& call, Mode mode) {
  const bool is_compat = mode == Mode::kCompat;
  FunctionCall made;
  made.function = Function::kFloat;
  FloatingPoint& format = made.floating;
  format.exponent = static_cast<int>(call.integer("exp", {}, 1, is_compat ? 30 : 8));
  format.mantissa = static_cast<int>(call.integer("man", {}, 0, 23));
  const std::int64_t usual = (std::int64_t{1} << (format.exponent - 1)) - 1;
  const std::int64_t least = is_compat ? -126 : -128 + (1 << format.exponent);
  const bool is_none = call.word("bias", "None") == "None";
  format.bias =
      static_cast<int>(is_none ? usual
                               : call.integer("bias", usual, std::min<std::int64_t>(least, 127),
                                              is_compat ? std::int64_t{1} << 30 : 127));
  format.flush_subnormal = call.boolean("flush_subnormal", true);
  made.rounding = format.rounding = rounding_word(call, is_compat);
  return made;
}

FunctionCall block_call(Call& call) {
  FunctionCall made;
  made.function = Function::kBlock;
  made.word_length = static_cast<int>(call.integer("wl", {}, 1, 25));
  made.dim = call.integer("dim", -1, -kFar, kFar);
  made.symmetric = call.boolean("symmetric", true);
  made.rounding = rounding_word(call, false);
  return made;
}

}  // namespace

Checked<CastPointer> make_function_cast(std::string_view text, const Setting& setting) {
  auto read = Call::read(text);
  if (!read) return Problem{std::string(read.problem())};
  Call call = *read;
  FunctionCall made;
  if (call.name() == "fixed_point_quantize") {
    made = fixed_call(call);
    if (made.fixed.precision == -1 && made.fixed.fraction != -1) {
      return Problem{"ValueError: fixed point  wl -1, fl " + std::to_string(made.fixed.fraction)};
    }
  } else if (call.name() == "float_quantize") {
    made = float_call(call, setting.mode);
  } else if (call.name() == "block_quantize") {
    made = block_call(call);
  } else if (call.name() == "make_mantissa_asymmetric") {
    made.function = Function::kAsymmetric;
    made.mantissa_bits = static_cast<int>(call.integer("n_mantissa_bits", 8, 1, 31));
    made.rounding = Rounding::kNearest;
  } else {
    return Problem{joined({"ValueError: position 0: dmx has no function ", call.name()})};
  }
  if (std::string why = call.problem(); !why.empty()) return Problem{std::move(why)};
  return CastPointer(std::make_shared<FunctionCast>(made, setting));
}

}  // namespace mx::emulators::dmx

// Casts shared by threads against the same casts on one, over shapes that are cut in every way.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "emulators/casts/casts.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/common/tensor.hpp"
#include "reference/casts/pieces.hpp"

namespace mx::emulators {
namespace {

struct Case {
  std::string_view text;
  TensorType type = TensorType::kFp32;
  std::string_view operand = {};  ///< "scale"
};

constexpr Case kCases[] = {
    {"dmx:SAME"},
    {"dmx:XP[8,+4](CSN)"},
    {"dmx:XP[8,+4](CSS)"},
    {"dmx:FP[1|4|3,7](_N)"},
    {"dmx:BFP[8|8]{16}(SN)"},
    {"dmx:BFP[8|8]{1}(SN)"},
    {"dmx:BFP[8|8]{16}(_N)"},
    {"dmx:BFP[4|8]{5}(_D)"},
    {"dmx:BFP[4|8]{1}(_N)"},
    {"dmx:BFP[6|8]{8}(SU)"},
    {"dmx:BFP[8|8]{16}(SS)"},
    {"dmx:SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}"},
    {"dmx:MXFP8[E4M3]{32}"},
    {"dmx:MXINT8{8}"},
    {"dmx:CastTo(BFP[8|8]{16}(SN))"},
    {"dmx:CastTo(BFP[8|8]{16}(_N))"},
    {"dmx:float_quantize(exp=4, man=3, bias=7, rounding=nearest)"},
    {"dmx:block_quantize(wl=8, dim=0, rounding=nearest)"},
    {"qtorch:float_quantize(exp=5,man=2,rounding=nearest)"},
    {"qtorch:float_quantize(exp=5,man=2,rounding=stochastic)"},
    {"qtorch:fixed_point_quantize(wl=8,fl=4,rounding=stochastic)"},
    {"qtorch:fixed_point_quantize_mask(wl=8,fl=4,rounding=nearest)"},
    {"qtorch:block_quantize(wl=8,rounding=nearest)"},
    {"qtorch:block_quantize(wl=8,dim=0,rounding=stochastic)"},
    {"qtorch:block_quantize(wl=8,dim=1,rounding=nearest)"},
    {"torchmx:quantize_mx(elem_dtype=float8_e4m3,block_size=16)", TensorType::kBf16},
    {"torchmx:quantize_mx(elem_dtype=float4_e2m1,block_size=3,values=none)", TensorType::kBf16},
    {"torchmx:to_mx(elem_dtype=int8,block_size=5)", TensorType::kBf16},
    {"torchmx:hp_to_floatx(exponent_bits=4,mantissa_bits=3,max_normal=448)"},
    {"torchmx:dequantize_mx(elem_dtype=int8,block_size=8)", TensorType::kInt8, "scale"},
    {"torchmx:dequantize_mx(elem_dtype=float4_e2m1,block_size=8)", TensorType::kUint8, "scale"},
    {"aimet:FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3,shape=(1,))", TensorType::kFp32,
     "scale"},
    {"aimet:QuantizeDequantize(dtype=float16,shape=(1,))", TensorType::kBf16, "scale"},
    {"aimet:quantize(exponent_bits=5,mantissa_bits=2)", TensorType::kFp16, "scale"},
    {"microxcaling:quantize_mx(scale_bits=8,elem_format=fp8_e4m3,axes=(-1),block_size=32)"},
    {"microxcaling:quantize_mx(scale_bits=8,elem_format=fp6_e2m3,axes=(0),block_size=8)"},
    {"microxcaling:quantize_mx(scale_bits=8,elem_format=int8,axes=(0),block_size=0)"},
    {"microxcaling:quantize_mx(scale_bits=8,elem_format=fp4_e2m1,axes=(0,1),block_size=4)"},
    {"microxcaling:quantize_elemwise(elem_format=fp8_e5m2,round=dither)"},
    {"microxcaling:quantize_elemwise(elem_format=fp8_e5m2,round=dither)", TensorType::kFp64},
    {"microxcaling:quantize_bfloat(bfloat=12)", TensorType::kFp16}};

const std::vector<Shape> kShapes = {
    {},          {1},         {1000},      {4096},    {97, 32},    {1, 1, 1031}, {64, 96},
    {1, 64, 96}, {3, 50, 32}, {128, 3, 3}, {2, 1000}, {7, 1, 160}, {0, 32},      {96, 1}};

class Input {
 public:
  Input(const Case& what, const Shape& shape, std::mt19937& random)
      : values_(drawn("values", what.type, shape, random)) {
    input_.tensor = values_;
    input_.threads = 3;
    if (what.operand.empty()) return;
    scale_ = scale_for(what, shape, random);
    input_.operands.emplace_back(scale_);
  }

  CastInput& operator*() { return input_; }

 private:
  /// Numbers near 1 with some of every other kind.
  static Tensor drawn(std::string name, TensorType type, const Shape& shape, std::mt19937& random) {
    Tensor tensor = Tensor::zeros(std::move(name), type, shape);
    for (std::size_t i = 0; i < elements_of(shape); ++i) {
      const std::uint32_t near_one = 0x3F000000 + (random() & 0x81FFFFFF);
      const std::uint32_t word =
          random() % 8 == 0 ? static_cast<std::uint32_t>(random()) : near_one;
      set_word(tensor.bytes, width_of(type), i, width_of(type) == 4 ? word : word >> 16);
    }
    return tensor;
  }

  static Tensor scale_for(const Case& what, const Shape& shape, std::mt19937& random) {
    if (!what.text.starts_with("torchmx")) {
      return from_fp32("scale", what.type, {1}, std::vector<std::uint32_t>{0x3E99999A});
    }
    Shape of_scale = shape;
    const std::size_t packed = what.text.find("float4") != std::string_view::npos ? 2 : 1;
    if (!shape.empty()) of_scale.back() = shape.back() * packed / 8;
    Tensor scale = Tensor::zeros("scale", TensorType::kUint8, of_scale);
    for (std::byte& each : scale.bytes) {
      each = random() % 64 == 0 ? std::byte{255} : static_cast<std::byte>(120 + random() % 8);
    }
    return scale;
  }

  Tensor values_;
  Tensor scale_;
  CastInput input_;
};

void expect_same(const Checked<std::vector<Tensor>>& shared,
                 const Checked<std::vector<Tensor>>& alone) {
  ASSERT_EQ(shared.problem(), alone.problem());
  if (!alone) return;
  ASSERT_EQ(shared->size(), alone->size());
  for (std::size_t i = 0; i < alone->size(); ++i) {
    EXPECT_EQ((*shared)[i].name, (*alone)[i].name);
    EXPECT_EQ((*shared)[i].type, (*alone)[i].type);
    EXPECT_EQ((*shared)[i].shape, (*alone)[i].shape);
    EXPECT_TRUE((*shared)[i].bytes == (*alone)[i].bytes);
  }
}

TEST(Pieces, GiveWhatTheWholeGives) {
  std::mt19937 random(11);
  std::map<std::string_view, int> cut;
  int refused = 0;
  for (const Case& what : kCases) {
    for (const Mode mode : {Mode::kStrict, Mode::kCompat}) {
      const auto cast = make_cast(what.text, {.mode = mode});
      ASSERT_TRUE(cast) << what.text << ": " << cast.problem();
      for (const Shape& shape : kShapes) {
        for (const std::optional<std::int64_t> axis :
             {std::optional<std::int64_t>{}, {0}, {1}, {-1}, {-2}}) {
          Input input(what, shape, random);
          (*input).axis = axis;
          const auto words = (*cast)->random_words(*input);
          std::vector<std::uint32_t> drawn(words ? *words : 0);
          for (std::uint32_t& word : drawn) word = static_cast<std::uint32_t>(random());
          (*input).random = drawn;
          SCOPED_TRACE(testing::Message() << what.text << ' ' << testing::PrintToString(shape)
                                          << " axis " << axis.value_or(99));
          const auto alone = (*cast)->apply(*input);
          expect_same(apply_on_threads(**cast, *input, 64), alone);
          if (HasFailure()) return;
          cut[what.text] += piece_length(**cast, *input, 64) != 0 ? 1 : 0;
          refused += alone ? 0 : 1;
        }
      }
    }
  }
  EXPECT_GT(refused, 50);
  // dmx draws words as it needs them, AIMET shares its loops, and blocks of a whole axis stay
  // whole.
  const auto is_whole = [](std::string_view text) {
    return text.starts_with("aimet:") || text.ends_with("SS)") ||
           text.starts_with("dmx:block_quantize");
  };
  for (const auto& [text, count] : cut) {
    EXPECT_EQ(count == 0, is_whole(text)) << text;
  }
}

/// AIMET's casts share rounds of their own loops.
TEST(Pieces, AimetSharesItsLoops) {
  std::mt19937 random(12);
  for (const auto& [shape, scales, blocks] :
       {std::tuple<Shape, Shape, std::string_view>{{300000}, {1}, "()"},
        {{512, 640}, {512, 20}, "(1,32)"},
        {{512, 640}, {512, 1}, "()"},
        {{512, 640}, {1, 640}, "()"},
        {{4, 100, 900}, {4, 1, 900}, "(1,100,1)"}}) {
    for (const TensorType type : {TensorType::kFp32, TensorType::kBf16}) {
      for (const std::string_view function : {"QuantizeDequantize", "quantize", "dequantize"}) {
        std::string text = "aimet:";
        text.append(function).append("(exponent_bits=4,mantissa_bits=3,block_size=").append(blocks);
        text += ")";
        const auto cast = make_cast(text, {.mode = Mode::kCompat});
        ASSERT_TRUE(cast) << cast.problem();
        std::vector<std::uint32_t> patterns(elements_of(shape));
        for (std::uint32_t& x : patterns) x = static_cast<std::uint32_t>(random());
        std::vector<std::uint32_t> factors(elements_of(scales));
        for (std::uint32_t& x : factors) x = 0x3E000000 + (random() & 0x01FFFFFF);
        const Tensor values = from_fp32("values", type, shape, patterns);
        const Tensor scale = from_fp32("scale", type, scales, factors);
        CastInput input{.tensor = values, .operands = {scale}};
        const auto alone = (*cast)->apply(input);
        ASSERT_TRUE(alone) << text << ": " << alone.problem();
        input.threads = 3;
        expect_same((*cast)->apply(input), alone);
      }
    }
  }
}

}  // namespace
}  // namespace mx::emulators

// The kernels that answer against slower ones: Python's arithmetic against itself operation by
// operation, strict against the reference's own quantizer.
#include "emulators/casts/casts.hpp"
#include "emulators/microxcaling/kernels/block_kernels.hpp"

#include "emulators/microxcaling/quantize_mx.hpp"
#include "emulators/microxcaling/text/number_text.hpp"
#include "reference/block/quantizer.hpp"
#include "tests/emulators/microxcaling/casts.hpp"

namespace mx::emulators::microxcaling {
namespace {

constexpr RoundingMode kModes[] = {RoundingMode::kNearest, RoundingMode::kFloor,
                                   RoundingMode::kEven};

/// A stream of words, the same in every run.
class Words {
 public:
  std::uint32_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return static_cast<std::uint32_t>(z >> 16);
  }

 private:
  std::uint64_t state_ = 1;
};

/// Words next to powers of two, and others.
template <typename T>
Word some_word(Words& words) {
  Word word = words.next() & (T::kSign * 2 - 1);
  const std::uint32_t kind = words.next();
  if (kind % 3 == 0) word = (word | (T::kHidden - 1)) - kind % 47;
  if (kind % 3 == 1) word &= ~((T::kHidden - 1) >> kind / 3 % 8);
  return word;
}

std::vector<ElementConfig> configs() {
  std::vector<ElementConfig> all;
  for (const Token<ElemFormat>& format : tokens<ElemFormat>()) {
    for (const RoundingMode mode : kModes) {
      for (const int switches : {0, 1, 2, 3}) {
        ElementConfig config = element_config(format.value);
        config.round = mode;
        config.saturate_normals = (switches & 1) != 0;
        config.allow_denorm = (switches & 2) != 0;
        all.push_back(config);
      }
    }
  }
  return all;
}

template <typename T>
void compare_elements(int step) {
  Words words;
  for (const ElementConfig& config : configs()) {
    const PythonElement<T> fast(config);
    for (Word word = 0; word < T::kSign * 2; word += T::kBytes == 2 ? Word(step) : Word(1) << 19) {
      const Word one = T::kBytes == 2 ? word : some_word<T>(words);
      ASSERT_EQ(fast(one), literal_element(T::kType, config, one, 0))
          << std::hex << one << " bits " << config.bits << " of " << config.exp_bits << " mode "
          << token_of(config.round) << config.saturate_normals << config.allow_denorm;
    }
  }
}

TEST(MicroxcalingKernels, ElementsAreThoseOfTheOperations) {
  compare_elements<Fp32>(1);
  compare_elements<Bf16>(7);
  compare_elements<Fp16>(7);
}

template <typename T>
void compare_blocks() {
  Words words;
  for (const Token<ElemFormat>& format : tokens<ElemFormat>()) {
    if (T::kType == TensorType::kFp16 && format.value == ElemFormat::kBfloat16) continue;
    for (const RoundingMode mode : kModes) {
      for (const int scale_bits : {8, 5, 9}) {
        const BlockConfig config{
            .scale_bits = scale_bits, .elem_format = format.value, .round = mode};
        const PythonBlocks<T> fast(config);
        const ElementConfig element = element_in_block(config);
        for (int i = 0; i < 400; ++i) {
          const Word a = some_word<T>(words), b = some_word<T>(words);
          const Word most = std::max(a & ~T::kSign, b & ~T::kSign);
          const auto plan = fast.plan(most);
          if (plan.kind != Scale::Kind::kPower) continue;
          for (const Word word : {a, b}) {
            ASSERT_EQ(fast.apply(plan, word, 0),
                      literal_block_element(T::kType, element, word, plan.exponent, 0))
                << std::hex << word << " scale " << std::dec << plan.exponent << " " << format.text
                << " " << token_of(mode);
          }
        }
      }
    }
  }
}

TEST(MicroxcalingKernels, BlocksAreThoseOfTheOperations) {
  compare_blocks<Fp32>();
  compare_blocks<Bf16>();
  compare_blocks<Fp16>();
}

/// Blocks of integers by lanes and word by word.
TEST(MicroxcalingKernels, BlocksOfIntegersAreTheirElements) {
  Words words;
  int by_lanes = 0;
  for (const ElemFormat format : {ElemFormat::kInt8, ElemFormat::kInt4, ElemFormat::kInt2}) {
    const BlockConfig config{.elem_format = format, .round = RoundingMode::kEven};
    const PythonBlocks<Fp32> blocks(config);
    for (Bits field = 0; field < 255; ++field) {
      const Bits most = field << 23 | words.next() % 0x7FFFF0;
      const auto plan = blocks.plan(most);
      std::vector<Bits> x = {0, fp32::kSignBit, 1, fp32::kSignBit | 1, most};
      // Near multiples of half a step, of the zeros' last sign and of nothing.
      for (Bits below = 0; below < 12 && below < field; ++below) {
        for (Bits d = 0; d < 5; ++d) x.push_back(((field - below) << 23) + d - 2);
        x.push_back((field - below) << 23 | (words.next() & 0x7F0000));
      }
      for (Bits d = 0; d < 5 && field > 150; ++d) x.push_back(((field - 150) << 23) + d - 2);
      for (int shift = 0; shift < 23; ++shift) x.push_back((Bits{1} << shift) + (field & 1));
      for (int i = 0; i < 50; ++i) x.push_back(static_cast<Bits>(words.next() % (most + 1)));
      for (std::size_t i = x.size(); i-- > 0;) x.push_back(x[i] | fp32::kSignBit);
      std::erase_if(x, [&](Bits each) { return magnitude_of(each) > most; });
      std::vector<Bits> out(x.size());
      if (!blocks.apply_all(plan, x, out)) continue;
      ++by_lanes;
      for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(out[i], blocks.apply(plan, x[i], 0)) << std::hex << x[i] << " in " << most;
      }
    }
  }
  EXPECT_GT(by_lanes, 700);
  // Ties away from zero and floats have no lanes.
  for (const BlockConfig& config :
       {BlockConfig{.elem_format = ElemFormat::kInt8, .round = RoundingMode::kNearest},
        BlockConfig{.elem_format = ElemFormat::kFp8E4m3, .round = RoundingMode::kEven}}) {
    const PythonBlocks<Fp32> blocks(config);
    std::vector<Bits> x = {0x3F800000}, out(1);
    EXPECT_FALSE(blocks.apply_all(blocks.plan(x[0]), x, out));
  }
}

/// Words of 16-bit tensors from a table and one by one.
TEST(MicroxcalingKernels, LargeTensorsAreCastAsSmallOnes) {
  const std::size_t count = 1 << 17;
  Tensor large = Tensor::zeros("values", TensorType::kBf16, {count});
  for (std::size_t i = 0; i < count; ++i) set_word(large.bytes, 2, i, i & 0xFFFF);
  const auto cast = make_cast("microxcaling:quantize_elemwise(elem_format=bf16)", {Mode::kCompat});
  const auto all = (*cast)->apply({.tensor = large});
  ASSERT_TRUE(all);
  const PythonElement<Bf16> element(element_config(ElemFormat::kBfloat16));
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(word_at(all->front(), i), element(i & 0xFFFF)) << std::hex << i;
  }
}

/// Blocks of a large 16-bit tensor from tables and row by row.
TEST(MicroxcalingKernels, LargeTensorsOfBlocksAreCastAsSmallOnes) {
  const std::size_t rows = 512, columns = 512;
  Words words;
  for (const TensorType type : {TensorType::kBf16, TensorType::kFp16}) {
    Tensor large = Tensor::zeros("values", type, {rows, columns});
    for (std::size_t i = 0; i < rows * columns; ++i) {
      const std::uint32_t near_one = 0x3B80 + words.next() % 0x700;
      set_word(large.bytes, 2, i, i % 97 == 0 ? words.next() & 0xFFFF : near_one);
    }
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      for (const Path path : {Path::kPython, Path::kCpp}) {
        const BlockConfig config{
            .elem_format = ElemFormat::kFp6E2m3, .axes = {-1}, .block_size = 32, .path = path};
        const auto all = quantize_mx(large, config, {mode});
        ASSERT_TRUE(all);
        for (std::size_t row = 0; row < rows; ++row) {
          const TensorView one("values", type, {columns},
                               std::span(large.bytes).subspan(row * columns * 2, columns * 2));
          const auto alone = quantize_mx(one, config, {mode});
          ASSERT_TRUE(std::equal(alone->bytes.begin(), alone->bytes.end(),
                                 all->bytes.begin() + static_cast<long>(row * columns * 2)))
              << row;
        }
      }
    }
  }
}

struct Pair {
  ElemFormat ours;
  std::string_view theirs;
};

/// Strict blocks are those of the reference's quantizer where the formats are OCP's.
TEST(MicroxcalingKernels, StrictBlocksAreThoseOfTheReference) {
  Words words;
  const std::pair<RoundingMode, Rounding> roundings[] = {
      {RoundingMode::kNearest, Rounding::kTiesToAway},
      {RoundingMode::kEven, Rounding::kTiesToEven},
      {RoundingMode::kFloor, Rounding::kTowardZero}};
  for (const auto& [ours, theirs] :
       {Pair{ElemFormat::kFp8E4m3, "mxfp8_e4m3"}, Pair{ElemFormat::kFp8E5m2, "mxfp8_e5m2"},
        Pair{ElemFormat::kFp6E3m2, "mxfp6_e3m2"}, Pair{ElemFormat::kFp6E2m3, "mxfp6_e2m3"},
        Pair{ElemFormat::kFp4, "mxfp4"}, Pair{ElemFormat::kInt8, "mxint8"}}) {
    for (const auto& [mode, rounding] : roundings) {
      const Quantizer quantizer = Quantizer::make({.source = formats::fp32,
                                                   .format = *find_block_format(theirs),
                                                   .element = {.rounding = rounding},
                                                   .block = {}})
                                      .value();
      const BlockConfig config{.elem_format = ours, .round = mode};
      const ExactBlocks<Fp32> exact(config);
      for (int block = 0; block < 2000; ++block) {
        std::vector<std::uint64_t> source(8), codes(8), values(8);
        const std::uint32_t top = words.next() % 255;
        for (std::uint64_t& word : source) {
          word = some_word<Fp32>(words);
          const std::uint32_t field = top - std::min(top, words.next() % 14);
          if (block % 4 != 0) word = (word & 0x807FFFFF) | std::uint64_t{field} << 23;
        }
        Word most = 0;
        for (const Word word : source) most = std::max(most, word & ~Fp32::kSign);
        const BlockResult result = quantizer.quantize_block(source, {}, codes);
        quantizer.dequantize_block(result.scale_code, codes, formats::fp32, values);
        const Scale plan = exact.plan(most);
        for (std::size_t i = 0; i < source.size(); ++i) {
          ASSERT_EQ(exact.apply(plan, source[i], 0), values[i])
              << theirs << " " << token_of(mode) << std::hex << " " << source[i];
        }
      }
    }
  }
}

/// Strict elements are the reference's conversions.
TEST(MicroxcalingKernels, StrictElementsAreThoseOfTheReference) {
  Words words;
  for (const auto& [ours, theirs] :
       {Pair{ElemFormat::kFp8E4m3, "e4m3fn"}, Pair{ElemFormat::kFp8E5m2, "e5m2"},
        Pair{ElemFormat::kFp6E3m2, "e3m2fn"}, Pair{ElemFormat::kFp6E2m3, "e2m3fn"},
        Pair{ElemFormat::kFp4, "e2m1fn"}, Pair{ElemFormat::kInt8, "int8"},
        Pair{ElemFormat::kFloat16, "fp16"}, Pair{ElemFormat::kBfloat16, "bf16"}}) {
    for (const bool saturates : {false, true}) {
      for (const bool flushes : {false, true}) {
        ElementConfig config = element_config(ours);
        config.saturate_normals = saturates;
        config.allow_denorm = !flushes;
        const ExactElement exact(config);
        const ElementFormat& format = *find_format(theirs);
        const bool keeps_inf = !saturates;
        const Conversion down =
            Conversion::make(
                {formats::fp32,
                 format,
                 {.rounding = Rounding::kTiesToAway,
                  .overflow = keeps_inf ? Overflow::kNoneInfOrNan : Overflow::kSatFinite,
                  .dst_ftz = flushes && !format.is_fixed() ? ResultSubnormals::kFlushAfterRounding
                                                           : ResultSubnormals::kKeep}})
                .value();
        const Conversion up =
            Conversion::make({format, formats::fp32, {.overflow = Overflow::kPropagateInf}})
                .value();
        for (int i = 0; i < 20000; ++i) {
          const Word word = some_word<Fp32>(words);
          if ((word & ~Fp32::kSign) > Fp32::kInfinity) continue;  // not every format has a NaN
          // The reference flushes what is subnormal on the format's grid; spec ST7 asks for the
          // number rounded with unbounded exponent. They differ next to the smallest normal one.
          Word expected = up(down(word).code).code;
          if ((expected & ~Fp32::kSign) > Fp32::kInfinity) expected = Fp32::kNan;
          const Word found = exact.apply<Fp32>(word);
          if (flushes &&
              (word & ~Fp32::kSign) >> 23 == static_cast<Word>(config.min_exponent() + 127) - 1) {
            continue;
          }
          ASSERT_EQ(found, expected) << theirs << saturates << flushes << std::hex << " " << word;
        }
      }
    }
  }
}

TEST(MicroxcalingKernels, Bf16AndBinary16MisreadAsManyExponentsAsTheLawCounts) {
  const auto misread = [](auto type) {
    using T = decltype(type);
    int normal = 0, all = 0;
    for (Word word = 1; word < T::kInfinity; ++word) {
      const bool slips = read_exponent<T>(word) != exponent_of(T::value(word));
      all += slips ? 1 : 0;
      normal += slips && T::field(word) != 0 ? 1 : 0;
    }
    return std::pair(normal, all);
  };
  EXPECT_EQ(misread(Bf16{}), std::pair(6804, 6850));
  EXPECT_EQ(misread(Fp16{}).second, 94);
}

TEST(MicroxcalingText, IsReadBack) {
  for (const std::string text :
       {"quantize_mx(scale_bits=8,elem_format=fp8_e4m3,shared_exp_method=max,axes=(-1),"
        "block_size=32,round=nearest,flush_fp32_subnorms=False,path=python)",
        "quantize_mx(scale_bits=5,elem_format=int2,shared_exp_method=none,axes=(0,-2),"
        "block_size=0,round=dither,flush_fp32_subnorms=True,path=cuda)",
        "quantize_mx(scale_bits=8,elem_format=fp4,shared_exp_method=max,axes=None,block_size=0,"
        "round=even,flush_fp32_subnorms=False,path=cpp)",
        "quantize_mx(elem_format=None)", "quantize_elemwise(elem_format=None)",
        "quantize_elemwise(bits=5,exp_bits=4,max_norm=0x1.cp+8,saturate_normals=True,"
        "round=floor,allow_denorm=False,path=cpp)",
        "quantize_elemwise_op(bfloat=16,fp=0,round=even,bfloat_subnorms=True,path=python)",
        "quantize_bfloat(bfloat=12,round=nearest,allow_denorm=True,path=python)",
        "quantize_fp(exp_bits=5,mantissa_bits=10,round=nearest,allow_denorm=True,path=python)"}) {
    const auto cast = make_cast("microxcaling:" + text, {});
    ASSERT_TRUE(cast) << cast.problem();
    EXPECT_EQ((*cast)->text(), text);
  }
  const auto op =
      make_cast("microxcaling:quantize_mx_op(elem_format=fp4,axes=(1),block_size=4)", {});
  EXPECT_EQ((*op)->text(),
            "quantize_mx(scale_bits=8,elem_format=fp4,shared_exp_method=max,axes=(1),block_size=4,"
            "round=nearest,flush_fp32_subnorms=False,path=python)");
}

TEST(MicroxcalingText, IsRefusedWithThePosition) {
  const auto problem = [](const std::string& text) {
    return std::string(make_cast("microxcaling:" + text, {}).problem());
  };
  EXPECT_EQ(problem("quantize_mx(elem_format=fp5)"),
            "ValueError: position 12: quantize_mx: parameter 'elem_format' is no element format: "
            "'fp5'");
  EXPECT_NE(problem("quantize_mx(elem_format=fp4,axes=(x))").find("a tuple of integers"),
            std::string::npos);
  EXPECT_NE(problem("quantize_mx(elem_format=fp4,round=up)").find("nearest, floor, even, dither"),
            std::string::npos);
  EXPECT_NE(problem("quantize_mx(elem_format=fp4,path=gpu)").find("python, cpp, cuda"),
            std::string::npos);
  EXPECT_NE(problem("quantize_mx(elem_format=fp4,block_size=-1)").find("must lie in"),
            std::string::npos);
  EXPECT_NE(problem("quantize_elemwise(bits=5,exp_bits=4,max_norm=0.1)").find("max_norm"),
            std::string::npos);
  EXPECT_NE(problem("quantize_everything()").find("is none of quantize_mx"), std::string::npos);
  EXPECT_NE(problem("quantize_mx(elem_format=fp4,wide=1)").find("no parameter 'wide'"),
            std::string::npos);
}

TEST(MicroxcalingText, NumbersAreExact) {
  EXPECT_EQ(read_binary64("448"), 0x407C000000000000U);
  EXPECT_EQ(read_binary64("448.0"), 0x407C000000000000U);
  EXPECT_EQ(read_binary64("0x1.c000000000000p+8"), 0x407C000000000000U);
  EXPECT_EQ(read_binary64("1.984375"), 0x3FFFC00000000000U);
  EXPECT_EQ(read_binary64("0x0.0p+0"), 0U);
  EXPECT_EQ(read_binary64("inf"), 0x7FF0000000000000U);
  for (const char* const text : {"", "0.1", "-1", "1e3", "0x1.8", "x", "1.2.3"}) {
    EXPECT_FALSE(read_binary64(text)) << text;
  }
  EXPECT_EQ(write_binary64(0x47EFE00000000000), "0x1.fep+127");
  EXPECT_EQ(write_binary64(0x3FF0000000000000), "0x1p+0");
}

}  // namespace
}  // namespace mx::emulators::microxcaling

#include "fast/scaled/table.hpp"

#include "fast/cpu/resolve.hpp"
#include "fast/dequantize/plain.hpp"
#include "fast/dequantize/resolve.hpp"
#include "fast/rules/binary32.hpp"
#include "fast/scaled/chain.hpp"
#include "fast/scaled/resolve.hpp"
#include "reference/format/way_back.hpp"

namespace mx::fast::scaled {
namespace {

using cpu::no_path;

std::uint32_t word_of(const dequantize::WordConstants& c, Real magnitude, bool negative) {
  if (magnitude.significand == 0) return dequantize::zero_word(c, negative);
  return dequantize::rounded_word(c, static_cast<std::uint32_t>(magnitude.significand),
                                  magnitude.exponent, negative);
}

/// One job's arithmetic.
class Products {
 public:
  Products(const ScaledDequantizeJob& job, const dequantize::WordConstants& words)
      : format_(job.blocks.format), words_(words) {
    way_ = way_back_of(job.blocks.block.rule);
    const bool has_tensor_scale = format_.tensor_scale != TensorScale::kNone;
    tensor_scale_ = has_tensor_scale ? job.tensor_scale : kOne32;
  }

  /// Does a scale leave binary32 on the way?
  [[nodiscard]] bool overflows() const {
    const auto largest = static_cast<std::uint32_t>(format_.scale.max_code);
    return way_ != WayBack::kExact && rounded_scale(largest) == kInf32;
  }

  /// Scale * code * tensor scale: at most 6, 2 and 24 bits, exact, or each product, or quotient of
  /// scale and tensor scale, rounded to binary32.
  [[nodiscard]] std::uint32_t word(std::uint32_t scale, std::uint32_t code) const {
    const auto sign_bit = static_cast<std::uint32_t>(format_.element.sign_bit());
    const bool negative = (code & sign_bit) != 0;
    const Real element = code_value(format_.element, code & (sign_bit - 1));
    if (way_ == WayBack::kExact) {
      const Real product = times(element, code_value(format_.scale, scale));
      return word_of(words_, times(product, value32(tensor_scale_)), negative);
    }
    const std::uint32_t value = multiply32(word32(element), rounded_scale(scale));
    if (value == kInf32) return words_.infinity[negative ? 1 : 0];
    return word_of(words_, value32(value), negative);
  }

 private:
  [[nodiscard]] std::uint32_t rounded_scale(std::uint32_t scale) const {
    const std::uint32_t value = word32(code_value(format_.scale, scale));
    return way_ == WayBack::kQuotient ? divide32(value, tensor_scale_)
                                      : multiply32(tensor_scale_, value);
  }

  const BlockFormat& format_;
  const dequantize::WordConstants& words_;
  WayBack way_ = WayBack::kExact;
  std::uint32_t tensor_scale_ = kOne32;
};

}  // namespace

Checked<Table> make_table(const ScaledDequantizeJob& job) {
  const BlockFormat& format = job.blocks.format;
  if (const std::string_view why = shape_problem(format); !why.empty()) return no_path(why);
  if (job.tensor_scale >= kInf32) return no_path("the tensor scale");
  const Checked<dequantize::WordConstants> words = dequantize::resolve_words(job.blocks);
  if (!words) return Problem{std::string(words.problem())};
  const Products products(job, *words);
  if (products.overflows()) return no_path("scales beyond binary32");
  Table table;
  table.words = words->format;
  table.block_size = format.block_size;
  table.tile_lines = format.tile_lines;
  for (std::size_t byte = 0; byte < kScales; ++byte) {
    table.is_stray[byte] = !format.scale.takes(byte);
    const auto scale = static_cast<std::uint32_t>(byte & format.scale.code_mask());
    const bool is_nan = format.scale.has_nan() && scale == format.scale.canonical_nan;
    for (std::uint32_t code = 0; code < kCodes; ++code) {
      const std::uint32_t word = is_nan ? words->nan[0] : products.word(scale, code);
      for (unsigned plane = 0; plane < 4; ++plane) {
        table.planes[byte].of[plane][code] = static_cast<std::uint8_t>(word >> (8 * plane));
      }
    }
  }
  return table;
}

}  // namespace mx::fast::scaled

// The C interface beside tensors and casts: conversions, single blocks, dot products, names.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

constexpr std::size_t kMost = 64;

/// What owns an object of the C interface.
template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

struct Why {
  std::array<char, 300> text{};
  [[nodiscard]] char* data() { return text.data(); }
  [[nodiscard]] std::size_t size() const { return text.size(); }
};

/// Stored bytes of a code, 0 for no format.
std::size_t storage_of(const std::string& format) {
  mxgold_format_info info{};
  return mxgold_format(format.c_str(), &info) == MXGOLD_OK ? info.storage_bytes : 0;
}

std::vector<std::uint64_t> words_of(const std::vector<std::uint8_t>& bytes, std::size_t storage) {
  std::vector<std::uint64_t> words;
  for (std::size_t at = 0; at + storage <= bytes.size(); at += storage) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < storage; ++i) {
      const std::size_t byte = std::endian::native == std::endian::little ? storage - 1 - i : i;
      word = word << 8 | bytes[at + byte];
    }
    words.push_back(word);
  }
  return words;
}

/// Two formats, options, words: one by one and as an array the same codes, where nothing is drawn.
Outcome conversion(std::string_view input) {
  Draw draw(input);
  const std::string source = draw.line(), destination = draw.line();
  const DrawnOptions options(draw);
  Why why;
  mxgold_conversion* made = nullptr;
  const mxgold_status created =
      mxgold_conversion_create(source.c_str(), destination.c_str(), options.data(), options.size(),
                               &made, why.data(), why.size());
  require_status(created, why.data(), input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  const Owned<mxgold_conversion> owner(made, mxgold_conversion_destroy);
  const std::size_t from = storage_of(source), to = storage_of(destination);
  require(from != 0 && to != 0, "formats of a conversion have facts", input);
  const std::size_t count = draw.below(kMost);
  std::vector<std::uint8_t> bytes(count * from), array(count * to);
  draw.fill(bytes);
  const std::vector<std::uint64_t> words = words_of(bytes, from);
  std::vector<std::uint64_t> codes(count);
  std::vector<std::uint32_t> flags(count);
  const mxgold_status converted =
      mxgold_convert(made, words.data(), nullptr, count, codes.data(), flags.data());
  std::uint32_t all_flags = 0;
  const mxgold_status as_array = mxgold_convert_array(
      made, bytes.data(), bytes.size(), draw.word(8), 1, array.data(), array.size(), &all_flags);
  require_status(converted, nullptr, input);
  require_status(as_array, nullptr, input);
  require(mxgold_convert_array(made, bytes.data(), bytes.size(), 0, 0, array.data(),
                               array.size() + 1, nullptr) != MXGOLD_OK,
          "a buffer of another size is refused", input);
  std::vector<std::uint8_t> open(count);
  std::uint32_t masks = 0;
  require(
      mxgold_open_values(made, bytes.data(), bytes.size(), open.data(), count, &masks) == as_array,
      "an array says what of it is open where it is converted", input);
  require((masks != 0) == (std::ranges::count(open, 1) > 0), "what is open has a reason", input);
  if (converted != MXGOLD_OK) return Outcome::kRefused;  // random words are missing, too
  require(as_array == MXGOLD_OK, "an array is converted where its words are", input);
  require(words_of(array, to) == codes, "an array has the codes of its words", input);
  std::uint32_t either = 0;
  for (const std::uint32_t each : flags) either |= each;
  require(either == all_flags, "an array has the flags of its words", input);
  return Outcome::kRead;
}

std::vector<std::string> conversion_seeds() {
  return {bytes_of("fp32\ne4m3fn\noverflow=none_inf_or_nan\n\n\x02\x3F\x80\x00\x00\x7F\xC0\x00"),
          bytes_of("bf16\nfp16\nbackend=reference\n\n\x03\x3F\x80\x00\x01\xFF\x80"),
          bytes_of("e5m2\nfp64\nbackend=cpu\n\n\x04\x01\x7C\x80\xFF"),
          bytes_of("fp32\ne2m1fn\nprofile=ocp-mx-1.0\n\n\x02\x3F\xA0\x00\x00"),
          bytes_of("fp32\ne5m2\nrounding=stochastic_a\nrandom_bits=8\n\n\x01")};
}

/// A quantizer, its level from words, a block of any count there and back to any format.
Outcome block(std::string_view input) {
  Draw draw(input);
  const std::string source = draw.line(), format = draw.line(), output = draw.line();
  const DrawnOptions options(draw);
  Why why;
  mxgold_quantizer* made = nullptr;
  const mxgold_status created =
      mxgold_quantizer_create(source.c_str(), format.c_str(), options.data(), options.size(), &made,
                              why.data(), why.size());
  require_status(created, why.data(), input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  Owned<mxgold_quantizer> owner(made, mxgold_quantizer_destroy);
  mxgold_block_info info{};
  require(mxgold_block(made, &info) == MXGOLD_OK, "a quantizer has facts", input);
  require(info.element != nullptr && info.scale != nullptr, "facts have names", input);
  const bool is_sized = std::string_view(info.extent) == "elements";
  require(!is_sized || mxgold_block_size(made) > 0, "a block has elements", input);
  const std::size_t storage = storage_of(source);
  std::vector<std::uint8_t> bytes(draw.below(kMost) * storage);
  draw.fill(bytes);
  mxgold_tensor_level level{};
  const mxgold_status leveled = mxgold_find_tensor_level(made, bytes.data(), bytes.size(), &level);
  require_status(leveled, nullptr, input);
  if (draw.below(4) == 3) level = {0, static_cast<std::uint32_t>(draw.word(4))};
  mxgold_quantizer* at_level = nullptr;
  const int takes = mxgold_takes_tensor_scale(made);
  require(takes == 0 || takes == 1, "a rule takes a tensor scale or not", input);
  const mxgold_status moved = mxgold_quantizer_at_level(made, &level, &at_level);
  require_status(moved, nullptr, input);
  if (moved == MXGOLD_OK) owner.reset(at_level);
  const std::vector<std::uint64_t> words = words_of(bytes, storage);
  const std::vector<std::uint32_t> random(words.size());  // zero is below every bound
  std::vector<std::uint64_t> codes(words.size()), values(words.size());
  std::uint64_t scale = 0;
  std::uint32_t flags = 0;
  const mxgold_status quantized = mxgold_quantize_block(owner.get(), words.data(), random.data(),
                                                        words.size(), &scale, codes.data(), &flags);
  require_status(quantized, nullptr, input);
  if (draw.below(2) == 1) scale = draw.word(8);
  const mxgold_status back = mxgold_dequantize_block(owner.get(), scale, codes.data(), codes.size(),
                                                     output.c_str(), values.data());
  require_status(back, nullptr, input);
  return quantized == MXGOLD_OK ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> block_seeds() {
  return {bytes_of("fp32\nmxfp4\nfp32\n\n\x02\x3F\x80\x00\x00\x40\x49\x0F\xDB\x00\x00"),
          bytes_of("bf16\nnvfp4\nbf16\nrule=nvfp4_te\n\n\x03\x3F\x80\x00\x01\xFF\x80\x03\x3F\x80"),
          bytes_of("fp16\nmxfp8_e5m2\nfp64\nblock_size=4\nrounding=stochastic_b\n\n\x02\x3C\x01")};
}

/// Codes of a side of so many bits; a few are left as they were drawn.
void draw_codes(Draw& draw, std::vector<std::uint8_t>& bytes, std::uint32_t bits,
                std::uint32_t storage) {
  draw.fill(bytes);
  if (storage != 1 || draw.below(8) == 7) return;
  for (std::uint8_t& each : bytes) each = static_cast<std::uint8_t>(each & ((1U << bits) - 1));
}

/// Rows of codes and scales of two formats, with sizes that may not be theirs.
Outcome dot(std::string_view input) {
  Draw draw(input);
  Why why;
  std::array<Owned<mxgold_quantizer>, 2> sides{
      Owned<mxgold_quantizer>(nullptr, mxgold_quantizer_destroy),
      Owned<mxgold_quantizer>(nullptr, mxgold_quantizer_destroy)};
  for (auto& side : sides) {
    const std::string format = draw.line();
    mxgold_quantizer* made = nullptr;
    const mxgold_status created =
        mxgold_quantizer_create("fp32", format.c_str(), nullptr, 0, &made, why.data(), why.size());
    require_status(created, why.data(), input);
    if (created != MXGOLD_OK) return Outcome::kRefused;
    side.reset(made);
  }
  const DrawnOptions options(draw);
  mxgold_dot* made = nullptr;
  const mxgold_status created = mxgold_dot_create(sides[0].get(), sides[1].get(), options.data(),
                                                  options.size(), &made, why.data(), why.size());
  require_status(created, why.data(), input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  const Owned<mxgold_dot> owner(made, mxgold_dot_destroy);
  const std::array<std::uint64_t, 3> numbers = {draw.word(1) % 80, draw.word(1) % 5,
                                                draw.word(1) % 5};
  std::array<std::vector<std::uint8_t>, 2> codes, scales;
  std::array<mxgold_rows, 2> rows{};
  for (std::size_t side = 0; side < 2; ++side) {
    const std::array<std::uint64_t, 2> shape = {numbers[1 + side], numbers[0]};
    mxgold_tensor_sizes sizes{};
    const mxgold_status sized = mxgold_sizes(sides[side].get(), shape.data(), 2, 1, &sizes);
    require_status(sized, nullptr, input);
    codes[side].resize(sizes.code_bytes);
    scales[side].resize(sizes.scale_bytes);
    mxgold_block_info info{};
    require(mxgold_block(sides[side].get(), &info) == MXGOLD_OK, "a quantizer has facts", input);
    draw_codes(draw, codes[side], info.element_bits, info.element_bytes);
    draw_codes(draw, scales[side], info.scale_bits, info.scale_bytes);
    rows[side] = {codes[side].data(), codes[side].size(), scales[side].data(), scales[side].size(),
                  numbers[1 + side]};
  }
  const std::size_t results = numbers[1] * numbers[2];
  const std::size_t storage = std::size_t{1} << draw.below(4);
  std::vector<std::uint8_t> addends(draw.below(2) * results * storage), words(results * storage);
  draw.fill(addends);
  std::uint64_t length = numbers[0];
  const std::size_t lie = draw.below(16);
  if (lie == 13) length = draw.word(8);
  if (lie == 14) rows[0].rows = draw.word(8);
  if (lie == 15) rows[1].rows = draw.word(8);
  std::uint32_t flags = 0;
  const mxgold_status answered = mxgold_dot_rows(
      made, length, rows.data(), &rows[1], addends.empty() ? nullptr : addends.data(),
      addends.size(), words.data(), words.size(), &flags);
  require_status(answered, nullptr, input);
  return answered == MXGOLD_OK ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> dot_seeds() {
  // One row of 32 on each side: codes and scales, with a byte after each that keeps their bits.
  const auto row = [](std::size_t scales) {
    return std::string(32, '\x31') + '\0' + std::string(scales, '\x38') + '\0';
  };
  const std::string head = bytes_of("\x20\x01\x01");
  const std::string no_addend = bytes_of("\x00\x00"), fp32_addend = bytes_of("\x02\x01");
  return {"mxfp4\nmxfp8_e4m3\n\n" + head + row(1) + row(1) + "\x02" + no_addend,
          "mxfp4\nmxfp4\nmode=accumulator\ngroup=8\nresult=fp32\n\n" + head + row(1) + row(1) +
              "\x02" + no_addend,
          "nvfp4\nnvfp4\naddend=fp32\n\n" + head + row(2) + row(2) + fp32_addend,
          "mxfp6_e2m3\nmxfp6_e3m2\nresult=bf16\nrounding=to_odd\n\n" + head + row(1) + row(1) +
              "\x01" + no_addend};
}

/// A list and an index; a format; a status.
Outcome name(std::string_view input) {
  Draw draw(input);
  const std::string list = draw.line(), format = draw.line();
  const std::size_t index = draw.below(2) == 0 ? draw.word(1) : draw.word(8);
  const char* const found = mxgold_name(list.c_str(), index);
  if (found != nullptr) require_words(found, input);
  const char* const here = mxgold_name_here(format.c_str(), index);
  if (here != nullptr) require_words(here, input);
  std::array<char, 400> canonical{}, again{};
  Why why;
  const mxgold_status named = mxgold_canonical_format(format.c_str(), canonical.data(),
                                                      canonical.size(), why.data(), why.size());
  require_status(named, why.data(), input);
  require(named != MXGOLD_OK || (mxgold_canonical_format(canonical.data(), again.data(),
                                                         again.size(), nullptr, 0) == MXGOLD_OK &&
                                 canonical == again),
          "a canonical name is its own", input);
  mxgold_format_info info{};
  const mxgold_status told = mxgold_format(format.c_str(), &info);
  require_status(told, nullptr, input);
  if (told == MXGOLD_OK) require(info.bits >= 1 && info.bits <= 64, "a code has bits", input);
  require_words(mxgold_status_text(static_cast<mxgold_status>(draw.word(1) % 16)), input);
  (void)mxgold_system(index);
  require(mxgold_abi_version() > 0, "an interface has a version", input);
  require_words(mxgold_version(), input);
  return found != nullptr || told == MXGOLD_OK ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> name_seeds() {
  return {bytes_of("formats\ne4m3fn\n\x00\x03"),
          bytes_of("rounding\ne5m10\n\x00\x01"),
          bytes_of("profiles\nbinary8p4se\n\x00\x02"),
          bytes_of("policies\nfixed8.4\n\x00\x02"),
          bytes_of("blocks\nexp_bits=3,man_bits=4,bias=5,has_subnormal=false\n\x00\x02"),
          bytes_of("blocks\nelement=(exp_bits=2,man_bits=2),block_size=8,rule=ceil\n\x00\x02")};
}

}  // namespace

Target conversions_target() { return {"conversions", conversion, conversion_seeds}; }
Target blocks_target() { return {"blocks", block, block_seeds}; }
Target dots_target() { return {"dots", dot, dot_seeds}; }
Target names_target() { return {"names", name, name_seeds}; }

}  // namespace mx::fuzz

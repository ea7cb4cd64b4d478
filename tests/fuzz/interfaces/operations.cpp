// SPDX-License-Identifier: Apache-2.0
// Operations of IEEE 754, exact values and matrix units of the C interface.
#include <array>
#include <cstring>
#include <memory>

#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

/// What owns an object of the C interface.
template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

/// Stored bytes of a code, or of an integer ("i16"); 1 for none.
std::size_t storage_of(const std::string& format) {
  for (const char* const bits : {"16", "32", "64"}) {
    if (format == std::string("i") + bits || format == std::string("u") + bits) {
      return bits[0] == '1' ? 2 : bits[0] == '3' ? 4 : 8;
    }
  }
  mxgold_format_info info{};
  return mxgold_format(format.c_str(), &info) == MXGOLD_OK ? info.storage_bytes : 1;
}

/// An operation, its formats, a result (or none), options, words of each operand.
Outcome operation(std::string_view input) {
  Draw draw(input);
  const std::string name = draw.line();
  const std::size_t operands = 1 + draw.below(3);
  std::array<std::string, 3> formats;
  std::array<const char*, 3> texts{};
  for (std::size_t i = 0; i < operands; ++i) {
    formats[i] = draw.line();
    texts[i] = formats[i].c_str();
  }
  const std::string result = draw.line();
  const DrawnOptions options(draw);
  std::array<char, 300> why{};
  mxgold_operation* made = nullptr;
  const mxgold_status created = mxgold_operation_create(
      name.c_str(), texts.data(), operands, result.empty() ? nullptr : result.c_str(),
      options.data(), options.size(), &made, why.data(), why.size());
  // A result that is missing, and no other NULL, has no message.
  require_status(created, created == MXGOLD_NULL_ARGUMENT ? nullptr : why.data(), input);
  require((made != nullptr) == (created == MXGOLD_OK), "an object or a refusal", input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  const Owned<mxgold_operation> owner(made, mxgold_operation_destroy);
  const std::size_t count = draw.below(20);
  std::array<std::vector<std::uint8_t>, 3> words;
  std::array<mxgold_words, 3> given{};
  std::array<std::size_t, 3> sizes{};
  for (std::size_t i = 0; i < operands; ++i) {
    sizes[i] = storage_of(formats[i]);
    words[i].resize(sizes[i] * (draw.below(4) == 3 ? 1 : count));
    draw.fill(words[i]);
    given[i] = {words[i].data(), words[i].size()};
  }
  const std::size_t to = storage_of(result);
  std::vector<std::uint8_t> results(count * to), each(count), one(to);
  std::uint32_t flags = 0;
  const mxgold_status status = mxgold_operate(made, given.data(), operands, count, results.data(),
                                              results.size(), each.data(), &flags);
  require_status(status, nullptr, input);
  if (status != MXGOLD_OK) return Outcome::kRefused;
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < operands; ++k) {
      const std::size_t at = words[k].size() == sizes[k] ? 0 : i * sizes[k];
      given[k] = {words[k].data() + at, sizes[k]};
    }
    require(mxgold_operate(made, given.data(), operands, 1, one.data(), to, nullptr, nullptr) ==
                MXGOLD_OK,
            "an element of an array is an operand", input);
    require(std::memcmp(one.data(), results.data() + i * to, to) == 0,
            "an array has the results of its elements", input);
    all |= each[i];
  }
  require(all == flags, "an array has the flags of its elements", input);
  return Outcome::kRead;
}

std::vector<std::string> operation_seeds() {
  return {bytes_of("add\n\x01"
                   "e4m3fn\nfp16\ne4m3fn\n\n\x02\x00\x38\x40\x00\x00\x3C\x00\x40"),
          bytes_of("fma\n\x02"
                   "e5m2\ne5m2\nfp32\nbf16\nrounding=to_odd\n\n\x01\x00\x7C\x03\x80\x00\x00\x00"
                   "\x00\x80"),
          bytes_of("compare_signaling_less\n\x01"
                   "fp16\nfp16\n\n\n\x01\x00\x00\x7C\x00\x01\x7C"),
          bytes_of("to_integer\n\x00"
                   "fp32\ni16\nout_of_range=indefinite\n\n\x01\x00\x00\x00\x80\x7F"),
          bytes_of("from_integer\n\x00"
                   "u64\nfp16\n\n\x01\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"),
          bytes_of("remainder\n\x01"
                   "exp_bits=3,man_bits=4\nfp64\nfp64\n\n\x02\x00\x11\x22\x03\x01\x02\x03\x04"
                   "\x05\x06\x07\x08")};
}

/// A format, a destination, options, codes and numbers as they were drawn.
Outcome number(std::string_view input) {
  Draw draw(input);
  const std::string format = draw.line();
  const DrawnOptions options(draw);
  mxgold_conversion* made = nullptr;
  const mxgold_status created = mxgold_conversion_create(
      format.c_str(), format.c_str(), options.data(), options.size(), &made, nullptr, 0);
  require_status(created, nullptr, input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  const Owned<mxgold_conversion> owner(made, mxgold_conversion_destroy);
  std::array<std::uint64_t, 4> codes{}, back{}, again{};
  const std::size_t storage = storage_of(format);
  for (std::uint64_t& code : codes) code = draw.word(storage);
  std::array<mxgold_number, 4> numbers{};
  const std::array<std::uint32_t, 4> random{};
  const mxgold_status valued = mxgold_values(format.c_str(), codes.data(), 4, numbers.data());
  require_status(valued, nullptr, input);
  if (valued == MXGOLD_OK) {
    const mxgold_status rounded =
        mxgold_round(made, numbers.data(), random.data(), 4, back.data(), nullptr);
    require_status(rounded, nullptr, input);
    const mxgold_status converted =
        mxgold_convert(made, codes.data(), random.data(), 4, again.data(), nullptr);
    require(rounded != MXGOLD_OK || (converted == MXGOLD_OK && back == again),
            "a value is rounded as its code is converted", input);
  }
  mxgold_number drawn{draw.word(8),
                      static_cast<std::int32_t>(draw.word(4)),
                      static_cast<std::uint8_t>(draw.word(1)),
                      static_cast<std::uint8_t>(draw.word(1)),
                      static_cast<std::uint8_t>(draw.word(1)),
                      static_cast<std::uint8_t>(draw.word(1))};
  if (draw.below(2) == 1) drawn.exponent >>= 7;
  std::uint32_t flags = 0;
  const mxgold_status rounded = mxgold_round(made, &drawn, random.data(), 1, back.data(), &flags);
  require_status(rounded, nullptr, input);
  return rounded == MXGOLD_OK || valued == MXGOLD_OK ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> number_seeds() {
  return {
      bytes_of("e4m3fn\n\n\x38\x7F\x81\x00\x80\x00\x00\x00\x00\x00\x00\x01\xFF\xFF\xFF\xC1\x01\x00"
               "\x00\x01"),
      bytes_of("fp64\nrounding=stochastic_a\n\n\x3F\xF0\x00\x00\x00\x00\x00\x01\x7F\xF0"),
      bytes_of("hif8\n\n\x01\x02\x80\xFF\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x01\x00\x01"),
      bytes_of("kind=twos_compl_fixed,bits=64,frac_bits=0\n\n\x80\x00\x00\x00\x00\x00\x00\x00")};
}

/// A unit, formats of the sides, of scales and the result, and rows.
Outcome unit(std::string_view input) {
  Draw draw(input);
  const std::string name = draw.line(), a = draw.line(), b = draw.line(), scale = draw.line(),
                    result = draw.line();
  const auto block = static_cast<std::uint32_t>(draw.word(1));
  const std::uint64_t chunk = draw.below(8) == 7 ? draw.word(8) : draw.word(1);
  const mxgold_unit_operands operands{a.c_str(), b.c_str(), scale.empty() ? nullptr : scale.c_str(),
                                      block, result.c_str()};
  std::array<char, 300> why{};
  mxgold_unit* made = nullptr;
  const mxgold_status created =
      mxgold_unit_create(name.c_str(), &operands, chunk, &made, why.data(), why.size());
  require_status(created, why.data(), input);
  require((made != nullptr) == (created == MXGOLD_OK), "an object or a refusal", input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  const Owned<mxgold_unit> owner(made, mxgold_unit_destroy);
  const std::array<std::uint64_t, 3> numbers = {draw.below(80), draw.below(4), draw.below(4)};
  std::array<std::vector<std::uint8_t>, 2> codes, scales;
  std::array<mxgold_rows, 2> rows{};
  for (std::size_t side = 0; side < 2; ++side) {
    const std::uint64_t count = numbers[1 + side];
    codes[side].resize(count * numbers[0] * storage_of(side == 0 ? a : b));
    scales[side].resize(block == 0 ? 0 : count * ((numbers[0] + block - 1) / block));
    draw.fill(codes[side]);
    draw.fill(scales[side]);
    if (storage_of(a) == 1 && draw.below(8) != 7) {
      for (std::uint8_t& each : codes[side]) each &= 0x0F;
    }
    rows[side] = {codes[side].data(), codes[side].size(), scales[side].data(), scales[side].size(),
                  count};
  }
  const int is_paired = static_cast<int>(draw.below(2));
  const std::size_t results = numbers[1] * (is_paired == 1 ? 1 : numbers[2]) * storage_of(result);
  std::vector<std::uint8_t> words(results), again(results), addends(draw.below(2) * results);
  draw.fill(addends);
  std::uint64_t length = numbers[0];
  const std::size_t lie = draw.below(16);
  if (lie == 13) length = draw.word(8);
  if (lie == 14) rows[0].rows = draw.word(8);
  if (lie == 15) rows[1].rows = draw.word(8);
  const void* const c = addends.empty() ? nullptr : addends.data();
  const mxgold_status answered =
      mxgold_unit_multiply(made, length, rows.data(), &rows[1], is_paired, c, addends.size(),
                           words.data(), words.size());
  require_status(answered, nullptr, input);
  if (answered != MXGOLD_OK) return Outcome::kRefused;
  require(mxgold_unit_multiply(made, length, rows.data(), &rows[1], is_paired, c, addends.size(),
                               again.data(), again.size()) == MXGOLD_OK &&
              words == again,
          "a unit answers twice the same", input);
  return Outcome::kRead;
}

std::vector<std::string> unit_seeds() {
  const std::string codes(200, '\x32');
  return {"h100_f16\nfp16\nfp16\n\nfp32\n" + bytes_of("\x00\x00\x00\x08\x02\x02") + codes,
          "b200_mxf4\ne2m1fn\ne2m1fn\nue4m3\nfp32\n" + bytes_of("\x10\x00\x00\x20\x01\x02") + codes,
          "mi300_fp8\ne4m3fnuz\ne5m2fnuz\n\nfp32\n" + bytes_of("\x00\x00\x00\x10\x01\x01") + codes,
          "h100_wgmma_fp8\ne4m3fn\ne5m2\n\nfp16\n" + bytes_of("\x00\x00\x08\x20\x01\x01") + codes};
}

}  // namespace

Target operations_target() { return {"operations", operation, operation_seeds}; }
Target exact_numbers_target() { return {"exact_numbers", number, number_seeds}; }
Target units_target() { return {"units", unit, unit_seeds}; }

}  // namespace mx::fuzz

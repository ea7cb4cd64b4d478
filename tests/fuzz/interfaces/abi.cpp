// The C interfaces, with texts and sizes of strangers: every call ends in a status, and a refusal
// that has room for words has them. Buffers have exactly the sizes that are announced.
#include <algorithm>
#include <array>
#include <memory>

#include "bridge/model/mxgold_model.h"
#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

/// A model of a line answers one record; the words follow, each of as many bytes as it has bits.
Outcome model(std::string_view input) {
  require(mxgold_model_abi_version() > 0, "an interface has a version", input);
  Draw draw(input);
  const std::string text = draw.line();
  std::array<char, 300> why{};
  mxgold_model* made = nullptr;
  const mxgold_status opened = mxgold_model_open(text.c_str(), &made, why.data(), why.size());
  require_status(opened, why.data(), input);
  if (opened != MXGOLD_OK) return Outcome::kRefused;
  const std::unique_ptr<mxgold_model, decltype(&mxgold_model_close)> handle(made,
                                                                            mxgold_model_close);
  require(mxgold_model_text(made) != nullptr, "a model has a text", input);
  (void)mxgold_model_set_lanes(made, static_cast<std::uint32_t>(draw.word(1)));
  mxgold_model_facts facts{};
  require(mxgold_model_describe(made, &facts) == MXGOLD_OK, "a model has facts", input);
  mxgold_record record{};
  record.elements = static_cast<std::uint32_t>(draw.word(1));
  std::array<std::vector<std::uint64_t>, MXGOLD_FIELDS> words;
  std::size_t results = 0;
  for (std::size_t field = 0; field < MXGOLD_FIELDS; ++field) {
    words[field].resize(facts.fields[field].words);
    if (field >= MXGOLD_FIELD_SCALE) {
      record.results[field - MXGOLD_FIELD_SCALE] = words[field].data();
      results += words[field].size();
      continue;
    }
    for (std::uint64_t& word : words[field]) word = draw.word((facts.fields[field].bits + 7) / 8);
    record.operands[field] = words[field].data();
  }
  std::vector<std::uint8_t> open(results);
  why[0] = '\0';
  const mxgold_status answered =
      mxgold_model_answer(made, &record, open.data(), why.data(), why.size());
  require_status(answered, why.data(), input);
  for (std::size_t field = MXGOLD_FIELD_SCALE; answered == MXGOLD_OK && field < MXGOLD_FIELDS;
       ++field) {
    const std::uint32_t bits = facts.fields[field].bits;
    for (const std::uint64_t word : words[field]) {
      require(bits >= 64 || word >> bits == 0, "a result has no bits above its width", input);
    }
  }
  std::uint64_t so_far = 0;
  require_status(mxgold_model_flags_so_far(made, static_cast<std::uint32_t>(draw.word(1)), &so_far),
                 nullptr, input);
  return answered == MXGOLD_OK ? Outcome::kRead : Outcome::kRefused;
}

/// A model of a configuration word and a line: the word that it has opens the same model.
Outcome config_word(std::string_view input) {
  Draw draw(input);
  const auto word = static_cast<std::uint32_t>(draw.word(4));
  const std::string text = draw.line();
  std::array<char, 300> why{};
  mxgold_model* made = nullptr;
  const mxgold_status opened =
      mxgold_model_open_word(word, text.c_str(), &made, why.data(), why.size());
  require_status(opened, why.data(), input);
  if (opened != MXGOLD_OK) return Outcome::kRefused;
  const std::unique_ptr<mxgold_model, decltype(&mxgold_model_close)> handle(made,
                                                                            mxgold_model_close);
  std::uint32_t own = 0;
  const mxgold_status told = mxgold_model_word(made, &own, why.data(), why.size());
  require_status(told, why.data(), input);
  if (told != MXGOLD_OK) return Outcome::kRead;
  mxgold_model* again = nullptr;
  require(mxgold_model_open_word(own, text.c_str(), &again, nullptr, 0) == MXGOLD_OK,
          "a model's own word opens", input);
  const std::unique_ptr<mxgold_model, decltype(&mxgold_model_close)> other(again,
                                                                           mxgold_model_close);
  require(std::string_view(mxgold_model_text(made)) == mxgold_model_text(again),
          "a model's own word opens the same", input);
  return Outcome::kRead;
}

std::vector<std::string> config_word_seeds() {
  std::vector<std::string> seeds;
  for (const char* const text : {"format=mxfp4", "format=mxfp8_e4m3 rounding=to_odd rule=rceil"}) {
    mxgold_model* made = nullptr;
    std::uint32_t word = 0;
    require(mxgold_model_open(text, &made, nullptr, 0) == MXGOLD_OK, "a seed opens", text);
    require(mxgold_model_word(made, &word, nullptr, 0) == MXGOLD_OK, "a seed has a word", text);
    mxgold_model_close(made);
    std::string seed;
    for (int shift = 24; shift >= 0; shift -= 8) seed += static_cast<char>(word >> shift);
    seeds.push_back(seed);
    seeds.push_back(seed + "random_bits=8");
  }
  return seeds;
}

std::vector<std::string> model_seeds() {
  return {bytes_of("format=mxfp4\n\x20\x20\x3F\x80\x00\x00\x40\x49\x0F\xDB"),
          "op=cvt destination=e4m3fn\n\x01\x01\x3F\xA6\x66\x66",
          bytes_of("op=dot a=mxfp4\n\x20\x20\x7F\x01\x02\x03"),
          bytes_of("op=mma unit=mi300_fp8 a=e4m3fnuz\n\x20\x20\x38\x80\x01\x02\x03"),
          "op=arith operation=fma format=fp16\n\x01\x01\x3C\x01\x3C\x02\x7B\xFF",
          "op=dequantize format=mxfp8_e4m3 result=bf16\n\x20\x20\x7F\x38\x39",
          "op=cast cast=dmx:MXFP8[E4M3]{32}\n\x20\x20\x3F\x80\x7F\x7F"};
}

/// A quantizer of two names and options, NAME=VALUE a line until an empty one; a shape, an axis and
/// data.
Outcome tensor(std::string_view input) {
  Draw draw(input);
  const std::string source = draw.line(), format = draw.line();
  const DrawnOptions options(draw);
  std::array<char, 300> why{};
  mxgold_quantizer* made = nullptr;
  const mxgold_status created =
      mxgold_quantizer_create(source.c_str(), format.c_str(), options.data(), options.size(), &made,
                              why.data(), why.size());
  require_status(created, why.data(), input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  const std::unique_ptr<mxgold_quantizer, decltype(&mxgold_quantizer_destroy)> handle(
      made, mxgold_quantizer_destroy);
  std::array<std::uint64_t, 3> shape{};
  const std::size_t rank = draw.word(1) % 4;
  const bool is_huge = draw.word(1) % 8 == 7;
  for (std::uint64_t& length : shape) length = is_huge ? draw.word(8) : draw.word(1) % 40;
  const auto axis = static_cast<std::int64_t>(draw.word(1)) - 4;
  mxgold_tensor_sizes sizes{};
  const mxgold_status sized = mxgold_sizes(made, shape.data(), rank, axis, &sizes);
  require_status(sized, nullptr, input);
  if (sized != MXGOLD_OK) return Outcome::kRefused;
  if (sizes.source_bytes > 1U << 20 || sizes.code_bytes > 1U << 20) {
    std::array<std::uint8_t, 8> few{};
    require(mxgold_quantize_tensor(made, shape.data(), rank, axis, few.data(), few.size(), 0, 0,
                                   few.data(), few.size(), few.data(), few.size(),
                                   nullptr) == MXGOLD_BAD_SIZE,
            "buffers that are too small are not touched", input);
    return Outcome::kRefused;
  }
  std::vector<std::uint8_t> words(sizes.source_bytes), codes(sizes.code_bytes),
      scales(sizes.scale_bytes);
  for (std::uint8_t& byte : words) byte = static_cast<std::uint8_t>(draw.word(1));
  std::uint32_t flags = 0;
  const mxgold_status quantized = mxgold_quantize_tensor(
      made, shape.data(), rank, axis, words.data(), words.size(), draw.word(2), 3, codes.data(),
      codes.size(), scales.data(), scales.size(), &flags);
  require_status(quantized, nullptr, input);
  std::vector<std::uint8_t> open_codes(sizes.elements), open_scales(sizes.scales);
  std::uint32_t masks = 0;
  require(mxgold_open_blocks(made, shape.data(), rank, axis, words.data(), words.size(), 7, 3,
                             open_codes.data(), sizes.elements, open_scales.data(), sizes.scales,
                             &masks) == quantized,
          "a tensor says what of it is open where it is quantized", input);
  require(
      (masks != 0) == (std::ranges::count(open_codes, 1) + std::ranges::count(open_scales, 1) > 0),
      "what is open has a reason", input);
  if (quantized != MXGOLD_OK) return Outcome::kRefused;
  std::vector<std::uint8_t> values(4 * sizes.elements);
  const mxgold_status back =
      mxgold_dequantize_tensor(made, shape.data(), rank, axis, codes.data(), codes.size(),
                               scales.data(), scales.size(), "fp32", values.data(), values.size());
  require(back == MXGOLD_OK, "what was quantized can be dequantized", input);
  return Outcome::kRead;
}

std::vector<std::string> tensor_seeds() {
  return {bytes_of("fp32\nmxfp4\nrounding=ties_to_away\n\n\x02\x00\x03\x21\x00\x05"),
          bytes_of("bf16\nmxfp8_e4m3\nblock_size=8\n\n\x03\x00\x02\x03\x04\x04\x3F\x80"),
          bytes_of("fp16\nnvfp4\n\n\x01\x00\x20\x00\x00\x04\x3C\x00")};
}

/// The text of a cast, and what its system tells of it.
void require_facts(const mxgold_cast* cast, std::string_view input) {
  require_words(mxgold_cast_text(cast), input);
  std::size_t count = 0;
  for (; mxgold_cast_property(cast, count).name != nullptr; ++count) {
    const mxgold_cast_fact fact = mxgold_cast_property(cast, count);
    require(*fact.text == '\0' || *fact.problem == '\0', "a fact is told or refused", input);
  }
  require(mxgold_cast_property(cast, count + (1U << 20)).name == nullptr, "facts end", input);
}

/// A cast, its mode, an axis and one or two tensors.
Outcome cast_call(std::string_view input) {
  Draw draw(input);
  const std::string text = draw.line();
  std::array<char, 300> why{};
  mxgold_cast* made = nullptr;
  const mxgold_status created =
      mxgold_cast_create(text.c_str(), draw.word(1) % 2 == 0 ? "strict" : "compat", nullptr, &made,
                         why.data(), why.size());
  require_status(created, why.data(), input);
  if (created != MXGOLD_OK) return Outcome::kRefused;
  const std::unique_ptr<mxgold_cast, decltype(&mxgold_cast_destroy)> handle(made,
                                                                            mxgold_cast_destroy);
  require_facts(made, input);
  constexpr std::array<const char*, 8> kTypes = {"fp32",  "bf16", "fp16",  "fp64",
                                                 "uint8", "int8", "int32", "int64"};
  constexpr std::array<std::size_t, 8> kBytes = {4, 2, 2, 8, 1, 1, 4, 8};
  std::array<std::array<std::uint64_t, 2>, 2> shapes{};
  std::array<std::vector<std::uint8_t>, 2> data;
  std::array<mxgold_tensor, 2> tensors{};
  const std::size_t count = 1 + draw.word(1) % 2;
  const auto axis = static_cast<std::int64_t>(draw.word(1) % 8) - 4;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t type = draw.word(1) % kTypes.size();
    const std::size_t rank = draw.word(1) % 3;
    std::size_t bytes = kBytes[type];
    for (std::size_t d = 0; d < rank; ++d) {
      shapes[k][d] = draw.word(1) % 40;
      bytes *= shapes[k][d];
    }
    data[k].resize(bytes);
    for (std::uint8_t& byte : data[k]) byte = static_cast<std::uint8_t>(draw.word(1));
    tensors[k] = {k == 0 ? "values" : "scale",
                  kTypes[type],
                  shapes[k].data(),
                  rank,
                  data[k].data(),
                  data[k].size()};
  }
  std::uint64_t needed = 0;
  why[0] = '\0';
  const mxgold_status counted =
      mxgold_cast_random_words(made, tensors.data(), count, &axis, &needed, why.data(), why.size());
  require_status(counted, why.data(), input);
  if (counted != MXGOLD_OK || needed > 1U << 16) return Outcome::kRefused;
  std::vector<std::uint32_t> random(needed);
  for (std::uint32_t& word : random) word = static_cast<std::uint32_t>(draw.word(4));
  mxgold_results* results = nullptr;
  const mxgold_status applied = mxgold_cast_apply(made, tensors.data(), count, &axis, random.data(),
                                                  random.size(), &results, why.data(), why.size());
  require_status(applied, why.data(), input);
  if (applied != MXGOLD_OK) return Outcome::kRefused;
  require(mxgold_result(results, 0).name != nullptr, "a cast has a result", input);
  mxgold_results_destroy(results);
  return Outcome::kRead;
}

std::vector<std::string> cast_call_seeds() {
  const std::string tensor = bytes_of("\x00\x03\x00\x02\x02\x20\x3F\x80\x00\x00");
  std::vector<std::string> all;
  for (const std::string_view text : {"dmx:MXFP8[E4M3]{32}", "dmx:BFP[8|8]{16}(SN)",
                                      "torchmx:quantize_mx(elem_dtype=float8_e4m3,block_size=32)",
                                      "qtorch:float_quantize(exp=5,man=2,rounding=stochastic)",
                                      "microxcaling:quantize_elemwise(elem_format=fp8_e4m3)"}) {
    all.push_back(std::string(text) + "\n\x01" + tensor);
  }
  return all;
}

}  // namespace

Target config_words_target() { return {"config_words", config_word, config_word_seeds}; }
Target models_target() { return {"models", model, model_seeds}; }
Target tensors_target() { return {"tensors", tensor, tensor_seeds}; }
Target cast_calls_target() { return {"cast_calls", cast_call, cast_call_seeds}; }

}  // namespace mx::fuzz

// SPDX-License-Identifier: Apache-2.0
// Questions of the C interface: what explains, compares and covers, as text and JSON.
#include <array>
#include <cstring>
#include <memory>

#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

template <typename T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

using Why = std::array<char, 400>;

/// An answer, or a refusal with a reason.
Outcome settle(mxgold_status status, mxgold_answer* answer, const Why& why,
               std::string_view input) {
  require_status(status, status == MXGOLD_NULL_ARGUMENT ? nullptr : why.data(), input);
  require((answer != nullptr) == (status == MXGOLD_OK), "an answer or a refusal", input);
  if (status != MXGOLD_OK) return Outcome::kRefused;
  const Owned<mxgold_answer> owner(answer, mxgold_answer_destroy);
  require(mxgold_answer_json(answer) != nullptr && mxgold_answer_json(answer)[0] != '\0',
          "an answer has data", input);
  require(mxgold_answer_text(answer) != nullptr, "an answer has text", input);
  require(mxgold_answer_holds(answer) == 0 || mxgold_answer_holds(answer) == 1, "a verdict", input);
  return Outcome::kRead;
}

/// Which question, names, options, inputs.
Outcome question(std::string_view input) {
  Draw draw(input);
  const std::uint64_t which = draw.below(6);
  const std::string first = draw.line();
  const std::string second = draw.line();
  const DrawnOptions options(draw);
  Why why{};
  mxgold_answer* made = nullptr;
  mxgold_status status = MXGOLD_OK;
  switch (which) {
    case 0: {
      const std::array<std::string, 2> inputs = {draw.line(), draw.line()};
      const std::array<const char*, 2> texts = {inputs[0].c_str(), inputs[1].c_str()};
      status = mxgold_explain(first.c_str(), second.c_str(), options.data(), options.size(),
                              texts.data(), 1 + draw.below(2), &made, why.data(), why.size());
      break;
    }
    case 1:
      status = mxgold_facts(first.c_str(), second.c_str(), &made, why.data(), why.size());
      break;
    case 2:
      status = mxgold_expanded(first.c_str(), second.c_str(), options.data(), options.size(), &made,
                               why.data(), why.size());
      break;
    case 3: {
      // One surface: all of them take seconds.
      const std::string format = draw.line();
      const std::array<mxgold_option, 2> surface = {
          {{"format", format.c_str()}, {"source", "bf16"}}};
      status = mxgold_diff(first.c_str(), second.c_str(), surface.data(), surface.size(), &made,
                           why.data(), why.size());
      break;
    }
    case 4: {
      std::string log = first + "\n" + second + "\n";
      for (int i = 0; i < 4; ++i) log += draw.line() + "\n";
      status = mxgold_identify(log.c_str(), &made, why.data(), why.size());
      break;
    }
    default:
      status =
          mxgold_telling_inputs(first.c_str(), second.c_str(), draw.below(40),
                                static_cast<int>(draw.below(2)), &made, why.data(), why.size());
  }
  return settle(status, made, why, input);
}

/// Formats and options of a conversion, then words and codes.
Outcome values(std::string_view input) {
  Draw draw(input);
  const std::string source = draw.line();
  const std::string destination = draw.line();
  const DrawnOptions options(draw);
  Why why{};
  mxgold_conversion* made = nullptr;
  if (mxgold_conversion_create(source.c_str(), destination.c_str(), options.data(), options.size(),
                               &made, why.data(), why.size()) != MXGOLD_OK) {
    return Outcome::kRefused;
  }
  const Owned<mxgold_conversion> owner(made, mxgold_conversion_destroy);
  mxgold_format_info from{};
  mxgold_format_info to{};
  if (mxgold_format(source.c_str(), &from) != MXGOLD_OK ||
      mxgold_format(destination.c_str(), &to) != MXGOLD_OK) {
    return Outcome::kRefused;
  }
  const std::size_t count = draw.below(12);
  std::vector<std::uint8_t> words(count * from.storage_bytes);
  std::vector<std::uint8_t> codes(count * to.storage_bytes);
  std::vector<std::uint8_t> marks(count);
  draw.fill(words);
  draw.fill(codes);
  mxgold_answer* answer = nullptr;
  const mxgold_status status =
      draw.below(2) == 0
          ? mxgold_compare_values(made, words.data(), words.size(), codes.data(), codes.size(), 1,
                                  0, 3, marks.data(), marks.size(), &answer, why.data(), why.size())
          : mxgold_cover_values(made, words.data(), words.size(), 1, 0, &answer, why.data(),
                                why.size());
  return settle(status, answer, why, input);
}

/// A block format, options, then words, codes and scales of two blocks.
Outcome blocks(std::string_view input) {
  Draw draw(input);
  const std::string format = draw.line();
  const DrawnOptions options(draw);
  Why why{};
  mxgold_quantizer* made = nullptr;
  if (mxgold_quantizer_create("bf16", format.c_str(), options.data(), options.size(), &made,
                              why.data(), why.size()) != MXGOLD_OK) {
    return Outcome::kRefused;
  }
  const Owned<mxgold_quantizer> owner(made, mxgold_quantizer_destroy);
  const std::array<std::uint64_t, 1> shape = {draw.below(64)};
  mxgold_tensor_sizes sizes{};
  if (mxgold_sizes(made, shape.data(), 1, 0, &sizes) != MXGOLD_OK) return Outcome::kRefused;
  std::vector<std::uint8_t> words(sizes.source_bytes);
  std::vector<std::uint8_t> codes(sizes.code_bytes);
  std::vector<std::uint8_t> scales(sizes.scale_bytes);
  std::vector<std::uint8_t> code_marks(sizes.elements);
  std::vector<std::uint8_t> scale_marks(sizes.scales);
  draw.fill(words);
  draw.fill(codes);
  draw.fill(scales);
  mxgold_answer* answer = nullptr;
  const mxgold_status status =
      draw.below(2) == 0
          ? mxgold_compare_blocks(made, shape.data(), 1, 0, words.data(), words.size(),
                                  codes.data(), codes.size(), scales.data(), scales.size(), 1, 0, 3,
                                  code_marks.data(), code_marks.size(), scale_marks.data(),
                                  scale_marks.size(), &answer, why.data(), why.size())
          : mxgold_cover_blocks(made, shape.data(), 1, 0, words.data(), words.size(), 1, 0, &answer,
                                why.data(), why.size());
  return settle(status, answer, why, input);
}

std::vector<std::string> question_seeds() {
  return {bytes_of("\0fp32\ne4m3fn\nrounding=ties_to_away\n\n1.0625\nnan\n\1"),
          bytes_of("\0bf16\nmxfp4\nprofiles=all\n\n480\n0x3F80\n\1"),
          bytes_of("\1formats\ne4m3fn\n\n"),
          bytes_of("\1codes\ne2m1fn\n\n"),
          bytes_of("\1profiles\nte\n\n"),
          bytes_of("\2fp32\nmxfp8_e4m3\nprofile=te\n\n"),
          bytes_of("\3torchao-0.18\nte\n\nmxfp8_e4m3\n"),
          bytes_of("\4fp32 e2m1fn\n3f400000 1\n\n3fa00000 2\n3fe00000 3\n"),
          bytes_of("\5bf16\ne4m3fn\n\n\7\1")};
}

std::vector<std::string> value_seeds() {
  return {
      bytes_of("fp32\ne4m3fn\nprofile=te\n\n\3\0\0\x80\x3f\0\0\0\x40\0\0\xc0\x7f\x38\x40\x7f\0"),
      bytes_of("bf16\nfp16\n\n\2\x80\x3f\0\x40\0\x3c\0\x40\1")};
}

std::vector<std::string> block_seeds() {
  const std::string words(100, '\x3f');
  return {bytes_of("mxfp8_e4m3\n\n\x21") + words, bytes_of("nvfp4\nrule=nvfp4_te\n\n\x10") + words,
          bytes_of("mxfp4\nprofile=ocp-mx-1.0\n\n\x20") + words};
}

}  // namespace

Target questions_target() { return {"questions", question, question_seeds}; }
Target compared_values_target() { return {"compared_values", values, value_seeds}; }
Target compared_blocks_target() { return {"compared_blocks", blocks, block_seeds}; }

}  // namespace mx::fuzz

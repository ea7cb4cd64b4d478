// Plans of the CUDA path on the host: a line of text, a layout of any sizes, buffers of exactly
// what the layout is said to hold.
#include <array>
#include <memory>

#include "bridge/cuda/mxgold_cuda.h"
#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

constexpr std::uint64_t kMost = 1 << 18;  ///< bytes that are worth a run

struct Question {
  mxgold_cuda_layout layout;
  bool is_transformed;
};

Question question_of(Draw& draw) {
  mxgold_cuda_layout layout{};
  const bool is_huge = draw.below(8) == 7;
  for (std::uint64_t* const each : {&layout.outer, &layout.length, &layout.inner}) {
    *each = is_huge ? draw.word(8) : draw.below(70);
  }
  const std::size_t choices = draw.word(1);
  layout.blocks_last = choices & 1;
  layout.packed = choices >> 1 & 1;
  layout.swizzled = choices >> 2 & 1;
  return {layout, (choices >> 3 & 1) != 0};
}

/// Nothing runs on a device here, and nothing is read through a pointer that is none.
void ask_the_device(const mxgold_cuda_plan* plan, const mxgold_cuda_layout& layout,
                    std::string_view input) {
  std::array<char, 300> why{};
  char* const text = why.data();
  const std::size_t size = why.size();
  const mxgold_cuda_results none{};
  const mxgold_cuda_random random{};
  const std::uint64_t rows = layout.outer, columns = layout.length;
  const std::uint32_t packed = layout.packed, swizzled = layout.swizzled;
  for (const mxgold_status status :
       {mxgold_cuda_quantize(plan, nullptr, &layout, nullptr, &none, nullptr, text, size),
        mxgold_cuda_quantize_scaled(plan, nullptr, &layout, nullptr, &none, nullptr, text, size),
        mxgold_cuda_quantize_drawn(plan, nullptr, &layout, nullptr, &none, nullptr, &random, text,
                                   size),
        mxgold_cuda_dequantize(plan, nullptr, &layout, nullptr, nullptr, nullptr, text, size),
        mxgold_cuda_dequantize_scaled(plan, nullptr, &layout, nullptr, nullptr, nullptr, nullptr,
                                      text, size),
        mxgold_cuda_quantize_both(plan, nullptr, rows, columns, packed, swizzled, nullptr, &none,
                                  &none, text, size),
        mxgold_cuda_quantize_both_scaled(plan, plan, nullptr, rows, columns, packed, swizzled,
                                         nullptr, &none, &none, nullptr, nullptr, text, size),
        mxgold_cuda_quantize_both_drawn(plan, plan, nullptr, rows, columns, packed, swizzled,
                                        nullptr, &none, &none, nullptr, nullptr, &random, &random,
                                        text, size)}) {
    require_status(status, nullptr, input);
  }
  require(mxgold_cuda_problem() != nullptr && mxgold_cuda_abi_version() > 0,
          "a library tells of itself", input);
}

using OwnedPlan = std::unique_ptr<mxgold_cuda_plan, void (*)(mxgold_cuda_plan*)>;

/// The plan behind a Hadamard transform, or nothing where it takes none.
OwnedPlan transformed(const OwnedPlan& plan, Draw& draw, std::string_view input) {
  std::array<char, 300> why{};
  mxgold_cuda_plan* made = nullptr;
  const auto mask = static_cast<std::uint16_t>(draw.word(2));
  const mxgold_status status = mxgold_cuda_transformed(
      plan.get(), mask, static_cast<int>(draw.below(3)) - 1, &made, why.data(), why.size());
  require_status(status, why.data(), input);
  require((status == MXGOLD_OK) == (made != nullptr), "a plan is there, or refused", input);
  return {made, mxgold_cuda_close};
}

Outcome plan(std::string_view input) {
  Draw draw(input);
  const std::string text = draw.line();
  std::array<char, 300> why{};
  mxgold_cuda_plan* made = nullptr;
  const mxgold_status opened = mxgold_cuda_open(text.c_str(), &made, why.data(), why.size());
  require_status(opened, why.data(), input);
  if (opened != MXGOLD_OK) return Outcome::kRefused;
  OwnedPlan owner(made, mxgold_cuda_close);
  const auto [layout, is_transformed] = question_of(draw);
  if (is_transformed) {
    owner = transformed(owner, draw, input);
    if (owner == nullptr) return Outcome::kRefused;
    made = owner.get();
  }
  mxgold_cuda_sizes sizes{};
  why[0] = '\0';
  const mxgold_status described =
      mxgold_cuda_describe(made, &layout, &sizes, why.data(), why.size());
  require_status(described, why.data(), input);
  ask_the_device(made, layout, input);
  if (described != MXGOLD_OK) return Outcome::kRefused;
  if (sizes.source_bytes > kMost || sizes.code_bytes > kMost || sizes.scale_bytes > kMost) {
    return Outcome::kRefused;
  }
  std::vector<std::uint8_t> source(sizes.source_bytes), codes(sizes.code_bytes),
      scales(sizes.scale_bytes), words(sizes.source_bytes);
  std::vector<std::uint16_t> status(sizes.status_words);
  draw.fill(source);
  const mxgold_cuda_results results = {codes.data(), scales.data(),
                                       draw.below(2) == 0 ? status.data() : nullptr};
  std::vector<std::uint32_t> random(draw.below(2) * layout.outer * layout.length * layout.inner);
  const mxgold_cuda_random drawn = {random.empty() ? nullptr : random.data(), draw.word(2), 1};
  const mxgold_status there = mxgold_cuda_quantize_on_host(made, &layout, source.data(), &results,
                                                           &drawn, why.data(), why.size());
  require_status(there, why.data(), input);
  if (there == MXGOLD_OK) return Outcome::kRead;
  draw.fill(codes);
  draw.fill(scales);
  const mxgold_status back = mxgold_cuda_dequantize_on_host(
      made, &layout, codes.data(), scales.data(), words.data(), why.data(), why.size());
  require_status(back, why.data(), input);
  return back == MXGOLD_OK ? Outcome::kRead : Outcome::kRefused;
}

std::vector<std::string> seeds() {
  const std::string layout = bytes_of("\x00\x02\x20\x01\x00\x3F\x80\x40\x49\x0F\xDB");
  const std::string columns = bytes_of("\x00\x02\x40\x04\x07\x3F\x80\x40\x49");
  std::vector<std::string> all;
  for (const std::string_view text :
       {"format=mxfp4 source=bf16", "format=mxfp8_e4m3 source=fp32 rounding=stochastic_a",
        "format=mxfp6_e3m2 source=fp16 rule=rceil", "op=dequantize format=mxfp4 result=bf16",
        "format=nvfp4 rule=nvfp4_te source=bf16", "op=dequantize format=nvfp4 result=fp32"}) {
    all.push_back(std::string(text) + "\n" + layout);
    all.push_back(std::string(text) + "\n" + columns);
  }
  all.push_back("format=nvfp4 rule=nvfp4_te source=bf16\n" +
                bytes_of("\x00\x02\x20\x01\x08\xBE\xEF\x01\x3F\x80\x40\x49"));
  return all;
}

}  // namespace

Target plans_target() { return {"plans", plan, seeds}; }

}  // namespace mx::fuzz

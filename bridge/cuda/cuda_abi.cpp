// The C interface of the CUDA path: mxgold_cuda.h.
#include <memory>
#include <string>
#include <variant>

#include "backend/abi/guard.hpp"
#include "bridge/cuda/mxgold_cuda.h"
#include "fast/cuda_nvfp4/stream.hpp"
#include "golden/configuration/shorthand.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/way_back.hpp"

struct mxgold_cuda_plan {
  std::variant<mx::fast::StreamPlan, mx::fast::StreamDequantizePlan, mx::fast::Nvfp4Plan> plan;
  bool is_back = false;  ///< of op=dequantize
};

namespace {

using mx::abi::guarded;
using mx::abi::Message;
using mx::fast::Error;
using mx::fast::Nvfp4Plan;
using mx::fast::Status;
using mx::fast::StreamDequantizePlan;
using mx::fast::StreamLayout;
using mx::fast::StreamPlan;
using mx::fast::StreamRandom;
using mx::fast::StreamResults;

bool is_nvfp4(const mx::BlockFormat& format) {
  return format.element == mx::formats::e2m1fn && format.scale == mx::formats::ue4m3;
}

template <class Plan>
mx::Checked<mxgold_cuda_plan> handle_of(mx::Checked<Plan> plan, bool is_back) {
  if (!plan) return mx::Problem{std::string(plan.problem())};
  return mxgold_cuda_plan{std::move(plan).value(), is_back};
}

mx::Checked<mxgold_cuda_plan> nvfp4_of(const mx::QuantizerConfig& config) {
  const bool by_amax = config.block.rule == mx::ScaleRule::kNvfp4Te ||
                       config.block.rule == mx::ScaleRule::kNvfp44over6;
  return handle_of(Nvfp4Plan::make({config.source, config.format, config.element, config.block,
                                    by_amax ? config.tensor.amax : config.tensor.scale}),
                   false);
}

mx::Checked<mxgold_cuda_plan> nvfp4_back_of(const mx::golden::DequantizeCase& back) {
  if (mx::way_back_of(back.rule) != mx::WayBack::kExact || back.how != mx::Dequantizing{} ||
      back.overflow != mx::DequantOverflow::kInf) {
    return mx::Problem{"no fast path: nvfp4 comes back by one rounding, ties_to_even"};
  }
  mx::BlockPolicy block;
  block.rule = mx::ScaleRule::kNvfp4Exact;
  return handle_of(Nvfp4Plan::make({back.result, back.format, {}, block, back.tensor_scale}), true);
}

mx::Checked<mxgold_cuda_plan> back_of(const mx::golden::DequantizeCase& back) {
  const mx::QuantizerConfig blocks = back.blocks();
  if (const std::string_view why = mx::Quantizer::problem(blocks); !why.empty()) {
    return mx::Problem{std::string(why)};
  }
  if (is_nvfp4(back.format)) return nvfp4_back_of(back);
  return handle_of(StreamDequantizePlan::make({blocks.format, back.result, blocks.block,
                                               back.how.rounding, back.how.dst_ftz}),
                   true);
}

/// The plan of a text, or why there is none.
mx::Checked<mxgold_cuda_plan> plan_of(const char* text) {
  mx::FormatCatalog catalog;
  const auto parsed = mx::golden::parse_shorthand(text, catalog);
  if (!parsed) return mx::Problem{std::string(parsed.problem())};
  if (const auto* const back = std::get_if<mx::golden::DequantizeCase>(&parsed->what)) {
    return back_of(*back);
  }
  const auto* const config = std::get_if<mx::QuantizerConfig>(&parsed->what);
  if (config == nullptr) return mx::Problem{"only blocks have a plan: op=block, op=dequantize"};
  if (const std::string_view why = mx::Quantizer::problem(*config); !why.empty()) {
    return mx::Problem{std::string(why)};
  }
  if (is_nvfp4(config->format)) return nvfp4_of(*config);
  return handle_of(
      StreamPlan::make({config->source, config->format, config->element, config->block}), false);
}

StreamLayout layout_of(const mxgold_cuda_layout& layout) {
  return {{layout.outer, layout.length, layout.inner},
          layout.blocks_last != 0,
          layout.packed != 0,
          layout.swizzled != 0};
}

StreamResults results_of(const mxgold_cuda_results& results) {
  return {results.codes, results.scales, results.status};
}

StreamRandom random_of(const mxgold_cuda_random* random) {
  return random == nullptr ? StreamRandom{}
                           : StreamRandom{random->words, random->seed, random->tensor};
}

mx::fast::Nvfp4Both both_of(std::uint64_t rows, std::uint64_t columns, std::uint32_t packed,
                            std::uint32_t swizzled, const void* source,
                            const mxgold_cuda_results& along_rows,
                            const mxgold_cuda_results& down_columns) {
  mx::fast::Nvfp4Both both;
  both.rows = rows;
  both.columns = columns;
  both.packed = packed != 0;
  both.swizzled = swizzled != 0;
  both.source = source;
  both.along_rows = results_of(along_rows);
  both.down_columns = results_of(down_columns);
  return both;
}

constexpr Status kQuantizes = {Error::kUnsupportedFormat,
                               "the plan quantizes: open one of op=dequantize"};
constexpr Status kDequantizes = {Error::kUnsupportedFormat,
                                 "the plan dequantizes: open one of op=block"};
constexpr Status kDraws = {Error::kUnsupportedFormat,
                           "the plan draws random words: call a function *_drawn"};
constexpr Status kNoWords = {Error::kBadPointer,
                             "a plan draws random words, and none are given for its direction"};
constexpr Status kOnePlan = {Error::kUnsupportedFormat,
                             "blocks under power-of-two scales take one plan for both directions"};
constexpr Status kNoNumber = {Error::kUnsupportedFormat, "the format has no number of the tensor"};

/// What each kind of plan that quantizes answers; the others are refused.
template <class Blocks, class Nvfp4>
Status quantize_with(const mxgold_cuda_plan& handle, const Blocks& blocks, const Nvfp4& nvfp4) {
  if (handle.is_back) return kDequantizes;
  if (const auto* const plan = std::get_if<StreamPlan>(&handle.plan)) return blocks(*plan);
  return nvfp4(std::get<Nvfp4Plan>(handle.plan));
}
/// f(plan of the rows, plan of the columns) of two plans of nvfp4 that quantize.
template <class Function>
Status both_with(const mxgold_cuda_plan& along, const mxgold_cuda_plan& down, const Function& f) {
  const auto none = [](const StreamPlan&) { return kNoNumber; };
  return quantize_with(along, none, [&](const Nvfp4Plan& own) {
    return quantize_with(down, none, [&](const Nvfp4Plan& other) { return f(own, other); });
  });
}
template <class Blocks, class Nvfp4>
Status dequantize_with(const mxgold_cuda_plan& handle, const Blocks& blocks, const Nvfp4& nvfp4) {
  if (!handle.is_back) return kQuantizes;
  if (const auto* const plan = std::get_if<StreamDequantizePlan>(&handle.plan))
    return blocks(*plan);
  return nvfp4(std::get<Nvfp4Plan>(handle.plan));
}

mxgold_status answer(const mx::fast::Status& outcome, char* message, std::size_t message_size) {
  if (outcome) return MXGOLD_OK;
  Message(message, message_size).write({outcome.detail});
  switch (outcome.error) {
    case Error::kBadLayout:
    case Error::kBadSize:
      return MXGOLD_BAD_SIZE;
    case Error::kBadPointer:
      return MXGOLD_NULL_ARGUMENT;
    default:
      return MXGOLD_BAD_VALUE;
  }
}

}  // namespace

extern "C" {

uint32_t mxgold_cuda_abi_version(void) noexcept { return MXGOLD_CUDA_ABI_VERSION; }

// Every text behind it is a whole C string.
const char* mxgold_cuda_problem(void) noexcept {
  const std::string_view problem = mx::fast::device_problem();
  return problem.empty() ? "" : problem.data();
}

mxgold_status mxgold_cuda_open(const char* text, mxgold_cuda_plan** out, char* message,
                               size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (text == nullptr) return MXGOLD_NULL_ARGUMENT;
    mx::Checked<mxgold_cuda_plan> made = plan_of(text);
    if (!made) {
      Message(message, message_size).write({made.problem()});
      return MXGOLD_BAD_VALUE;
    }
    *out = std::make_unique<mxgold_cuda_plan>(std::move(made).value()).release();
    return MXGOLD_OK;
  });
}

// NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the handle is the caller's
void mxgold_cuda_close(mxgold_cuda_plan* plan) noexcept { delete plan; }

mxgold_status mxgold_cuda_transformed(const mxgold_cuda_plan* plan, uint16_t mask, int signs_last,
                                      mxgold_cuda_plan** out, char* message,
                                      size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (plan == nullptr) return MXGOLD_NULL_ARGUMENT;
    const auto* const own = std::get_if<Nvfp4Plan>(&plan->plan);
    if (own == nullptr || plan->is_back) {
      Message(message, message_size).write({"only plans of nvfp4 that quantize are transformed"});
      return MXGOLD_BAD_VALUE;
    }
    mx::Checked<mxgold_cuda_plan> made =
        handle_of(own->with_hadamard({mask, signs_last != 0}), false);
    if (!made) {
      Message(message, message_size).write({made.problem()});
      return MXGOLD_BAD_VALUE;
    }
    *out = std::make_unique<mxgold_cuda_plan>(std::move(made).value()).release();
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_cuda_describe(const mxgold_cuda_plan* plan, const mxgold_cuda_layout* layout,
                                   mxgold_cuda_sizes* sizes, char* message,
                                   size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr || sizes == nullptr) return MXGOLD_NULL_ARGUMENT;
    const StreamLayout wanted = layout_of(*layout);
    const auto why = [&](const auto& each) { return each.layout_problem(wanted); };
    if (const std::string_view problem = std::visit(why, plan->plan); !problem.empty()) {
      Message(message, message_size).write({problem});
      return MXGOLD_BAD_SIZE;
    }
    const mx::fast::StreamSizes found =
        std::visit([&](const auto& each) { return each.sizes(wanted); }, plan->plan);
    *sizes = {found.source_bytes, found.code_bytes, found.scale_bytes, found.status_words};
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_cuda_quantize(const mxgold_cuda_plan* plan, void* stream,
                                   const mxgold_cuda_layout* layout, const void* source,
                                   const mxgold_cuda_results* results,
                                   const mxgold_cuda_random* random, char* message,
                                   size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr || results == nullptr) return MXGOLD_NULL_ARGUMENT;
    auto* const on = static_cast<CUstream_st*>(stream);
    const Status outcome = quantize_with(
        *plan,
        [&](const StreamPlan& own) {
          return own.launch(on, layout_of(*layout), source, results_of(*results),
                            random_of(random));
        },
        [&](const Nvfp4Plan& own) {
          return own.quantize(on, layout_of(*layout), source, results_of(*results), nullptr,
                              random_of(random));
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_quantize_both(const mxgold_cuda_plan* plan, void* stream, uint64_t rows,
                                        uint64_t columns, uint32_t packed, uint32_t swizzled,
                                        const void* source, const mxgold_cuda_results* along_rows,
                                        const mxgold_cuda_results* down_columns, char* message,
                                        size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || along_rows == nullptr || down_columns == nullptr) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const Status outcome = quantize_with(
        *plan,
        [&](const StreamPlan& own) {
          if (own.draws()) return kDraws;
          return own.launch_both(static_cast<CUstream_st*>(stream), rows, columns, packed != 0,
                                 swizzled != 0, source, results_of(*along_rows),
                                 results_of(*down_columns));
        },
        [&](const Nvfp4Plan& own) {
          if (own.draws()) return kDraws;
          return own.quantize_both(
              static_cast<CUstream_st*>(stream), own,
              both_of(rows, columns, packed, swizzled, source, *along_rows, *down_columns));
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_quantize_on_host(const mxgold_cuda_plan* plan,
                                           const mxgold_cuda_layout* layout, const void* source,
                                           const mxgold_cuda_results* results,
                                           const mxgold_cuda_random* random, char* message,
                                           size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr || results == nullptr) return MXGOLD_NULL_ARGUMENT;
    const Status outcome = quantize_with(
        *plan,
        [&](const StreamPlan& own) {
          return own.run_on_host(layout_of(*layout), source, results_of(*results),
                                 random_of(random));
        },
        [&](const Nvfp4Plan& own) {
          return own.quantize_on_host(layout_of(*layout), source, results_of(*results), nullptr,
                                      random_of(random));
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_dequantize(const mxgold_cuda_plan* plan, void* stream,
                                     const mxgold_cuda_layout* layout, const void* codes,
                                     const void* scales, void* words, char* message,
                                     size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr) return MXGOLD_NULL_ARGUMENT;
    auto* const on = static_cast<CUstream_st*>(stream);
    const Status outcome = dequantize_with(
        *plan,
        [&](const StreamDequantizePlan& own) {
          return own.launch(on, layout_of(*layout), {codes, scales}, words);
        },
        [&](const Nvfp4Plan& own) {
          return own.dequantize(on, layout_of(*layout), {codes, scales}, words);
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_dequantize_on_host(const mxgold_cuda_plan* plan,
                                             const mxgold_cuda_layout* layout, const void* codes,
                                             const void* scales, void* words, char* message,
                                             size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr) return MXGOLD_NULL_ARGUMENT;
    const Status outcome = dequantize_with(
        *plan,
        [&](const StreamDequantizePlan& own) {
          return own.run_on_host(layout_of(*layout), {codes, scales}, words);
        },
        [&](const Nvfp4Plan& own) {
          return own.dequantize_on_host(layout_of(*layout), {codes, scales}, words);
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_quantize_scaled(const mxgold_cuda_plan* plan, void* stream,
                                          const mxgold_cuda_layout* layout, const void* source,
                                          const mxgold_cuda_results* results,
                                          const uint32_t* tensor, char* message,
                                          size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr || results == nullptr || tensor == nullptr) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const Status outcome = quantize_with(
        *plan, [](const StreamPlan&) { return kNoNumber; },
        [&](const Nvfp4Plan& own) {
          if (own.draws()) return kDraws;
          return own.quantize(static_cast<CUstream_st*>(stream), layout_of(*layout), source,
                              results_of(*results), tensor);
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_quantize_drawn(const mxgold_cuda_plan* plan, void* stream,
                                         const mxgold_cuda_layout* layout, const void* source,
                                         const mxgold_cuda_results* results, const uint32_t* tensor,
                                         const mxgold_cuda_random* random, char* message,
                                         size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr || results == nullptr || random == nullptr) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const Status outcome = quantize_with(
        *plan, [](const StreamPlan&) { return kNoNumber; },
        [&](const Nvfp4Plan& own) {
          return own.quantize(static_cast<CUstream_st*>(stream), layout_of(*layout), source,
                              results_of(*results), tensor, random_of(random));
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_quantize_both_scaled(
    const mxgold_cuda_plan* along, const mxgold_cuda_plan* down, void* stream, uint64_t rows,
    uint64_t columns, uint32_t packed, uint32_t swizzled, const void* source,
    const mxgold_cuda_results* along_rows, const mxgold_cuda_results* down_columns,
    const uint32_t* rows_tensor, const uint32_t* columns_tensor, char* message,
    size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (along == nullptr || down == nullptr || along_rows == nullptr || down_columns == nullptr) {
      return MXGOLD_NULL_ARGUMENT;
    }
    mx::fast::Nvfp4Both both =
        both_of(rows, columns, packed, swizzled, source, *along_rows, *down_columns);
    both.rows_tensor = rows_tensor;
    both.columns_tensor = columns_tensor;
    const Status outcome =
        both_with(*along, *down, [&](const Nvfp4Plan& own, const Nvfp4Plan& other) {
          if (own.draws() || other.draws()) return kDraws;
          return own.quantize_both(static_cast<CUstream_st*>(stream), other, both);
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_quantize_both_drawn(
    const mxgold_cuda_plan* along, const mxgold_cuda_plan* down, void* stream, uint64_t rows,
    uint64_t columns, uint32_t packed, uint32_t swizzled, const void* source,
    const mxgold_cuda_results* along_rows, const mxgold_cuda_results* down_columns,
    const uint32_t* rows_tensor, const uint32_t* columns_tensor,
    const mxgold_cuda_random* rows_random, const mxgold_cuda_random* columns_random, char* message,
    size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (along == nullptr || down == nullptr || along_rows == nullptr || down_columns == nullptr) {
      return MXGOLD_NULL_ARGUMENT;
    }
    mx::fast::Nvfp4Both both =
        both_of(rows, columns, packed, swizzled, source, *along_rows, *down_columns);
    both.rows_tensor = rows_tensor;
    both.columns_tensor = columns_tensor;
    both.rows_random = random_of(rows_random);
    both.columns_random = random_of(columns_random);
    const auto lacks_words = [&](const auto& own, const auto& other) {
      return (own.draws() && rows_random == nullptr) ||
             (other.draws() && columns_random == nullptr);
    };
    const Status outcome = quantize_with(
        *along,
        [&](const StreamPlan& own) {
          if (along != down) return kOnePlan;
          if (rows_tensor != nullptr || columns_tensor != nullptr) return kNoNumber;
          if (lacks_words(own, own)) return kNoWords;
          return own.launch_both(static_cast<CUstream_st*>(stream), rows, columns, packed != 0,
                                 swizzled != 0, source, both.along_rows, both.down_columns,
                                 {both.rows_random, both.columns_random});
        },
        [&](const Nvfp4Plan&) {
          return both_with(*along, *down, [&](const Nvfp4Plan& own, const Nvfp4Plan& other) {
            if (lacks_words(own, other)) return kNoWords;
            return own.quantize_both(static_cast<CUstream_st*>(stream), other, both);
          });
        });
    return answer(outcome, message, message_size);
  });
}

mxgold_status mxgold_cuda_dequantize_scaled(const mxgold_cuda_plan* plan, void* stream,
                                            const mxgold_cuda_layout* layout, const void* codes,
                                            const void* scales, void* words, const uint32_t* tensor,
                                            char* message, size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (plan == nullptr || layout == nullptr || tensor == nullptr) return MXGOLD_NULL_ARGUMENT;
    const Status outcome = dequantize_with(
        *plan, [](const StreamDequantizePlan&) { return kNoNumber; },
        [&](const Nvfp4Plan& own) {
          return own.dequantize(static_cast<CUstream_st*>(stream), layout_of(*layout),
                                {codes, scales}, words, tensor);
        });
    return answer(outcome, message, message_size);
  });
}

}  // extern "C"

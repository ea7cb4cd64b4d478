// The C interface of the CUDA path: mxgold_cuda.h.
#include <memory>
#include <string>
#include <variant>

#include "backend/abi/guard.hpp"
#include "bridge/cuda/mxgold_cuda.h"
#include "fast/cuda_decode/stream.hpp"
#include "golden/configuration/shorthand.hpp"

struct mxgold_cuda_plan {
  std::variant<mx::fast::StreamPlan, mx::fast::StreamDecodePlan> plan;
};

namespace {

using mx::abi::guarded;
using mx::abi::Message;
using mx::fast::Error;
using mx::fast::Status;
using mx::fast::StreamDecodePlan;
using mx::fast::StreamLayout;
using mx::fast::StreamPlan;
using mx::fast::StreamRandom;
using mx::fast::StreamResults;

mx::Checked<mxgold_cuda_plan> back_of(const mx::golden::DequantizeCase& back) {
  const mx::QuantizerConfig blocks = back.blocks();
  if (const std::string_view why = mx::Quantizer::problem(blocks); !why.empty()) {
    return mx::Problem{std::string(why)};
  }
  mx::Checked<StreamDecodePlan> plan = StreamDecodePlan::make(
      {blocks.format, back.result, blocks.block, back.how.rounding, back.how.dst_ftz});
  if (!plan) return mx::Problem{std::string(plan.problem())};
  return mxgold_cuda_plan{std::move(plan).value()};
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
  mx::Checked<StreamPlan> plan =
      StreamPlan::make({config->source, config->format, config->element, config->block});
  if (!plan) return mx::Problem{std::string(plan.problem())};
  return mxgold_cuda_plan{std::move(plan).value()};
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

/// What a plan of one kind answers; the other kind is refused.
template <class Plan, class Work>
Status with(const mxgold_cuda_plan& handle, const Work& work) {
  if (const auto* const plan = std::get_if<Plan>(&handle.plan)) return work(*plan);
  constexpr bool kBack = std::is_same_v<Plan, StreamDecodePlan>;
  return {Error::kUnsupportedFormat, kBack ? "the plan quantizes: open one of op=dequantize"
                                           : "the plan dequantizes: open one of op=block"};
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
    const Status outcome = with<StreamPlan>(*plan, [&](const StreamPlan& own) {
      return own.launch(static_cast<CUstream_st*>(stream), layout_of(*layout), source,
                        results_of(*results), random_of(random));
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
    const Status outcome = with<StreamPlan>(*plan, [&](const StreamPlan& own) {
      return own.launch_both(static_cast<CUstream_st*>(stream), rows, columns, packed != 0,
                             swizzled != 0, source, results_of(*along_rows),
                             results_of(*down_columns));
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
    const Status outcome = with<StreamPlan>(*plan, [&](const StreamPlan& own) {
      return own.run_on_host(layout_of(*layout), source, results_of(*results), random_of(random));
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
    const Status outcome = with<StreamDecodePlan>(*plan, [&](const StreamDecodePlan& own) {
      return own.launch(static_cast<CUstream_st*>(stream), layout_of(*layout), {codes, scales},
                        words);
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
    const Status outcome = with<StreamDecodePlan>(*plan, [&](const StreamDecodePlan& own) {
      return own.run_on_host(layout_of(*layout), {codes, scales}, words);
    });
    return answer(outcome, message, message_size);
  });
}

}  // extern "C"

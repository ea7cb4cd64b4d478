#include "fast/cuda/plan.hpp"

#include <string>

#include "fast/cpu/resolve.hpp"
#include "fast/cuda/block.hpp"
#include "fast/environment/default_floats.hpp"

namespace mx::fast {

using cuda::CheckedCall;
using cuda::Drawing;
using cuda::Kernel;
using cuda::Mode;
using cuda::Run;

namespace {

Drawing drawing_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kStochasticA:
      return Drawing::kA;
    case Rounding::kStochasticB:
      return Drawing::kB;
    case Rounding::kStochasticC:
      return Drawing::kC;
    case Rounding::kStochasticCOdd:
      return Drawing::kCOdd;
    default:
      return Drawing::kNone;
  }
}

Checked<Mode> resolve_mode(BlockJob job) {
  if (const std::string_view why = problem_of(job.element); !why.empty()) {
    return Problem{"no fast path: " + std::string(why)};
  }
  Mode mode;
  mode.drawing = drawing_of(job.element.rounding);
  mode.random_bits = job.element.random_bits;
  // Nothing but the rounding itself differs from a rounding to nearest: spec F10.1 has no row for
  // the stochastic ones.
  if (mode.drawing != Drawing::kNone) job.element.rounding = Rounding::kTiesToEven;
  const Checked<cpu::BlockConstants> block = cpu::resolve_block(job);
  if (!block) return Problem{std::string(block.problem())};
  if (block->rule.any()) return Problem{"no fast path: the scale rule"};
  if (block->flushes) return Problem{"no fast path: src_daz_block"};
  mode.block = *block;
  return mode;
}

Run run_of(const StreamPlan::Constants& constants, const StreamLayout& layout, const void* source,
           const StreamResults& results, const StreamRandom& random) {
  Run run;
  run.source = static_cast<const std::byte*>(source);
  run.outer = layout.shape.outer;
  run.length = layout.shape.length;
  run.inner = layout.shape.inner;
  run.out = {static_cast<std::uint8_t*>(results.codes), static_cast<std::uint8_t*>(results.scales),
             results.status};
  run.packing = cuda::packing_of(constants.code_bits, layout.packed);
  // The order of both is the same where the axis is the last one.
  run.blocks_last = layout.blocks_last || run.inner == 1;
  run.swizzled = layout.swizzled;
  run.random = {random.words, random.seed, random.tensor};
  return run;
}

Kernel kernel_of(const Mode& mode, const Run& run) {
  if (cuda::fits_rows_kernel(mode, run)) return Kernel::kRows;
  return cuda::fits_tile_kernel(mode, run) ? Kernel::kColumns : Kernel::kGeneral;
}

bool is_aligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

Status pointer_problem(const void* source, const StreamResults& results, std::size_t word_bytes) {
  if (source == nullptr || results.codes == nullptr || results.scales == nullptr) {
    return {Error::kBadPointer, "a pointer to the source, the codes or the scales is null"};
  }
  if (!is_aligned(source, word_bytes)) {
    return {Error::kBadPointer, "the source is not aligned to its words"};
  }
  if (!is_aligned(results.status, sizeof(std::uint16_t))) {
    return {Error::kBadPointer, "the status words are not aligned to two bytes"};
  }
  return {};
}

constexpr Status kSpanProblem = {Error::kBadSize, "a span does not fit the layout"};

bool fits(const StreamSizes& sizes, std::span<const std::byte> source, const HostResults& results) {
  return source.size() == sizes.source_bytes && results.codes.size() == sizes.code_bytes &&
         results.scales.size() == sizes.scale_bytes &&
         (results.status.empty() || results.status.size() == sizes.status_words);
}

template <class Source>
void quantize_all(const Mode& mode, const Run& run) {
  const std::size_t blocks = cuda::blocks_of(run, mode.block.block_size);
  const auto each = [&](auto draws, auto status) {
    for (std::size_t block = 0; block < blocks; ++block) {
      cuda::quantize_block<Source, draws.value, status.value>(mode, run, cuda::SoloLane{}, block,
                                                              true);
    }
  };
  const bool with_status = run.out.status != nullptr;
  if (mode.drawing == Drawing::kNone) {
    if (with_status) return each(std::false_type{}, std::true_type{});
    return each(std::false_type{}, std::false_type{});
  }
  if (with_status) return each(std::true_type{}, std::true_type{});
  each(std::true_type{}, std::false_type{});
}

}  // namespace

namespace cuda {

Packing packing_of(int code_bits, bool packed) {
  if (!packed || code_bits == 8) return Packing::kBytes;
  return code_bits == 4 ? Packing::kNibbles : Packing::kDense6;
}

std::string_view layout_problem(int code_bits, int block_size, const StreamLayout& layout) {
  constexpr std::size_t kMost = std::size_t{1} << 48;
  const BlockLayout& s = layout.shape;
  const auto too_many = [&](std::size_t a, std::size_t b) { return b != 0 && a > kMost / b; };
  if (too_many(s.outer, s.inner) || too_many(s.outer * s.inner, s.length)) {
    return "a tensor of more than 2^48 elements";
  }
  const bool in_lines = layout.blocks_last || s.inner == 1;
  if (layout.swizzled && !in_lines) return "swizzled scales along an axis that is not the last";
  if (!layout.packed || code_bits == 8) return "";
  if (code_bits != 4 && code_bits != 6) {
    return "packed codes of a width other than 4, 6 and 8 bits";
  }
  if (!in_lines) return "packed codes along an axis that is not the last";
  const std::size_t group = group_of(packing_of(code_bits, true));
  const auto block = static_cast<std::size_t>(block_size);
  if (s.outer * s.inner > 1 && s.length % group != 0) return "packed lines that share a byte";
  if (s.length > block && block % group != 0) return "packed blocks that share a byte";
  return "";
}

StreamSizes sizes_of(int code_bits, int block_size, const StreamLayout& layout) {
  const std::size_t elements = layout.shape.elements();
  const std::size_t blocks = layout.shape.blocks(static_cast<std::size_t>(block_size));
  const std::size_t lines = layout.shape.outer * layout.shape.inner;
  StreamSizes sizes;
  sizes.code_bytes = packed_bytes(packing_of(code_bits, layout.packed), elements);
  sizes.scale_bytes =
      layout.swizzled && lines != 0 ? swizzled_bytes(lines, blocks / lines) : blocks;
  sizes.status_words = blocks;
  return sizes;
}

bool fits_rows_kernel(const Mode& mode, const Run& run) {
  // Places of scales are computed in 32 bits where they are swizzled.
  const bool is_short = swizzled_bytes(run.outer, run.length / 32) <= 0xFFFFFFFF;
  return mode.block.block_size == 32 && run.inner == 1 && run.length % 32 == 0 &&
         is_aligned(run.source, 16) && is_aligned(run.out.codes, 16) && (is_short || !run.swizzled);
}

bool fits_tile_kernel(const Mode& mode, const Run& run) {
  return mode.block.block_size == 32 && run.inner > 1 && run.blocks_last && run.length % 32 == 0 &&
         run.inner % 32 == 0 && is_aligned(run.source, 16) && is_aligned(run.out.codes, 16);
}

std::size_t bytes_to_clear(const Run& run, int block_size) {
  if (!run.swizzled) return 0;
  const std::size_t lines = run.outer * run.inner;
  const std::size_t blocks = blocks_of(run, block_size) / lines;
  return lines % 128 == 0 && blocks % 4 == 0 ? 0 : swizzled_bytes(lines, blocks);
}

CheckedCall check_call(const StreamPlan& plan, const StreamPlan::Constants& constants,
                       const StreamLayout& layout, const void* source, const StreamResults& results,
                       const StreamRandom& random) {
  if (const std::string_view why = plan.layout_problem(layout); !why.empty()) {
    return {{Error::kBadLayout, why}, {}};
  }
  CheckedCall checked;
  checked.call.run = run_of(constants, layout, source, results, random);
  if (elements_of(checked.call.run) == 0) return checked;
  checked.status = pointer_problem(source, results, cpu::word_bytes(constants.source));
  checked.call.kernel = kernel_of(constants.mode, checked.call.run);
  return checked;
}

CheckedCall check_both(const StreamPlan& plan, const StreamPlan::Constants& constants,
                       std::size_t rows, std::size_t columns, bool packed, bool swizzled,
                       const void* source, const StreamResults& along_rows,
                       const StreamResults& down_columns, const BothRandom& random) {
  const StreamLayout by_columns{{1, rows, columns}, true, packed, swizzled};
  CheckedCall checked =
      check_call(plan, constants, by_columns, source, down_columns, random.columns);
  if (!checked.status || rows * columns == 0) return checked;
  const StreamLayout by_rows{{rows, columns, 1}, false, packed, swizzled};
  const CheckedCall other = check_call(plan, constants, by_rows, source, along_rows, random.rows);
  if (!other.status) return other;
  if (checked.call.kernel != Kernel::kColumns || other.call.kernel != Kernel::kRows) {
    return {{Error::kBadLayout,
             "both directions need blocks of 32, rows and columns that are multiples of 32, source "
             "and codes aligned to 16 bytes"},
            {}};
  }
  if ((along_rows.status == nullptr) != (down_columns.status == nullptr)) {
    return {{Error::kBadPointer, "status words of one direction only"}, {}};
  }
  checked.call.kernel = Kernel::kBoth;
  checked.call.rows = other.call.run;
  return checked;
}

}  // namespace cuda

Checked<StreamPlan> StreamPlan::make(const BlockJob& job) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<Mode> mode = resolve_mode(job);
  if (!mode) return Problem{std::string(mode.problem())};
  return StreamPlan(
      std::make_shared<const Constants>(Constants{*source, *mode, job.format.element.bits}));
}

int StreamPlan::block_size() const { return constants_->mode.block.block_size; }

bool StreamPlan::draws() const { return constants_->mode.drawing != Drawing::kNone; }

std::string_view StreamPlan::layout_problem(const StreamLayout& layout) const {
  return cuda::layout_problem(constants_->code_bits, block_size(), layout);
}

StreamSizes StreamPlan::sizes(const StreamLayout& layout) const {
  StreamSizes sizes = cuda::sizes_of(constants_->code_bits, block_size(), layout);
  sizes.source_bytes = layout.shape.elements() * cpu::word_bytes(constants_->source);
  return sizes;
}

std::string_view StreamPlan::kernel(const StreamLayout& layout) const {
  const Run run = run_of(*constants_, layout, nullptr, {}, {});
  return cuda::name_of(kernel_of(constants_->mode, run));
}

Status StreamPlan::launch(CUstream_st* stream, const StreamLayout& layout, const void* source,
                          const StreamResults& results, const StreamRandom& random) const {
  const CheckedCall checked = cuda::check_call(*this, *constants_, layout, source, results, random);
  if (!checked.status || layout.shape.elements() == 0) return checked.status;
  return cuda::start_on_device(stream, constants_->source, constants_->mode, checked.call);
}

Status StreamPlan::launch_both(CUstream_st* stream, std::size_t rows, std::size_t columns,
                               bool packed, bool swizzled, const void* source,
                               const StreamResults& along_rows, const StreamResults& down_columns,
                               const BothRandom& random) const {
  const CheckedCall checked = cuda::check_both(*this, *constants_, rows, columns, packed, swizzled,
                                               source, along_rows, down_columns, random);
  if (!checked.status || rows * columns == 0) return checked.status;
  return cuda::start_on_device(stream, constants_->source, constants_->mode, checked.call);
}

Status StreamPlan::run_on_host(const StreamLayout& layout, const void* source,
                               const StreamResults& results, const StreamRandom& random) const {
  if (const std::string_view why = layout_problem(layout); !why.empty()) {
    return {Error::kBadLayout, why};
  }
  if (layout.shape.elements() == 0) return {};
  if (const Status bad = pointer_problem(source, results, 1); !bad) return bad;
  const DefaultFloats floats;
  const Mode& mode = constants_->mode;
  const Run run = run_of(*constants_, layout, source, results, random);
  if (const std::size_t clear = cuda::bytes_to_clear(run, block_size()); clear != 0) {
    std::memset(run.out.scales, 0, clear);
  }
  switch (constants_->source) {
    case cpu::Source::kFp32:
      quantize_all<cuda::Fp32>(mode, run);
      break;
    case cpu::Source::kBf16:
      quantize_all<cuda::Bf16>(mode, run);
      break;
    case cpu::Source::kFp16:
      quantize_all<cuda::Fp16>(mode, run);
      break;
  }
  return {};
}

Status StreamPlan::copy_and_run(const StreamLayout& layout, std::span<const std::byte> source,
                                const HostResults& results, const StreamRandom& random) const {
  if (const std::string_view why = layout_problem(layout); !why.empty()) {
    return {Error::kBadLayout, why};
  }
  if (!fits(sizes(layout), source, results)) return kSpanProblem;
  if (const std::string_view problem = device_problem(); !problem.empty()) {
    return {Error::kNoDevice, problem};
  }
  const std::size_t elements = layout.shape.elements();
  if (elements == 0) return {};
  cuda::HostCall call{.source = source, .random = {}, .out = {results, {}}};
  if (random.words != nullptr) call.random = {random.words, elements};
  return cuda::run_with_copies(
      call, [&](const void* words, const std::uint32_t* draws, const StreamResults* out) {
        return launch(nullptr, layout, words, out[0], {draws, random.seed, random.tensor});
      });
}

Status StreamPlan::copy_and_run_both(std::size_t rows, std::size_t columns, bool packed,
                                     bool swizzled, std::span<const std::byte> source,
                                     const HostResults& along_rows, const HostResults& down_columns,
                                     const StreamRandom& random) const {
  for (const StreamLayout& layout : {StreamLayout{{rows, columns, 1}, false, packed, swizzled},
                                     StreamLayout{{1, rows, columns}, true, packed, swizzled}}) {
    if (const std::string_view why = layout_problem(layout); !why.empty()) {
      return {Error::kBadLayout, why};
    }
    const HostResults& results = layout.blocks_last ? down_columns : along_rows;
    if (!fits(sizes(layout), source, results)) return kSpanProblem;
  }
  if (const std::string_view problem = device_problem(); !problem.empty()) {
    return {Error::kNoDevice, problem};
  }
  if (rows * columns == 0) return {};
  cuda::HostCall call{
      .source = source, .random = {}, .out = {along_rows, down_columns}, .directions = 2};
  if (random.words != nullptr) call.random = {random.words, rows * columns};
  return cuda::run_with_copies(
      call, [&](const void* words, const std::uint32_t* draws, const StreamResults* out) {
        const StreamRandom shared{draws, random.seed, random.tensor};
        return launch_both(nullptr, rows, columns, packed, swizzled, words, out[0], out[1],
                           {shared, shared});
      });
}

}  // namespace mx::fast

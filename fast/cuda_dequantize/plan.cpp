#include "fast/cuda_dequantize/plan.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "fast/cpu/resolve.hpp"
#include "fast/cuda/plan.hpp"
#include "fast/dequantize/resolve.hpp"
#include "fast/environment/default_floats.hpp"

namespace mx::fast {

using cuda_dequantize::CheckedCall;
using cuda_dequantize::Codes;
using cuda_dequantize::Kernel;
using cuda_dequantize::Mode;
using cuda_dequantize::Run;

namespace {

/// The scale codes as comparisons: kernels look nothing up.
Checked<Mode> mode_of(const dequantize::BlockConstants& c, const ScaleFormat& format) {
  Mode mode;
  mode.decode = c.decode;
  mode.block_size = c.block_size;
  mode.scale_bias = format.bias;
  mode.scale_mask = static_cast<std::uint32_t>(format.code_mask());
  if (format.unused_bits == UnusedBits::kMustBeZero) mode.scale_stray = 0xFF & ~mode.scale_mask;
  for (std::uint32_t code = 0; code <= mode.scale_mask; ++code) {
    const dequantize::Scale scale = c.scales[code];
    if (scale.kind == dequantize::ScaleKind::kNan) {
      mode.scale_nan_from = std::min(mode.scale_nan_from, code);
    } else if (code > mode.scale_nan_from) {
      return cpu::no_path("scale codes above a NaN");
    }
    if (scale.kind == dequantize::ScaleKind::kZero) mode.scale_zero = code;
  }
  const auto size = static_cast<unsigned>(c.block_size);
  if (std::has_single_bit(size)) mode.block_shift = std::countr_zero(size);
  return mode;
}

/// What the short decoder needs of a format's codes.
Codes codes_of(const dequantize::DequantizeConstants& c) {
  if (c.word.drops_zero_sign != 0 || c.word.drops_input_sign != 0) return Codes::kAny;
  if (c.code.twos_complement != 0) return Codes::kTwosComplement;
  const bool has_specials =
      c.code.special_from() != dequantize::kNoCode || c.code.nan_code != dequantize::kNoCode;
  if (!has_specials) return Codes::kNumbers;
  // Specials are found by bit 7 of what a magnitude leaves free.
  return c.code.magnitude_mask < 0x80 ? Codes::kWithSpecials : Codes::kAny;
}

/// The largest magnitude code that is a number, or more.
unsigned largest_of(const dequantize::CodeConstants& c, Codes codes) {
  if (codes == Codes::kTwosComplement) return c.magnitude_mask / 2U + 1;
  if (codes == Codes::kNumbers || codes == Codes::kAny) return c.magnitude_mask;
  return std::min(unsigned{c.magnitude_mask}, static_cast<unsigned>(c.special_from()) - 1);
}

/// The exponent of its value at scale 1.
int top_of(const dequantize::CodeConstants& c, unsigned largest) {
  const int field = static_cast<int>(largest >> c.man_bits);
  if (field > 0) return c.unit + c.man_bits + field - 1;
  return c.unit + static_cast<int>(std::bit_width(largest)) - 1;
}

/// What the short decoder reads of four codes at a time.
void set_masks(Mode& mode) {
  constexpr std::uint32_t kFour = 0x01010101;
  const dequantize::CodeConstants& code = mode.decode.code;
  mode.magnitudes = (code.magnitude_mask & 0xFFU) * kFour;
  mode.codes = (code.code_mask & 0xFFU) * kFour;
  mode.special_from = code.special_from();
  mode.to_special = mode.special_from < 0x80 ? (0x80 - mode.special_from) * kFour : 0;
  mode.has_nan_code = code.nan_code != dequantize::kNoCode;
  mode.nan_codes = (code.nan_code & 0xFFU) * kFour;
}

/// Sets where the short decoder answers: all products exact, results normal, or subnormals of fp16
/// that its second product rounds.
void set_short_range(Mode& mode, Codes codes) {
  const dequantize::CodeConstants& code = mode.decode.code;
  const dequantize::WordConstants& word = mode.decode.word;
  const dequantize::WordFormat format = dequantize::word_format(word.format);
  if (codes == Codes::kAny || mode.scale_mask != 0xFF || code.man_bits > format.man_bits) return;
  // The pattern of a magnitude code counts units of 2^(emin - man_bits).
  const int emin = 1 - format.bias;
  const int lift = code.unit - emin + code.man_bits;
  const unsigned largest = largest_of(code, codes);
  const int top = top_of(code, largest);
  // Where it is put, a magnitude must not look like an infinity.
  if (static_cast<int>(largest >> code.man_bits) >= format.top_field()) return;
  // Both factors and the element's own value are numbers of the format.
  const int smallest = emin - format.man_bits;
  if (lift < emin || lift > format.bias || code.unit < smallest || top > format.bias) return;
  const dequantize::RoundingMasks& r = word.rounding;
  const bool to_even = r.nearest != 0 && r.by_odd != 0 && r.by_negative == 0 && r.always == 0;
  const bool rounds = word.format == dequantize::Words::kFp16 && to_even &&
                      word.flushes_before == 0 && word.flushes_after == 0;
  const auto pattern = static_cast<std::uint32_t>(lift + format.bias) << format.man_bits;
  mode.lift = word.format == dequantize::Words::kFp32 ? pattern : pattern | pattern << 16;
  mode.low = rounds ? smallest : std::max(emin - code.unit, emin);
  mode.high = format.bias - std::max(top, 0);
  const int first = mode.scale_zero == 0 ? 1 : 0;
  mode.low = std::max(mode.low, first - mode.scale_bias);
  mode.high = std::min(mode.high,
                       std::min(static_cast<int>(mode.scale_nan_from), 256) - 1 - mode.scale_bias);
}

Run run_of(const StreamDequantizePlan::Constants& constants, const StreamLayout& layout,
           const StreamCodes& from, void* words) {
  Run run;
  run.codes = static_cast<const std::uint8_t*>(from.codes);
  run.scales = static_cast<const std::uint8_t*>(from.scales);
  run.words = static_cast<std::byte*>(words);
  run.outer = layout.shape.outer;
  run.length = layout.shape.length;
  run.inner = layout.shape.inner;
  run.packing = cuda::packing_of(constants.code_bits, layout.packed);
  run.blocks_last = layout.blocks_last || run.inner == 1;
  run.swizzled = layout.swizzled;
  return run;
}

bool is_aligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

/// Units within blocks, and blocks whose number is a shift.
Kernel kernel_of(const Mode& mode, const Run& run) {
  const auto size = static_cast<std::size_t>(mode.block_size);
  // Places of scales are computed in 32 bits.
  const bool is_short = cuda_dequantize::words_of(run) / size <= 0xFFFFFFFF;
  const bool fits = mode.block_shift >= 3 && run.length % size == 0 && is_short &&
                    is_aligned(run.codes, 16) && is_aligned(run.words, 16);
  if (!fits || !run.blocks_last) return Kernel::kGeneral;
  if (run.inner == 1) return Kernel::kRows;
  return run.inner % 8 == 0 ? Kernel::kColumns : Kernel::kGeneral;
}

Status pointer_problem(const StreamCodes& from, const void* words, std::size_t word_bytes) {
  if (from.codes == nullptr || from.scales == nullptr || words == nullptr) {
    return {Error::kBadPointer, "a pointer to the codes, the scales or the words is null"};
  }
  if (!is_aligned(words, word_bytes)) {
    return {Error::kBadPointer, "the words are not aligned to their width"};
  }
  return {};
}

template <class Words>
void decode_all(const Mode& mode, const Run& run) {
  const std::size_t words = cuda_dequantize::words_of(run);
  for (std::size_t i = 0; i < words; ++i) {
    const cuda_dequantize::Place place = cuda_dequantize::place_of(run, mode.block_size, i);
    const auto word = static_cast<typename Words::Word>(cuda_dequantize::decode_word<Words>(
        mode, cuda_dequantize::code_at(run.codes, run.packing, place.code),
        run.scales[place.scale]));
    std::memcpy(run.words + i * sizeof word, &word, sizeof word);
  }
}

}  // namespace

namespace cuda_dequantize {

CheckedCall check_call(const StreamDequantizePlan& plan,
                       const StreamDequantizePlan::Constants& constants, const StreamLayout& layout,
                       const StreamCodes& from, void* words) {
  if (const std::string_view why = plan.layout_problem(layout); !why.empty()) {
    return {{Error::kBadLayout, why}, {}};
  }
  CheckedCall checked;
  checked.call.run = run_of(constants, layout, from, words);
  if (words_of(checked.call.run) == 0) return checked;
  checked.status = pointer_problem(from, words, cpu::word_bytes(constants.words));
  checked.call.kernel = kernel_of(constants.mode, checked.call.run);
  checked.call.codes = constants.codes;
  return checked;
}

}  // namespace cuda_dequantize

Checked<StreamDequantizePlan> StreamDequantizePlan::make(const DequantizeJob& job) {
  const Checked<dequantize::BlockConstants> block = dequantize::resolve(job);
  if (!block) return Problem{std::string(block.problem())};
  Checked<Mode> mode = mode_of(*block, job.format.scale);
  if (!mode) return Problem{std::string(mode.problem())};
  Constants constants;
  constants.words = block->decode.word.format;
  constants.mode = *mode;
  constants.code_bits = job.format.element.bits;
  constants.codes = codes_of(block->decode);
  set_masks(constants.mode);
  set_short_range(constants.mode, constants.codes);
  if (constants.mode.low > constants.mode.high) constants.codes = Codes::kAny;
  return StreamDequantizePlan(std::make_shared<const Constants>(constants));
}

int StreamDequantizePlan::block_size() const { return constants_->mode.block_size; }

std::string_view StreamDequantizePlan::layout_problem(const StreamLayout& layout) const {
  return cuda::layout_problem(constants_->code_bits, block_size(), layout);
}

StreamSizes StreamDequantizePlan::sizes(const StreamLayout& layout) const {
  StreamSizes sizes = cuda::sizes_of(constants_->code_bits, block_size(), layout);
  sizes.source_bytes = layout.shape.elements() * cpu::word_bytes(constants_->words);
  sizes.status_words = 0;
  return sizes;
}

std::string_view StreamDequantizePlan::kernel(const StreamLayout& layout) const {
  return cuda::name_of(kernel_of(constants_->mode, run_of(*constants_, layout, {}, nullptr)));
}

Status StreamDequantizePlan::launch(CUstream_st* stream, const StreamLayout& layout,
                                    const StreamCodes& from, void* words) const {
  const CheckedCall checked = cuda_dequantize::check_call(*this, *constants_, layout, from, words);
  if (!checked.status || layout.shape.elements() == 0) return checked.status;
  return cuda_dequantize::start_on_device(stream, constants_->words, constants_->mode,
                                          checked.call);
}

Status StreamDequantizePlan::run_on_host(const StreamLayout& layout, const StreamCodes& from,
                                         void* words) const {
  if (const std::string_view why = layout_problem(layout); !why.empty()) {
    return {Error::kBadLayout, why};
  }
  if (layout.shape.elements() == 0) return {};
  if (const Status bad = pointer_problem(from, words, 1); !bad) return bad;
  const DefaultFloats floats;
  const Run run = run_of(*constants_, layout, from, words);
  switch (constants_->words) {
    case dequantize::Words::kFp32:
      decode_all<cuda::Fp32>(constants_->mode, run);
      break;
    case dequantize::Words::kBf16:
      decode_all<cuda::Bf16>(constants_->mode, run);
      break;
    case dequantize::Words::kFp16:
      decode_all<cuda::Fp16>(constants_->mode, run);
      break;
  }
  return {};
}

Status StreamDequantizePlan::copy_and_run(const StreamLayout& layout,
                                          std::span<const std::byte> codes,
                                          std::span<const std::byte> scales,
                                          std::span<std::byte> words) const {
  if (const std::string_view why = layout_problem(layout); !why.empty()) {
    return {Error::kBadLayout, why};
  }
  const StreamSizes wanted = sizes(layout);
  if (codes.size() != wanted.code_bytes || scales.size() != wanted.scale_bytes ||
      words.size() != wanted.source_bytes) {
    return {Error::kBadSize, "a span does not fit the layout"};
  }
  if (const std::string_view problem = device_problem(); !problem.empty()) {
    return {Error::kNoDevice, problem};
  }
  if (layout.shape.elements() == 0) return {};
  const std::span<const std::byte> in[] = {codes, scales};
  const std::span<std::byte> out[] = {words};
  return cuda::run_between_copies(in, out, [&](void* const* at) {
    return launch(nullptr, layout, {at[0], at[1]}, at[2]);
  });
}

}  // namespace mx::fast

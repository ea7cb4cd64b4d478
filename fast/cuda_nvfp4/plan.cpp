#include "fast/cuda_nvfp4/plan.hpp"

#include <string>

#include "fast/cpu/resolve.hpp"
#include "fast/cuda/plan.hpp"
#include "fast/environment/default_floats.hpp"

namespace mx::fast {

using cpu::no_path;
using cuda::Drawing;
using cuda_nvfp4::CheckedCall;
using cuda_nvfp4::Coding;
using cuda_nvfp4::Kernel;
using cuda_nvfp4::Mode;

namespace {

bool is_aligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

/// Whole blocks of 16 along the last axis, few enough for 32 bits, at addresses of 16 bytes.
bool fits_rows(const Mode& mode, const StreamLayout& layout, const void* words, const void* codes) {
  const BlockLayout& s = layout.shape;
  return mode.block_size == 16 && s.inner == 1 && s.length % 16 == 0 &&
         cuda::swizzled_bytes(s.outer, s.length / 16) <= 0xFFFFFFFF && is_aligned(words, 16) &&
         is_aligned(codes, 16);
}

/// Whole blocks of 16 across the last axis of whole units, transposed, at addresses of 16 bytes.
bool fits_tiles(const Mode& mode, const StreamLayout& layout, const void* words,
                const void* codes) {
  const BlockLayout& s = layout.shape;
  return mode.block_size == 16 && s.inner > 1 && layout.blocks_last && s.length % 16 == 0 &&
         s.inner % 16 == 0 && is_aligned(words, 16) && is_aligned(codes, 16);
}

Kernel kernel_of(const Mode& mode, const StreamLayout& layout, const void* words,
                 const void* codes) {
  if (fits_rows(mode, layout, words, codes)) return Kernel::kRows;
  return fits_tiles(mode, layout, words, codes) ? Kernel::kColumns : Kernel::kGeneral;
}

constexpr Status kNull = {Error::kBadPointer,
                          "a pointer to the words, the codes or the scales is null"};
constexpr Status kUnaligned = {Error::kBadPointer, "a pointer is not aligned to its words"};

template <class Function>
void with_words(cpu::Source words, const Function& f) {
  switch (words) {
    case cpu::Source::kFp32:
      return f.template operator()<cuda::Fp32>();
    case cpu::Source::kBf16:
      return f.template operator()<cuda::Bf16>();
    case cpu::Source::kFp16:
      return f.template operator()<cuda::Fp16>();
  }
}

}  // namespace

namespace cuda_nvfp4 {

CheckedCall check_there(const Nvfp4Plan& plan, const Nvfp4Plan::Constants& constants,
                        const StreamLayout& layout, const void* source,
                        const StreamResults& results, const std::uint32_t* tensor,
                        const StreamRandom& random) {
  if (const std::string_view why = plan.layout_problem(layout); !why.empty()) {
    return {{Error::kBadLayout, why}, {}};
  }
  CheckedCall checked;
  if (layout.shape.elements() == 0) return checked;
  if (source == nullptr || results.codes == nullptr || results.scales == nullptr) {
    return {kNull, {}};
  }
  if (!is_aligned(source, cpu::word_bytes(constants.words)) || !is_aligned(results.status, 2) ||
      !is_aligned(tensor, 4) || !is_aligned(random.words, 4)) {
    return {kUnaligned, {}};
  }
  Call& call = checked.call;
  Run& run = call.there;
  run.source = static_cast<const std::byte*>(source);
  run.outer = layout.shape.outer;
  run.length = layout.shape.length;
  run.inner = layout.shape.inner;
  run.out = {static_cast<std::uint8_t*>(results.codes), static_cast<std::uint8_t*>(results.scales),
             results.status};
  run.packing = cuda::packing_of(4, layout.packed);
  run.blocks_last = layout.blocks_last || run.inner == 1;
  run.swizzled = layout.swizzled;
  run.random = {random.words, random.seed, random.tensor};
  call.kernel = kernel_of(constants.mode, layout, source, results.codes);
  call.tensor = tensor;
  return checked;
}

CheckedCall check_both(const Nvfp4Plan& plan, const Nvfp4Plan::Constants& constants,
                       const Nvfp4Plan& down_plan, const Nvfp4Plan::Constants& down,
                       const Nvfp4Both& both) {
  if (constants.words != down.words) {
    return {{Error::kUnsupportedFormat, "the plans of rows and columns differ in their source"},
            {}};
  }
  const StreamLayout by_columns{{1, both.rows, both.columns}, true, both.packed, both.swizzled};
  const StreamLayout by_rows{{both.rows, both.columns, 1}, false, both.packed, both.swizzled};
  CheckedCall checked = check_there(down_plan, down, by_columns, both.source, both.down_columns,
                                    both.columns_tensor, both.columns_random);
  if (!checked.status || both.rows * both.columns == 0) return checked;
  const CheckedCall other = check_there(plan, constants, by_rows, both.source, both.along_rows,
                                        both.rows_tensor, both.rows_random);
  if (!other.status) return other;
  if (checked.call.kernel != Kernel::kColumns || other.call.kernel != Kernel::kRows) {
    return {{Error::kBadLayout,
             "both directions need blocks of 16, rows and columns that are multiples of 16, source "
             "and codes aligned to 16 bytes"},
            {}};
  }
  if ((both.along_rows.status == nullptr) != (both.down_columns.status == nullptr)) {
    return {{Error::kBadPointer, "status words of one direction only"}, {}};
  }
  checked.call.kernel = Kernel::kBoth;
  checked.call.along = {constants.mode, other.call.there, both.rows_tensor};
  return checked;
}

CheckedCall check_back(const Nvfp4Plan& plan, const Nvfp4Plan::Constants& constants,
                       const StreamLayout& layout, const StreamCodes& from, void* words,
                       const std::uint32_t* tensor) {
  if (const std::string_view why = plan.layout_problem(layout); !why.empty()) {
    return {{Error::kBadLayout, why}, {}};
  }
  if (constants.mode.chain == Chain::kTorchao) {
    return {{Error::kUnsupportedFormat, "nvfp4_torchao rounds on the way back"}, {}};
  }
  CheckedCall checked;
  if (layout.shape.elements() == 0) return checked;
  if (from.codes == nullptr || from.scales == nullptr || words == nullptr) return {kNull, {}};
  if (!is_aligned(words, cpu::word_bytes(constants.words)) || !is_aligned(tensor, 4)) {
    return {kUnaligned, {}};
  }
  Call& call = checked.call;
  cuda_dequantize::Run& run = call.back;
  run.codes = static_cast<const std::uint8_t*>(from.codes);
  run.scales = static_cast<const std::uint8_t*>(from.scales);
  run.words = static_cast<std::byte*>(words);
  run.outer = layout.shape.outer;
  run.length = layout.shape.length;
  run.inner = layout.shape.inner;
  run.packing = cuda::packing_of(4, layout.packed);
  run.blocks_last = layout.blocks_last || run.inner == 1;
  run.swizzled = layout.swizzled;
  const bool is_rows = layout.packed && fits_rows(constants.mode, layout, words, from.codes);
  call.kernel = is_rows ? Kernel::kRows : Kernel::kGeneral;
  call.tensor = tensor;
  return checked;
}

}  // namespace cuda_nvfp4

Checked<Nvfp4Plan> Nvfp4Plan::make(const Nvfp4Job& job) {
  const Checked<Constants> constants = cuda_nvfp4::resolve(job);
  if (!constants) return Problem{std::string(constants.problem())};
  const Nvfp4Plan plan(std::make_shared<const Constants>(*constants));
  return job.hadamard ? plan.with_hadamard(*job.hadamard) : plan;
}

Checked<Nvfp4Plan> Nvfp4Plan::with_hadamard(const Nvfp4Hadamard& hadamard) const {
  if (constants_->mode.block_size != 16) {
    return no_path("a Hadamard transform of blocks other than 16");
  }
  Constants constants = *constants_;
  constants.mode.transforms = true;
  constants.mode.signs_last = hadamard.signs_last;
  constants.mode.mask = hadamard.mask;
  return Nvfp4Plan(std::make_shared<const Constants>(constants));
}

bool Nvfp4Plan::draws() const { return constants_->mode.drawing != Drawing::kNone; }

std::string_view Nvfp4Plan::layout_problem(const StreamLayout& layout) const {
  if (constants_->mode.transforms && layout.shape.length % 16 != 0) {
    return "transformed blocks along an axis that is no multiple of 16";
  }
  return cuda::layout_problem(4, constants_->mode.block_size, layout);
}

StreamSizes Nvfp4Plan::sizes(const StreamLayout& layout) const {
  StreamSizes sizes = cuda::sizes_of(4, constants_->mode.block_size, layout);
  sizes.source_bytes = layout.shape.elements() * cpu::word_bytes(constants_->words);
  return sizes;
}

std::string_view Nvfp4Plan::kernel(const StreamLayout& layout) const {
  return cuda::name_of(kernel_of(constants_->mode, layout, nullptr, nullptr));
}

Status Nvfp4Plan::quantize(CUstream_st* stream, const StreamLayout& layout, const void* source,
                           const StreamResults& results, const std::uint32_t* tensor,
                           const StreamRandom& random) const {
  const CheckedCall checked =
      cuda_nvfp4::check_there(*this, *constants_, layout, source, results, tensor, random);
  if (!checked.status || layout.shape.elements() == 0) return checked.status;
  return cuda_nvfp4::start_there(stream, *constants_, checked.call);
}

Status Nvfp4Plan::quantize_both(CUstream_st* stream, const Nvfp4Plan& down,
                                const Nvfp4Both& both) const {
  const CheckedCall checked =
      cuda_nvfp4::check_both(*this, *constants_, down, *down.constants_, both);
  if (!checked.status || both.rows * both.columns == 0) return checked.status;
  return cuda_nvfp4::start_there(stream, *down.constants_, checked.call);
}

Status Nvfp4Plan::quantize_on_host(const StreamLayout& layout, const void* source,
                                   const StreamResults& results, const std::uint32_t* tensor,
                                   const StreamRandom& random) const {
  const CheckedCall checked =
      cuda_nvfp4::check_there(*this, *constants_, layout, source, results, tensor, random);
  if (!checked.status || layout.shape.elements() == 0) return checked.status;
  const DefaultFloats floats;
  const Mode& mode = constants_->mode;
  const cuda::Run& run = checked.call.there;
  if (const std::size_t clear = cuda::bytes_to_clear(run, mode.block_size); clear != 0) {
    std::memset(run.out.scales, 0, clear);
  }
  const cuda_nvfp4::Tensor shared = cuda_nvfp4::tensor_of(mode, tensor);
  const std::size_t blocks = cuda::blocks_of(run, mode.block_size);
  with_words(constants_->words, [&]<class Source>() {
    cuda_nvfp4::with_coding(mode.coding, [&]<Coding kCoding>() {
      for (std::size_t block = 0; block < blocks; ++block) {
        if (mode.transforms) {
          cuda_nvfp4::quantize_whole<Source, kCoding>(mode, shared, run, block);
        } else {
          cuda_nvfp4::quantize_block<Source, kCoding>(mode, shared, run, block);
        }
      }
    });
  });
  return {};
}

Status Nvfp4Plan::dequantize(CUstream_st* stream, const StreamLayout& layout,
                             const StreamCodes& from, void* words,
                             const std::uint32_t* tensor) const {
  const CheckedCall checked =
      cuda_nvfp4::check_back(*this, *constants_, layout, from, words, tensor);
  if (!checked.status || layout.shape.elements() == 0) return checked.status;
  return cuda_nvfp4::start_back(stream, *constants_, checked.call);
}

Status Nvfp4Plan::dequantize_on_host(const StreamLayout& layout, const StreamCodes& from,
                                     void* words, const std::uint32_t* tensor) const {
  const CheckedCall checked =
      cuda_nvfp4::check_back(*this, *constants_, layout, from, words, tensor);
  if (!checked.status || layout.shape.elements() == 0) return checked.status;
  const DefaultFloats floats;
  const Mode& mode = constants_->mode;
  const cuda_dequantize::Run& run = checked.call.back;
  const std::uint32_t number = tensor != nullptr ? *tensor : mode.tensor;
  with_words(constants_->words, [&]<class Words>() {
    for (std::size_t i = 0; i < layout.shape.elements(); ++i) {
      const cuda_dequantize::Place place = cuda_dequantize::place_of(run, mode.block_size, i);
      const auto word = static_cast<typename Words::Word>(cuda_nvfp4::decode_word<Words>(
          cuda_dequantize::code_at(run.codes, run.packing, place.code), run.scales[place.scale],
          number));
      std::memcpy(run.words + i * sizeof word, &word, sizeof word);
    }
  });
  return {};
}

}  // namespace mx::fast

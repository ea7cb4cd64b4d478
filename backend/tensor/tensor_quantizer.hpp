// Tensors quantized by the fastest path that is proven for their configuration: the vectors of
// fast/cpu where they have one, the reference everywhere else, for single blocks too
// (special_blocks.hpp). The bits are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backend/tensor/choice.hpp"
#include "backend/tensor/chosen.hpp"
#include "backend/tensor/cuda.hpp"
#include "backend/tensor/flag_census.hpp"
#include "backend/tensor/runs.hpp"
#include "backend/tensor/special_blocks.hpp"
#include "fast/plan/plan.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// Tensors of one configuration. A value type; the calls are const and may run side by side.
class TensorQuantizer {
 public:
  /// The problem: the configuration is none, or a path is asked for that it has not.
  [[nodiscard]] static Checked<TensorQuantizer> make(const QuantizerConfig& config, Choice choice);

  [[nodiscard]] const Quantizer& reference() const { return reference_; }
  [[nodiscard]] bool is_fast() const { return chosen_.is_fast(); }
  /// "cpu (AVX3_DL)", "cuda", "cuda-host" or "reference".
  [[nodiscard]] std::string path() const { return chosen_.path(); }
  /// Why the reference computes where kAuto was asked; "" otherwise.
  [[nodiscard]] std::string_view why_reference() const { return chosen_.why_reference(); }

  /// Compares the fast path with the reference on a few thousand structured values: one line that
  /// names the first difference, "" where there is none or no fast path.
  [[nodiscard]] std::string self_check() const;

  [[nodiscard]] Portions portions(const BlockedShape& shape) const;

  /// quantize_tensor() for portions [first, last) of a tensor whose last blocks are short
  /// (Tail::kShort); sizes and problems as there. Flags are added to `flags`, those
  /// of the portions of one tensor to the same; where it is null they are not asked for. The
  /// summary's are those of the reference's path alone. `threads` share a long block of the
  /// reference.
  [[nodiscard]] Checked<TensorSummary> quantize(const BlockedShape& shape,
                                                std::span<const std::byte> source,
                                                CounterRandom random, std::span<std::byte> codes,
                                                std::span<std::byte> scales, Flags* flags,
                                                std::uint64_t first, std::uint64_t last,
                                                int threads = 1) const;

  /// All portions, shared by `threads`.
  [[nodiscard]] Checked<TensorSummary> quantize_all(
      const BlockedShape& shape, std::span<const std::byte> source, CounterRandom random,
      std::span<std::byte> codes, std::span<std::byte> scales, Flags* flags, int threads) const;

 private:
  explicit TensorQuantizer(Quantizer reference) : reference_(std::move(reference)) {}

  /// "" or what went wrong, of both.
  [[nodiscard]] std::string quantize_run(const QuantizedTensor& tensor, const Run& run,
                                         Flags* flags, TensorSummary& summary) const;
  [[nodiscard]] std::string compute(const QuantizedTensor& tensor, const Run& run,
                                    std::span<std::uint16_t> status, Flags* flags) const;
  [[nodiscard]] std::string compute_fast(const QuantizedTensor& tensor, const Run& run,
                                         std::span<std::uint16_t> status) const;
  Quantizer reference_;
  std::optional<SpecialBlocks> special_;  ///< of powers of two
  Chosen<fast::QuantizePlan, CudaQuantizer> chosen_;
};

}  // namespace mx::backend

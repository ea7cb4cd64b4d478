// Tensors under a random Hadamard transform on their way to codes and back: spec F25.
#pragma once

#include <optional>
#include <string>

#include "cli/files/mapped_file.hpp"
#include "cli/files/tensor_file.hpp"
#include "cli/tensors/backend.hpp"
#include "cli/tensors/plan.hpp"

namespace mx::cli {

/// The options --hadamard and --hadamard-signs. Must stay in place once added, since CLI11 keeps
/// references.
class HadamardOptions {
 public:
  HadamardOptions() = default;
  HadamardOptions(const HadamardOptions&) = delete;
  HadamardOptions& operator=(const HadamardOptions&) = delete;

  void add_to(const Command& command);
  /// Are the signs a matter of --seed?
  [[nodiscard]] bool is_drawn() const { return mask_ == "drawn"; }
  /// The transform, or nothing where none is asked for. Error kUsage for a wrong mask or order, or
  /// a recipe without blocks of a multiple of 16 along one axis.
  [[nodiscard]] std::optional<Hadamard> of(const Recipe& recipe) const;

 private:
  std::string mask_;
  std::string signs_;  ///< "": first
};

/// Has the recipe blocks of a multiple of 16 elements along one axis, as the transform needs them?
[[nodiscard]] bool takes_hadamard(const Recipe& recipe);

/// The transform that a file's metadata names. Error kBadInput for a wrong field.
[[nodiscard]] std::optional<Hadamard> hadamard_of(
    std::string_view file, const std::map<std::string, std::string>& metadata);
void add_hadamard(const Hadamard& hadamard, std::map<std::string, std::string>& metadata);

/// A tensor that was transformed: binary32 words in a file of their own beside the output, which is
/// never committed.
class TransformedTensor {
 public:
  /// Error kUsage where the tensor's type or axis has no transform; `input` names its file.
  TransformedTensor(const Recipe& recipe, const TensorFile& file, const Tensor& tensor,
                    const std::string& input, const std::string& output,
                    const BackendOptions& backend, int threads);
  [[nodiscard]] const Tensor& tensor() const { return tensor_; }

 private:
  OutputFile words_;
  Tensor tensor_;
};

/// Transforms binary32 values of a recipe's blocks back in place. `name` is the tensor's.
void transform_back(const Recipe& recipe, std::span<const std::uint64_t> shape,
                    std::string_view name, std::span<std::byte> wide, const BackendOptions& backend,
                    int threads);

/// Binary32 words to words of `output`, each rounded once, ties_to_even, with the recipe's
/// dequant_overflow: spec F12.2 step 4.
void round_values(const Recipe& recipe, std::span<const std::byte> wide,
                  const ElementFormat& output, std::span<std::byte> values, int threads);

}  // namespace mx::cli

// The headers of the tensor formats, apart from files, so that they can be tested byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/tensor_file.hpp"

namespace mx::cli {

/// What a file says: the tensors in any order, their data inside the bytes given, or inside a
/// buffer of `owned` where words have to be made. Words are little-endian.
struct TensorTable {
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> metadata;
  std::vector<std::vector<std::byte>> owned;
};

/// A kind of tensor file: a row that its own file makes, and a line of the list in tensor_file.cpp.
struct TensorFileKind {
  std::string_view name;      ///< what messages call it: "NumPy array"
  std::string_view suffixes;  ///< of its files, spaces between: ".pt .pth"
  /// Are the bytes of this kind? They go before the name of the file. Cheap, on any bytes, without
  /// exceptions; nullptr where nothing tells.
  bool (*is)(std::span<const std::byte> bytes);
  /// The tensors, or Error kBadInput with file, position, field and remedy, on any bytes.
  TensorTable (*parse)(std::string_view file, std::span<const std::byte> bytes);
};

/// What messages call the files of torch.save.
inline constexpr std::string_view kTorchKind = "PyTorch file";

/// The bytes as text, for what they start with.
[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What becomes of a type that DType has not: an error, or a tensor whose `dtype` is the file's
/// name for it and whose data have any size.
enum class Unknown : std::uint8_t { kRefused, kKept };

/// Reads a `.npy` file, versions 1, 2 and 3, either order, little-endian. `file` is the name used
/// in messages. Throws Error kBadInput.
[[nodiscard]] TensorTable parse_npy(std::string_view file, std::span<const std::byte> bytes,
                                    Unknown unknown = Unknown::kRefused);

/// Reads a `.safetensors` file. Offsets must tile the data exactly. Throws Error kBadInput.
[[nodiscard]] TensorTable parse_safetensors(std::string_view file,
                                            std::span<const std::byte> bytes);

/// Reads a `.npz` file: a tensor for each `.npy` inside. Throws Error kBadInput.
[[nodiscard]] TensorTable parse_npz(std::string_view file, std::span<const std::byte> bytes);

/// Reads what torch.save writes: tensors by the names that lead to them through dictionaries and
/// lists, `data` for one alone. Throws Error kBadInput, also for what is no part of a tensor.
[[nodiscard]] TensorTable parse_torch(std::string_view file, std::span<const std::byte> bytes);

/// What bytes are that no kind knows, and what to do: "a gzip file; unpack it with gunzip". ""
/// where nothing tells.
[[nodiscard]] std::string_view foreign_kind(std::span<const std::byte> bytes);

/// A type of the safetensors format.
struct DType {
  std::string_view name;
  int bits = 0;
  const ElementFormat* format = nullptr;  ///< for the types that can be quantized
  const ElementFormat* codes = nullptr;   ///< whose codes it is for
};
[[nodiscard]] const DType* find_dtype(std::string_view name);
/// The unsigned type as wide as a word of the format: U8, U16, U32, U64.
[[nodiscard]] std::string_view code_dtype(const ElementFormat& format);
/// The type for codes of a format, also of scales: F8_E4M3 for e4m3fn and ue4m3, F4 for e2m1fn, of
/// which two share a byte; "" where there is none.
[[nodiscard]] std::string_view own_dtype(const ElementFormat& format);
/// The type of a source or sink format: F64, F32, F16, BF16.
[[nodiscard]] std::string_view float_dtype(const ElementFormat& format);

/// Product of a shape, or nothing if it or its size in bits does not fit 63 bits. Zero lengths do
/// not hide an absurd length beside them.
[[nodiscard]] std::optional<std::uint64_t> element_count(std::span<const std::uint64_t> shape,
                                                         int bits);

}  // namespace mx::cli

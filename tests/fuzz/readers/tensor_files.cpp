// Headers of .npy and .safetensors: tensors lie inside the bytes and have their shape's size.
// Indexes of models in pieces name files beside them. Checkpoints: what belongs to a weight has its
// blocks.
#include "cli/files/tensor_files.hpp"

#include <algorithm>

#include "cli/base/error.hpp"
#include "cli/checkpoints/weight_values.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/identify/checkpoint.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

Outcome read(std::string_view input,
             cli::TensorTable (*parse)(std::string_view, std::span<const std::byte>)) {
  const auto bytes = std::as_bytes(std::span(input));
  return read_or_refuse<cli::Error>(input, [&] {
    const cli::TensorTable table = parse("fuzz", bytes);
    for (const cli::Tensor& tensor : table.tensors) {
      const cli::DType* const type = cli::find_dtype(tensor.dtype);
      if (type == nullptr) continue;  // named and skipped, with bytes of any number
      const auto bits = static_cast<std::uint64_t>(type->bits);
      require(tensor.elements * bits / 8 == tensor.data.size(), "a tensor has its shape's size",
              input);
      const auto holds = [&](std::span<const std::byte> whole) {
        return tensor.data.data() >= whole.data() &&
               tensor.data.data() + tensor.data.size() <= whole.data() + whole.size();
      };
      require(tensor.data.empty() || holds(bytes) || std::ranges::any_of(table.owned, holds),
              "a tensor lies inside the file, or in words made of it", input);
    }
  });
}

Outcome npy(std::string_view input) {
  return read(input, [](std::string_view file, std::span<const std::byte> bytes) {
    return cli::parse_npy(file, bytes);
  });
}
Outcome safetensors(std::string_view input) { return read(input, cli::parse_safetensors); }

Outcome shards(std::string_view input) {
  return read_or_refuse<cli::Error>(input, [&] {
    for (const auto& [tensor, file] : cli::parse_shard_index("fuzz", input)) {
      require(!file.empty() && file.find('/') == std::string::npos && file != "..",
              "a shard lies beside its index", input);
    }
  });
}

std::string npy_file(std::string header, std::size_t data) {
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  const auto length = static_cast<unsigned>(header.size());
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(length & 0xFF);
  file += static_cast<char>(length >> 8);
  return file + header + std::string(data, '\x3F');
}

std::vector<std::string> npy_seeds() {
  return {npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24),
          npy_file("{'descr': '<f2', 'fortran_order': True, 'shape': (5,), }", 10),
          npy_file("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8),
          npy_file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", 24)};
}

std::string safetensors_file(const std::string& header, std::size_t data) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> 8 * i & 0xFF);
  return file + header + std::string(data, '\x3F');
}

std::vector<std::string> safetensors_seeds() {
  return {safetensors_file(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                           R"("b":{"dtype":"BF16","shape":[3],"data_offsets":[16,22]}})",
                           22),
          safetensors_file(R"({"__metadata__":{"k":"v"},"x":{"dtype":"U8","shape":[0],)"
                           R"("data_offsets":[0,0]}})",
                           0)};
}

std::vector<std::string> shard_seeds() {
  return {
      R"({"metadata":{"total_size":8},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}})",
      R"({"weight_map":{"a":"../m.safetensors"}})", R"({"weight_map":{"a":7}})"};
}

/// Beside which checkpoints are read: a weight of two blocks of 32.
const std::string& weights_file() {
  static const std::string kFile = safetensors_file(
      R"({"x.weight":{"dtype":"BF16","shape":[2,32],"data_offsets":[0,128]}})", 128);
  return kFile;
}

/// The first and the last rows of every weight have values: a scale for each element.
void value_weights(const cli::TensorFiles& files, std::string_view input) {
  for (const cli::StoredWeight& weight : cli::stored_weights(files, {}).weights) {
    const std::uint64_t length = weight.row_length();
    if (length == 0 || length > 4096) continue;
    const std::uint64_t rows = weight.elements() / length;
    const std::uint64_t some = std::min<std::uint64_t>(rows, 3);
    const cli::WeightValues values(weight);
    std::vector<std::uint32_t> words(some * length);
    values.rows(0, some, words);
    values.rows(rows - some, rows, words);
    require(weight.scale_bytes.size() >= weight.scale_count(), "a weight has its scales", input);
  }
}

Outcome checkpoints(std::string_view input) {
  static const MemoryFile kWeights{weights_file()};
  static const cli::TensorFiles kOpen = cli::TensorFiles::open(kWeights.path());
  if (input.empty()) return Outcome::kRefused;
  const MemoryFile file(input);
  return read_or_refuse<cli::Error>(input, [&] {
    const cli::TensorFiles opened = cli::TensorFiles::open(file.path());
    value_weights(opened, input);
    const cli::Checkpoint read = cli::read_checkpoint(kOpen, opened, cli::ScaleOrder::kSwizzled);
    for (const cli::CheckpointWeight& weight : read.weights) {
      for (std::uint64_t i = 0; i < weight.blocks(); ++i) {
        const cli::CheckpointBlock block = block_of(opened, weight, i);
        require(block.codes.size() == block.source.size(), "a block has a code an element", input);
      }
    }
  });
}

std::vector<std::string> checkpoint_seeds() {
  return {
      safetensors_file(
          R"({"x.weight_packed":{"dtype":"U8","shape":[2,16],"data_offsets":[0,32]},)"
          R"("x.weight_scale":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[32,36]},)"
          R"("x.weight_global_scale":{"dtype":"F32","shape":[1],"data_offsets":[36,40]}})",
          40),
      safetensors_file(R"({"x.weight":{"dtype":"F8_E4M3","shape":[2,32],"data_offsets":[0,64]},)"
                       R"("x.weight_scale":{"dtype":"U8","shape":[2,1],"data_offsets":[64,66]}})",
                       66),
      safetensors_file(R"({"x.weight_packed":{"dtype":"U8","shape":[2,24],"data_offsets":[0,48]},)"
                       R"("x.weight_scale":{"dtype":"U8","shape":[2,1],"data_offsets":[48,50]}})",
                       50),
      safetensors_file(R"({"x.weight":{"dtype":"F8_E5M2","shape":[3,5],"data_offsets":[0,15]},)"
                       R"("x.weight_scale":{"dtype":"BF16","shape":[3,1],"data_offsets":[15,21]}})",
                       21),
      safetensors_file(
          R"({"x.weight":{"dtype":"I8","shape":[2,130],"data_offsets":[0,260]},)"
          R"("x.weight_scale_inv":{"dtype":"F32","shape":[1,2],"data_offsets":[260,268]}})",
          268),
      safetensors_file(R"({"x_blocks":{"dtype":"U8","shape":[2,2,16],"data_offsets":[0,64]},)"
                       R"("x_scales":{"dtype":"U8","shape":[2,2],"data_offsets":[64,68]}})",
                       68),
      safetensors_file(
          R"({"e.weight":{"dtype":"F4","shape":[2,1,16],"data_offsets":[0,16]},)"
          R"("e.weight_scale":{"dtype":"F8_E4M3","shape":[2,1,1],"data_offsets":[16,18]},)"
          R"("e.weight_scale_2":{"dtype":"F32","shape":[2],"data_offsets":[18,26]}})",
          26),
      safetensors_file(
          R"({"__metadata__":{"a.weight":"{\"_data\":{\"is_swizzled_scales\":true}}"},)"
          R"("a._weight_qdata":{"dtype":"F8_E4M3","shape":[1,32],"data_offsets":[0,32]},)"
          R"("a._weight_scale":{"dtype":"F8_E8M0","shape":[128,4],"data_offsets":[32,544]}})",
          544)};
}

}  // namespace

Target npy_target() { return {"npy", npy, npy_seeds}; }
Target shards_target() { return {"shards", shards, shard_seeds}; }
Target checkpoints_target() { return {"checkpoints", checkpoints, checkpoint_seeds}; }
Target safetensors_target() { return {"safetensors", safetensors, safetensors_seeds}; }

}  // namespace mx::fuzz

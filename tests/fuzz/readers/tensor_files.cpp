// Headers of .npy and .safetensors: tensors lie inside the bytes and have their shape's size.
#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
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
      const bool lies_inside = tensor.data.empty() || (tensor.data.data() >= bytes.data() &&
                                                       tensor.data.data() + tensor.data.size() <=
                                                           bytes.data() + bytes.size());
      require(lies_inside, "a tensor lies inside the file", input);
    }
  });
}

Outcome npy(std::string_view input) { return read(input, cli::parse_npy); }
Outcome safetensors(std::string_view input) { return read(input, cli::parse_safetensors); }

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
          npy_file("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8)};
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

}  // namespace

Target npy_target() { return {"npy", npy, npy_seeds}; }
Target safetensors_target() { return {"safetensors", safetensors, safetensors_seeds}; }

}  // namespace mx::fuzz

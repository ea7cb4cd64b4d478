// SPDX-License-Identifier: Apache-2.0
// Zip archives, those of NumPy and PyTorch, and pickles: entries lie inside the file and share
// nothing, tensors have their shape's size, values of a pickle lead to values.
#include <cstdint>

#include "cli/archives/pickle.hpp"
#include "cli/archives/zip.hpp"
#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz::archives {
namespace {

Outcome tensors(std::string_view input,
                cli::TensorTable (*parse)(std::string_view, std::span<const std::byte>)) {
  return read_or_refuse<cli::Error>(input, [&] {
    const cli::TensorTable table = parse("fuzz", std::as_bytes(std::span(input)));
    std::uint64_t sum = 0;
    for (const cli::Tensor& tensor : table.tensors) {
      const cli::DType* const type = cli::find_dtype(tensor.dtype);
      for (const std::byte each : tensor.data) sum += std::to_integer<unsigned>(each);
      if (type == nullptr) continue;  // named and skipped, with bytes of any number
      const auto bits = static_cast<std::uint64_t>(type->bits);
      require(tensor.elements * bits / 8 == tensor.data.size(), "a tensor has its shape's size",
              input);
    }
    require(sum < ~std::uint64_t{0}, "every byte of a tensor can be read", input);
  });
}

Outcome npz(std::string_view input) { return tensors(input, cli::parse_npz); }
Outcome torch(std::string_view input) { return tensors(input, cli::parse_torch); }

Outcome zips(std::string_view input) {
  const auto bytes = std::as_bytes(std::span(input));
  (void)cli::foreign_kind(bytes);
  return read_or_refuse<cli::Error>(input, [&] {
    std::uint64_t packed = 0;
    for (const cli::ZipEntry& entry : cli::read_zip("fuzz", bytes)) {
      packed += entry.packed.size();
      std::vector<std::vector<std::byte>> owned;
      require(contents_of("fuzz", entry, owned).size() == entry.size, "an entry has its size",
              input);
    }
    require(packed <= input.size(), "entries share no bytes", input);
  });
}

constexpr std::string_view kGlobals[] = {"collections.OrderedDict",
                                         "torch._utils._rebuild_tensor_v2", "torch.FloatStorage"};

Outcome pickles(std::string_view input) {
  return read_or_refuse<cli::Error>(input, [&] {
    const cli::Pickle pickle = cli::read_pickle("fuzz", std::as_bytes(std::span(input)), kGlobals);
    require(pickle.root < pickle.values.size(), "a pickle has a value", input);
    for (const cli::PickleValue& value : pickle.values) {
      for (const cli::PickleIndex item : value.items) {
        require(item < pickle.values.size(), "an item is a value", input);
      }
      if (value.kind == cli::PickleKind::kGlobal) {
        require(static_cast<std::size_t>(value.number) < std::size(kGlobals),
                "a name is one of the list", input);
      }
    }
  });
}

std::string number(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

/// Stored entries, whose CRC nobody looks at.
std::string zip(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive, directory;
  for (const auto& [name, data] : files) {
    const std::string sizes = number(0, 4) + number(data.size(), 4) + number(data.size(), 4) +
                              number(name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + number(20, 2) + number(0, 8) + sizes +
                 std::string(10, '\0') + number(archive.size(), 4) + name;
    archive += "PK\x03\x04" + number(20, 2) + number(0, 8) + sizes + name + data;
  }
  const std::string count = number(files.size(), 2);
  return archive + directory + "PK\x05\x06" + number(0, 4) + count + count +
         number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
}

std::string npy() {
  std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + number(header.size(), 2) + header +
         std::string(24, '\x3F');
}

std::string text(const std::string& value) { return "X" + number(value.size(), 4) + value; }

/// {"w": a view of two by two of six floats}
std::string pickle() {
  return std::string("\x80\x02}q\x00", 5) + text("w") + "ctorch._utils\n_rebuild_tensor_v2\n((" +
         text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") +
         "K\x06tQK\x01K\x02K\x02\x86K\x03K\x01\x86\x89" + "ccollections\nOrderedDict\n)RtRs.";
}

std::vector<std::string> npz_seeds() {
  return {zip({{"w.npy", npy()}, {"a.txt", "hello"}}), zip({{"w.npy", npy()}, {"v.npy", npy()}})};
}
std::vector<std::string> torch_seeds() {
  return {zip({{"a/data.pkl", pickle()},
               {"a/byteorder", "little"},
               {"a/data/0", std::string(24, '\x3F')}})};
}
std::vector<std::string> zip_seeds() { return {zip({{"a", ""}, {"b/c", "text"}}), zip({})}; }
std::vector<std::string> pickle_seeds() {
  return {pickle(), std::string("\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00]\x94(K\x01"
                                "e.",
                                18)};
}

}  // namespace
}  // namespace mx::fuzz::archives

namespace mx::fuzz {

Target npz_target() { return {"npz", archives::npz, archives::npz_seeds}; }
Target torch_target() { return {"torch", archives::torch, archives::torch_seeds}; }
Target zips_target() { return {"zips", archives::zips, archives::zip_seeds}; }
Target pickles_target() { return {"pickles", archives::pickles, archives::pickle_seeds}; }

}  // namespace mx::fuzz

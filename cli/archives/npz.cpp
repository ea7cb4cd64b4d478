// SPDX-License-Identifier: Apache-2.0
// `.npz`: a zip archive of `.npy` files, stored (numpy.savez) or deflated (savez_compressed).
#include "cli/archives/zip.hpp"
#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kNumpyEntry = ".npy";

}  // namespace

TensorTable parse_npz(std::string_view file, std::span<const std::byte> bytes) {
  TensorTable table;
  for (const ZipEntry& entry : read_zip(file, bytes)) {
    if (!entry.name.ends_with(kNumpyEntry)) continue;
    const std::string where = fmt::format("{}: entry {}", file, printable(entry.name));
    TensorTable array = parse_npy(where, contents_of(file, entry, table.owned), Unknown::kKept);
    Tensor& tensor = array.tensors.front();
    tensor.name = entry.name.substr(0, entry.name.size() - kNumpyEntry.size());
    table.tensors.push_back(std::move(tensor));
    for (std::vector<std::byte>& words : array.owned) table.owned.push_back(std::move(words));
  }
  return table;
}

TensorFileKind npz_file_kind() {
  return {"NumPy archive", ".npz",
          [](std::span<const std::byte> bytes) { return zip_holds(bytes, kNumpyEntry); },
          parse_npz};
}

}  // namespace mx::cli

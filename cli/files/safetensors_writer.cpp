#include "cli/files/safetensors_writer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"

namespace mx::cli {
namespace {

/// Bytes of a tensor; Error kUsage where they do not fit.
std::uint64_t size_of(const std::filesystem::path& path, const OutputTensor& tensor) {
  if (tensor.name == "__metadata__") {
    fail(Exit::kBadInput, "{}: no tensor can be called '__metadata__' in this format",
         path.string());
  }
  const int bits = find_dtype(tensor.dtype)->bits;
  const auto count = element_count(tensor.shape, bits);
  if (!count) {
    fail(Exit::kUsage, "{}: tensor {}: the size in bits does not fit 63 bits", path.string(),
         printable(tensor.name));
  }
  return *count * static_cast<std::uint64_t>(bits / 8);
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     std::vector<OutputTensor> tensors,
                                     const std::map<std::string, std::string>& metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const OutputTensor& a, const OutputTensor& b) {
    const int a_bits = find_dtype(a.dtype)->bits;
    const int b_bits = find_dtype(b.dtype)->bits;
    return a_bits != b_bits ? a_bits > b_bits : a.name < b.name;
  });
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header["__metadata__"] = metadata;
  std::vector<std::uint64_t> ends;
  std::uint64_t end = 0;
  for (const OutputTensor& tensor : tensors) {
    const std::uint64_t begin = end;
    const std::uint64_t size = size_of(path, tensor);
    if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - end) {
      fail(Exit::kUsage, "{}: the sizes of all tensors do not fit 63 bits", path.string());
    }
    end += size;
    ends.push_back(end);
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = golden::dumped(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data begins on a multiple of 8
  const std::uint64_t length = text.size();
  file_ = std::make_unique<OutputFile>(path, 8 + length + end);
  const std::span<std::byte> bytes = file_->bytes();
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(length >> 8 * i);
  std::memcpy(bytes.data() + 8, text.data(), length);
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Place place{bytes.subspan(8 + length + begin, ends[i] - begin),
                      static_cast<std::size_t>(find_dtype(tensors[i].dtype)->bits) / 8};
    places_.emplace(tensors[i].name, place);
    begin = ends[i];
  }
}

std::span<std::byte> SafetensorsWriter::data(std::string_view name) {
  const auto place = places_.find(name);
  return place == places_.end() ? std::span<std::byte>{} : place->second.bytes;
}

void SafetensorsWriter::commit() {
  if (kFilesAreForeign) {
    for (const auto& [name, place] : places_) reverse_words(place.bytes, place.word);
  }
  file_->commit();
}

}  // namespace mx::cli

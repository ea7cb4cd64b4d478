// SPDX-License-Identifier: Apache-2.0
#include "cli/archives/zip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <set>

#include "cli/base/error.hpp"
#include "cli/files/byte_order.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

constexpr std::uint64_t kEndBytes = 22;      // of the end record, without its comment
constexpr std::uint64_t kLocatorBytes = 20;  // of what leads to the end record of 64 bits
constexpr std::uint64_t kEnd64Bytes = 56;    // of that record
constexpr std::uint64_t kCentralBytes = 46;  // of an entry of the directory, without its name
constexpr std::uint64_t kLocalBytes = 30;    // of the header before the bytes of a file
constexpr std::uint64_t kMostComment = 65535;
constexpr std::uint64_t kMostInflation = 1032;  // deflate: 258 bytes of 2 bits

/// The archive with the file name that messages start with.
class Zip {
 public:
  Zip(std::string_view file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  [[nodiscard]] std::vector<ZipEntry> entries() const {
    const Directory directory = find_directory();
    std::vector<ZipEntry> list;
    std::vector<Place> places;
    std::set<std::string_view> names;
    std::uint64_t at = directory.begin;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
      at = take_entry(at, directory, list, places);
      if (names.insert(list.back().name).second) continue;
      refuse(at, "entry {}: appears twice", printable(list.back().name));
    }
    if (at != directory.begin + directory.size) refuse(at, "directory: is longer than its entries");
    check_places(places);
    std::erase_if(list, [](const ZipEntry& entry) { return entry.name.ends_with('/'); });
    return list;
  }

 private:
  struct Directory {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint64_t entries = 0;
  };
  /// Of a header and the bytes after it.
  struct Place {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string_view name;
  };

  template <typename... Args>
  [[noreturn]] void refuse(std::uint64_t at, fmt::format_string<Args...> format,
                           Args&&... args) const {
    fail(Exit::kBadInput, "{}: byte {}: zip {}", file_, at,
         fmt::format(format, std::forward<Args>(args)...));
  }

  /// A number of the archive; the caller knows that it lies inside.
  [[nodiscard]] std::uint64_t number(std::uint64_t at, std::size_t size) const {
    return little_endian(bytes_.subspan(at, size));
  }
  [[nodiscard]] bool has(std::uint64_t at, std::uint64_t size, std::string_view signature) const {
    return at <= bytes_.size() && size <= bytes_.size() - at &&
           text_of(bytes_).substr(at).starts_with(signature);
  }

  [[nodiscard]] std::uint64_t find_end() const {
    const std::uint64_t size = bytes_.size();
    const std::uint64_t least = size - std::min(size, kEndBytes + kMostComment);
    for (std::uint64_t at = size - std::min(size, kEndBytes) + 1; at-- > least;) {
      if (has(at, kEndBytes, "PK\x05\x06") && number(at + 20, 2) == size - at - kEndBytes)
        return at;
    }
    refuse(size, "directory: none at the end of the file; it is truncated, copy it again");
  }

  [[nodiscard]] Directory find_directory() const {
    const std::uint64_t end = find_end();
    Directory found{number(end + 16, 4), number(end + 12, 4), number(end + 10, 2)};
    std::uint64_t limit = end;
    bool is_split = number(end + 8, 2) != found.entries;
    if (end >= kLocatorBytes && has(end - kLocatorBytes, kLocatorBytes, "PK\x06\x07")) {
      limit = number(end - kLocatorBytes + 8, 8);
      if (!has(limit, kEnd64Bytes, "PK\x06\x06")) {
        refuse(end - kLocatorBytes, "directory: no end record of 64 bits at {}; damaged", limit);
      }
      found = {number(limit + 48, 8), number(limit + 40, 8), number(limit + 32, 8)};
      is_split = number(limit + 24, 8) != found.entries;
    }
    if (is_split) refuse(end, "archive: split over several files; join them first");
    if (found.begin > limit || found.size > limit - found.begin ||
        found.entries > found.size / kCentralBytes) {
      refuse(end, "directory: {} entries in {} bytes at {} do not lie before {}; damaged",
             found.entries, found.size, found.begin, limit);
    }
    return found;
  }

  /// Adds the entry at a place; gives the place of the next.
  [[nodiscard]] std::uint64_t take_entry(std::uint64_t at, const Directory& directory,
                                         std::vector<ZipEntry>& list,
                                         std::vector<Place>& places) const {
    const std::uint64_t left = directory.begin + directory.size - at;
    if (left < kCentralBytes || !has(at, kCentralBytes, "PK\x01\x02")) {
      refuse(at, "directory: no entry where one was announced; damaged");
    }
    const std::uint64_t name_size = number(at + 28, 2);
    const std::uint64_t extra_size = number(at + 30, 2);
    const std::uint64_t total = kCentralBytes + name_size + extra_size + number(at + 32, 2);
    if (total > left) refuse(at, "directory: an entry reaches beyond it; damaged");
    ZipEntry entry;
    entry.name = text_of(bytes_).substr(at + kCentralBytes, name_size);
    entry.is_encrypted = (number(at + 8, 2) & 1) != 0;
    entry.method = static_cast<unsigned>(number(at + 10, 2));
    entry.crc = static_cast<std::uint32_t>(number(at + 16, 4));
    entry.size = number(at + 24, 4);
    std::uint64_t packed = number(at + 20, 4);
    std::uint64_t header = number(at + 42, 4);
    take_wide(at + kCentralBytes + name_size, extra_size, {&entry.size, &packed, &header});
    if (header > directory.begin || !has(header, kLocalBytes, "PK\x03\x04")) {
      refuse(at + 42, "entry {}: no header at {}; damaged", printable(entry.name), header);
    }
    const std::uint64_t data =
        header + kLocalBytes + number(header + 26, 2) + number(header + 28, 2);
    if (data > directory.begin || packed > directory.begin - data) {
      refuse(at + 20, "entry {}: {} bytes at {} reach into the directory; damaged",
             printable(entry.name), packed, data);
    }
    if (text_of(bytes_).substr(header + kLocalBytes, number(header + 26, 2)) != entry.name) {
      refuse(header, "entry {}: its header has another name; damaged", printable(entry.name));
    }
    entry.packed = bytes_.subspan(data, packed);
    list.push_back(entry);
    places.push_back({header, data + packed, entry.name});
    return at + total;
  }

  /// Sizes and places of 64 bits: those that do not fit 32 stand in a field of their own, in order.
  void take_wide(std::uint64_t at, std::uint64_t size,
                 std::initializer_list<std::uint64_t*> numbers) const {
    const std::uint64_t end = at + size;
    while (end - at >= 4) {
      const std::uint64_t length = number(at + 2, 2);
      if (length > end - at - 4) return;  // of another meaning, cut short: nothing that is needed
      if (number(at, 2) == 1) {
        std::uint64_t next = at + 4;
        for (std::uint64_t* const each : numbers) {
          if (*each != 0xFFFFFFFF || at + 4 + length - next < 8) continue;
          *each = number(next, 8);
          next += 8;
        }
        return;
      }
      at += 4 + length;
    }
  }

  /// Entries that share bytes would let a small file stand for a large one.
  void check_places(std::vector<Place>& places) const {
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i].begin >= places[i - 1].end) continue;
      refuse(places[i].begin, "entry {}: lies inside {}", printable(places[i].name),
             printable(places[i - 1].name));
    }
  }

  std::string_view file_;
  std::span<const std::byte> bytes_;
};

/// Everything a stream of deflate holds, or nothing if it is not `size` bytes.
bool inflate_into(std::span<const std::byte> packed, std::span<std::byte> bytes) {
  constexpr std::size_t kStep = std::numeric_limits<uInt>::max();
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  int status = Z_OK;
  std::size_t taken = 0;
  std::size_t given = 0;
  std::byte past{};  // zlib wants a place even for nothing
  while (status == Z_OK) {
    const auto in = static_cast<uInt>(std::min(packed.size() - taken, kStep));
    const auto out = static_cast<uInt>(std::min(bytes.size() - given, kStep));
    // zlib reads what it is told to read; its interface does not say const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data())) + taken;
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(out == 0 ? &past : bytes.data() + given);
    stream.avail_out = out == 0 ? 1 : out;
    const uInt room = stream.avail_out;
    status = ::inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    if (out == 0 && stream.avail_out == 0) status = Z_DATA_ERROR;  // longer than announced
    if (out != 0) given += room - stream.avail_out;
    if (status == Z_OK && in == stream.avail_in && room == stream.avail_out) status = Z_BUF_ERROR;
  }
  ::inflateEnd(&stream);
  return status == Z_STREAM_END && given == bytes.size() && taken == packed.size();
}

std::uint32_t crc_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

bool starts_as_zip(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06");
}

std::vector<ZipEntry> read_zip(std::string_view file, std::span<const std::byte> bytes) {
  return Zip(file, bytes).entries();
}

bool zip_holds(std::span<const std::byte> bytes, std::string_view ending) {
  if (!starts_as_zip(bytes)) return false;
  try {
    const std::vector<ZipEntry> entries = read_zip("", bytes);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const ZipEntry& entry) { return entry.name.ends_with(ending); });
  } catch (const Error&) {
    return false;
  }
}

std::span<const std::byte> contents_of(std::string_view file, const ZipEntry& entry,
                                       std::vector<std::vector<std::byte>>& owned) {
  const auto refuse = [&](const std::string& problem) {
    fail(Exit::kBadInput, "{}: entry {}: {}", file, printable(entry.name), problem);
  };
  if (entry.is_encrypted) refuse("is encrypted; unpack it with its password and zip it without");
  if (entry.method == 0) {
    if (entry.size != entry.packed.size()) {
      refuse(fmt::format("{} bytes lie where {} are announced; damaged", entry.packed.size(),
                         entry.size));
    }
    return entry.packed;
  }
  if (entry.method != 8) {
    refuse(fmt::format("packed by method {}; stored (0) and deflated (8) are read: zip it again",
                       entry.method));
  }
  if (entry.size / kMostInflation > entry.packed.size()) {
    refuse(fmt::format("announces {} bytes, more than {} deflated ones can hold; damaged",
                       entry.size, entry.packed.size()));
  }
  std::vector<std::byte> bytes(entry.size);
  if (!inflate_into(entry.packed, bytes)) {
    refuse(fmt::format("does not inflate to the {} bytes announced; damaged, copy the file again",
                       entry.size));
  }
  if (crc_of(bytes) != entry.crc) refuse("its CRC is another; damaged, copy the file again");
  return owned.emplace_back(std::move(bytes));
}

}  // namespace mx::cli

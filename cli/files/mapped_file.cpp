#include "cli/files/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "cli/base/error.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/unfinished.hpp"

namespace mx::cli {
namespace {

namespace ipc = boost::interprocess;

/// What Boost maps.
struct OpenFile {
  int descriptor;
  [[nodiscard]] ipc::mapping_handle_t get_mapping_handle() const { return {descriptor, false}; }
};

/// Closes a descriptor at the end of a scope; standard input stays open.
struct Descriptor {
  int number = -1;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  explicit Descriptor(int n) : number(n) {}
  ~Descriptor() {
    if (number > STDIN_FILENO) ::close(number);
  }
};

std::vector<std::byte> read_all(int descriptor, const std::string& name) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 1 << 16> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(Exit::kBadInput, "{}: cannot read: {}", name, std::strerror(errno));
    if (count == 0) return bytes;
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + count);
  }
}

void drop_pages(std::span<const std::byte> part) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(part.data()) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(part.data()) + part.size()) / page * page;
  // Advice only: a kernel that declines it costs memory, not correctness.
  if (begin < end) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "standard input" : path.string();
  const Descriptor file(is_standard_input ? STDIN_FILENO
                                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0) fail(Exit::kBadInput, "{}: cannot open: {}", name, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number, &status) != 0) {
    fail(Exit::kBadInput, "{}: cannot stat: {}", name, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    fail(Exit::kBadInput, "{}: is a directory; name a file", name);
  }
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    memory_ = read_all(file.number, name);
    bytes_ = memory_;
  } else if (!S_ISREG(status.st_mode)) {
    fail(Exit::kBadInput, "{}: is a device; name a .npy or .safetensors file, or use a pipe", name);
  } else if (status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    try {
      map_ = std::make_unique<ipc::mapped_region>(OpenFile{file.number}, ipc::read_only, 0, size);
    } catch (const ipc::interprocess_exception& error) {
      fail(Exit::kBadInput, "{}: cannot map {} bytes: {}", name, size,
           std::strerror(error.get_native_error()));
    }
    bytes_ = {static_cast<const std::byte*>(map_->get_address()), size};
  }
  if (bytes_.empty()) fail(Exit::kBadInput, "{}: byte 0: the file is empty", name);
}

MappedFile::~MappedFile() = default;

void MappedFile::release(std::span<const std::byte> part) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const auto ours = reinterpret_cast<std::uintptr_t>(bytes_.data());
  if (map_ && begin >= ours && begin - ours < bytes_.size()) drop_pages(part);
}

OutputFile::OutputFile(const std::filesystem::path& path, std::uint64_t size) {
  try {
    file_ = std::make_unique<golden::NewFile>(path.string());
    if (!file_->is_regular()) scratch_ = std::make_unique<golden::NewFile>(scratch_beside(path));
  } catch (const golden::VectorError& error) {
    fail(Exit::kUnwritable, "{}", error.what());
  }
  map(path.string(), scratch_ ? scratch_->descriptor() : file_->descriptor(), size);
}

void OutputFile::map(const std::string& name, int descriptor, std::uint64_t size) {
  const auto require = [&](int error) {
    if (error == 0) return;
    fail(Exit::kUnwritable, "{}: cannot reserve {} bytes: {}", name, size, std::strerror(error));
  };
  require(size > static_cast<std::uint64_t>(INT64_MAX) ? EFBIG : 0);
  if (size == 0) return;
  require(::posix_fallocate(descriptor, 0, static_cast<off_t>(size)));
  try {
    map_ = std::make_unique<ipc::mapped_region>(OpenFile{descriptor}, ipc::read_write, 0, size);
  } catch (const ipc::interprocess_exception& error) {
    require(error.get_native_error());
  }
  bytes_ = {static_cast<std::byte*>(map_->get_address()), size};
}

OutputFile::~OutputFile() = default;

void OutputFile::release(std::span<const std::byte> part) const { drop_pages(part); }

void OutputFile::commit() {
  try {
    if (scratch_) file_->write({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
    file_->commit();
  } catch (const golden::VectorError& error) {
    fail(Exit::kUnwritable, "{}", error.what());
  }
}

std::filesystem::path scratch_beside(const std::filesystem::path& output) {
  const std::filesystem::file_status status = std::filesystem::status(output);
  const bool is_file = !golden::is_standard_output(output.string()) &&
                       (!std::filesystem::exists(status) || is_regular_file(status));
  const std::filesystem::path base =
      is_file ? output : std::filesystem::temp_directory_path() / "mxgold";
  return base.string() + ".unfinished";
}

void guard_mapped_files() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    constexpr std::string_view kMessage =
        "mxgold: a mapped file was cut short or its disk failed while in use\n";
    if (::write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) {
      // Nothing is left to tell it to.
    }
    golden::remove_unfinished();
    ::_exit(static_cast<int>(Exit::kBadInput));
  };
  ::sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit becomes an error of posix_fallocate
}

}  // namespace mx::cli

#include "cli/files/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cli/base/error.hpp"

namespace mx::cli {
namespace {

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
    fail(Exit::kBadInput, "{}: is a directory; name a .npy or .safetensors file", name);
  }
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) {
    memory_ = read_all(file.number, name);
    bytes_ = memory_;
  } else if (!S_ISREG(status.st_mode)) {
    fail(Exit::kBadInput, "{}: is a device; name a .npy or .safetensors file, or use a pipe", name);
  } else if (status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (address == MAP_FAILED) {
      fail(Exit::kBadInput, "{}: cannot map {} bytes: {}", name, size, std::strerror(errno));
    }
    is_mapped_ = true;
    bytes_ = {static_cast<const std::byte*>(address), size};
  }
  if (bytes_.empty()) fail(Exit::kBadInput, "{}: byte 0: the file is empty", name);
}

MappedFile::~MappedFile() {
  if (is_mapped_) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> part) const {
  if (is_mapped_) drop_pages(part);
}

OutputFile::OutputFile(std::filesystem::path path, std::uint64_t size) : path_(std::move(path)) {
  const std::string name = path_.string();
  const std::filesystem::file_status status = std::filesystem::status(path_);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fail(Exit::kUsage, "{}: cannot write: it exists and is not a regular file", name);
  }
  temporary_ = path_;
  temporary_.replace_filename(
      fmt::format(".{}.{}.tmp", path_.filename().string(), static_cast<long>(::getpid())));
  // Without a name until it is complete, so that a killed program leaves nothing; not every file
  // system has that.
  const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  is_named_ = descriptor_ < 0;
  if (is_named_) {
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor_ < 0) {
    const int error = std::exchange(errno, 0);
    is_named_ = false;
    fail(Exit::kUsage, "{}: cannot write: {}; check the folder of -o", name, std::strerror(error));
  }
  const auto undo = [&](int error) {
    ::close(descriptor_);
    if (is_named_) ::unlink(temporary_.c_str());
    fail(Exit::kUsage, "{}: cannot reserve {} bytes: {}", name, size, std::strerror(error));
  };
  if (size > static_cast<std::uint64_t>(INT64_MAX)) undo(EFBIG);
  if (size == 0) return;
  const int error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(size));
  if (error != 0) undo(error);
  void* const address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (address == MAP_FAILED) undo(errno);
  bytes_ = {static_cast<std::byte*>(address), size};
}

OutputFile::~OutputFile() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
  if (is_named_) ::unlink(temporary_.c_str());
}

void OutputFile::release(std::span<const std::byte> part) const { drop_pages(part); }

void OutputFile::commit() {
  if (::fsync(descriptor_) != 0) {
    fail(Exit::kUsage, "{}: cannot write: {}", path_.string(), std::strerror(errno));
  }
  if (!is_named_) {
    const std::string link = fmt::format("/proc/self/fd/{}", descriptor_);
    if (::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      fail(Exit::kUsage, "{}: cannot name the finished file: {}", path_.string(),
           std::strerror(errno));
    }
    is_named_ = true;
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail(Exit::kUsage, "{}: cannot rename the finished file to it: {}", path_.string(),
         std::strerror(errno));
  }
  is_named_ = false;
}

void guard_mapped_files() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    constexpr std::string_view kMessage =
        "mxgold: a mapped file was cut short or its disk failed while in use\n";
    if (::write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) {
      // Nothing is left to tell it to.
    }
    ::_exit(static_cast<int>(Exit::kBadInput));
  };
  ::sigaction(SIGBUS, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit becomes an error of posix_fallocate
}

}  // namespace mx::cli

#include "sim/process/fifos.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "golden/bytes/host_error.hpp"

namespace mx::sim {

Fifos::Fifos() {
  std::error_code problem;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(problem);
  if (problem) {
    throw golden::HostError(fmt::format(
        "cannot make a folder for named pipes: {}; set TMPDIR to a folder", problem.message()));
  }
  folder_ = (temporary / "mxgold.XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) {
    throw golden::HostError(
        fmt::format("cannot make a folder {} for named pipes: {}", folder_, std::strerror(errno)));
  }
  in_ = folder_ + "/in";
  out_ = folder_ + "/out";
  folder_name_ = std::make_unique<golden::UnfinishedName>(folder_);
  in_name_ = std::make_unique<golden::UnfinishedName>(in_);
  out_name_ = std::make_unique<golden::UnfinishedName>(out_);
  for (const std::string& path : {in_, out_}) {
    if (::mkfifo(path.c_str(), 0600) == 0) continue;
    const std::string why = std::strerror(errno);
    remove();
    throw golden::HostError(fmt::format("cannot make a named pipe {}: {}", path, why));
  }
}

Fifos::~Fifos() { remove(); }

void Fifos::remove() {
  ::unlink(in_.c_str());
  ::unlink(out_.c_str());
  ::rmdir(folder_.c_str());
}

}  // namespace mx::sim

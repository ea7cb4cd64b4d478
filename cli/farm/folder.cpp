#include "cli/farm/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/base/error.hpp"
#include "cli/sweep/receipt.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/source.hpp"

namespace mx::cli {
namespace {

namespace fs = std::filesystem;

/// A file that lies among the receipts: a pipe there would be waited for.
std::string text_of_file(const std::string& path) {
  return golden::whole_text(path, {kMostReceiptBytes, "take it away", golden::Pipes::kRefused});
}

/// "" of a file; what else it is. A link is another place's file, and reading a pipe may never end.
std::string_view no_file(fs::file_type type) {
  switch (type) {
    case fs::file_type::regular:
      return "";
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::symlink:
      return "a link";
    case fs::file_type::fifo:
      return "a named pipe";
    default:
      return "a device or socket";
  }
}

/// Names without those that begin with a point: such are not yet receipts. Error kBadInput where
/// receipts/ is a link: what lies behind it is of others.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::file_type type = fs::symlink_status(folder, error).type();
  if (type == fs::file_type::not_found) return names;
  if (type != fs::file_type::directory) {
    fail(Exit::kBadInput, "{}: is {}, no folder of the campaign's own: put the folder back", folder,
         type == fs::file_type::regular ? "a file" : no_file(type));
  }
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  if (error) fail(Exit::kBadInput, "{}: cannot be read: {}", folder, error.message());
  std::ranges::sort(names);
  return names;
}

/// 0042.json.
bool is_name_of_receipt(std::string_view name) {
  constexpr std::string_view kEnd = ".json";
  if (!name.ends_with(kEnd) || name.size() == kEnd.size()) return false;
  name.remove_suffix(kEnd.size());
  return name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A folder and those around it that do not exist, the outermost first.
std::vector<std::string> missing_of(const std::string& folder) {
  std::vector<std::string> missing;
  for (fs::path path = folder; !path.empty() && !fs::exists(path); path = path.parent_path()) {
    missing.push_back(path.string());
  }
  std::ranges::reverse(missing);
  return missing;
}

/// The innermost first. A folder that others have put something in stays.
void remove_made(const std::vector<std::string>& made) {
  std::for_each(made.rbegin(), made.rend(), [](const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
  });
}

/// Is the open file the one of that name? One that a farm before has removed is not.
bool is_file_of(int descriptor, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

/// Empty, or with the word for people that a farm leaves.
bool is_lock(int descriptor) {
  struct stat open {};
  std::array<char, 8> text{};
  if (::fstat(descriptor, &open) != 0 || !S_ISREG(open.st_mode)) return false;
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size == 0 || std::string_view(text.data(), text.size()) == "process ";
}

std::string problem_of(const std::string& folder, const Campaign& campaign, const std::string& path,
                       const ShardReceipt& receipt, const Survey& known) {
  std::string problem = receipt_problem(campaign, receipt);
  if (!problem.empty()) return problem;
  const std::string own = receipt_path(folder, campaign, receipt.shard);
  if (path == own) return {};
  return fmt::format("repeats shard {}, whose receipt is {}{}", receipt.shard, own,
                     known.has[receipt.shard] ? "" : " (or should be)");
}

}  // namespace

std::vector<std::uint64_t> Survey::missing() const {
  std::vector<std::uint64_t> shards;
  for (std::uint64_t i = 0; i < has.size(); ++i) {
    if (!has[i]) shards.push_back(i);
  }
  return shards;
}

Survey survey(
    const std::string& folder, const Campaign& campaign,
    const std::function<void(const std::string&, const std::string&, const ShardReceipt&)>& each) {
  Survey all;
  all.has.resize(campaign.shards);
  for (const std::string& name : names_in(folder + "/receipts")) {
    const std::string path = fmt::format("{}/receipts/{}", folder, name);
    // Messages begin with the path.
    const auto behind_path = [&](const std::exception& error) {
      return std::string(error.what()).substr(path.size() + 2);
    };
    const auto is_receipt = [&](const std::string& content) {
      return is_name_of_receipt(name) || content.find(kFarmReceiptSchema) != std::string::npos;
    };
    std::error_code unknown;
    const std::string_view other = no_file(fs::symlink_status(path, unknown).type());
    if (!other.empty()) {
      all.bad.push_back({path, fmt::format("is {}, no file", other), false});
      continue;
    }
    std::string text;
    try {
      text = text_of_file(path);
      const ShardReceipt receipt = parse_shard_receipt(path, text);
      std::string problem = problem_of(folder, campaign, path, receipt, all);
      if (problem.empty()) problem = contradiction_of(path, campaign, receipt);
      if (!problem.empty()) {
        all.bad.push_back({path, problem, true});
        continue;
      }
      all.has[receipt.shard] = true;
      ++all.shards_done;
      all.compared += receipt.compared;
      all.wrong += receipt.wrong;
      all.seconds += receipt.seconds;
      if (each) each(path, text, receipt);
    } catch (const Error& error) {
      all.bad.push_back({path, behind_path(error), is_receipt(text)});
    } catch (const golden::VectorError& error) {
      all.bad.push_back({path, behind_path(error), is_receipt(text)});
    }
  }
  return all;
}

std::uint64_t count_receipts(const std::string& folder) {
  return names_in(folder + "/receipts").size();
}

void require_good(const std::string& folder, const Survey& survey) {
  if (survey.bad.empty()) return;
  constexpr std::size_t kShown = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, survey.bad.size()); ++i) {
    text += fmt::format("{}: {}\n", survey.bad[i].path, survey.bad[i].problem);
  }
  const bool can_forget = std::ranges::any_of(survey.bad, &BadReceipt::is_receipt);
  fail(Exit::kBadInput, "{} files in {}/receipts are no receipts of this campaign:\n{}{}{}",
       survey.bad.size(), folder, text, survey.bad.size() > kShown ? "...\n" : "",
       can_forget ? "remove them, or start again with --forget-bad, which does: their shards are "
                    "then computed again"
                  : "take them away; --forget-bad removes receipts alone");
}

void forget_bad(const std::string& folder, Survey survey) {
  for (const BadReceipt& each : survey.bad) {
    if (!each.is_receipt) continue;
    std::error_code error;
    fs::remove(each.path, error);
    if (error) fail(Exit::kUnwritable, "{}: cannot be removed: {}", each.path, error.message());
    fmt::print(stderr, "mxgold farm: removed {}: {}\n", each.path, each.problem);
  }
  std::erase_if(survey.bad, [](const BadReceipt& each) { return each.is_receipt; });
  require_good(folder, survey);
}

void write_receipt(const std::string& folder, const Campaign& campaign,
                   const ShardReceipt& receipt) {
  try {
    golden::write_file(receipt_path(folder, campaign, receipt.shard), shard_receipt_text(receipt));
  } catch (const golden::VectorError& error) {
    throw Error(Exit::kUnwritable, error.what());
  }
}

FolderLock::FolderLock(const std::string& folder) : folder_(folder) {
  std::error_code error;
  const std::string path = folder + "/lock";
  made_ = missing_of(folder + "/receipts");
  if (!fs::exists(path)) made_.push_back(path);
  fs::create_directories(folder + "/receipts", error);
  if (error) {
    fail(Exit::kUnwritable, "{}: cannot be made: {}; name a folder that can be written", folder,
         error.message());
  }
  static_cast<void>(names_in(folder + "/receipts"));  // no link
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor_ < 0) {
    fail(Exit::kUnwritable, "{}: cannot be opened: {}; name a folder that can be written", path,
         std::strerror(errno));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    std::array<char, 300> who{};
    const ssize_t size = ::read(descriptor_, who.data(), who.size() - 1);
    fail(Exit::kUsage, "{}: another farm is at work on this campaign ({}): wait for it or end it",
         path, size > 0 ? std::string(who.data(), static_cast<std::size_t>(size)) : "unknown");
  }
  if (!is_lock(descriptor_)) {
    ::close(descriptor_);
    remove_made(made_);
    fail(Exit::kUsage, "{}: is no lock of a farm and would be written over: name another folder",
         path);
  }
  if (!is_file_of(descriptor_, path)) {
    ::close(descriptor_);
    fail(Exit::kUsage, "{}: another farm has just ended here: start again", path);
  }
  std::array<char, 256> host{};
  static_cast<void>(::gethostname(host.data(), host.size() - 1));
  const std::string who = fmt::format("process {} on {}", ::getpid(), host.data());
  // Only a word for people: a full disk may leave it out.
  if (::ftruncate(descriptor_, 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::write(descriptor_, who.data(), who.size());
  }
}

FolderLock::~FolderLock() {
  // Still locked: nobody begins a campaign here meanwhile.
  if (!fs::exists(manifest_of(folder_))) {
    remove_made(made_);
  }
  ::close(descriptor_);
}

}  // namespace mx::cli

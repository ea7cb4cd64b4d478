#include "cli/farm/slurm.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "cli/base/error.hpp"
#include "cli/parts/child.hpp"
#include "cli/text/command_text.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

namespace fs = std::filesystem;

std::string without_line_feed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

/// What a command of Slurm says. Error kBadInput where it is not there or refuses.
std::string ask(const std::string& program, const std::vector<std::string>& arguments) {
  const ChildEnd end = run_child(program, arguments, "");
  constexpr int kNotStarted = 127;
  if (end.signal == 0 && end.status == 0) return without_line_feed(end.out);
  if (end.status == kNotStarted) {
    fail(Exit::kBadInput, "{}: not found: install Slurm's commands (slurm-wlm), or use --local",
         program);
  }
  fail(Exit::kBadInput, "{}: {}", program, without_line_feed(end.err));
}

/// Jobs carry campaign and folder in their names: that is how they are found again.
std::string job_name(const std::string& folder, const Campaign& campaign) {
  return fmt::format("mxgold-{:.16}", golden::to_hex(golden::sha256(campaign.id() + " " + folder)));
}
std::string end_name(const std::string& folder, const Campaign& campaign) {
  return job_name(folder, campaign) + "-end";
}

std::uint64_t most_tasks() {
  std::istringstream lines(ask("scontrol", {"show", "config"}));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("MaxArraySize")) continue;
    const std::size_t at = line.find('=');
    return at == std::string::npos ? 1
                                   : std::max<std::uint64_t>(1, std::stoull(line.substr(at + 1)));
  }
  constexpr std::uint64_t kDefault = 1001;  // of Slurm
  return kDefault;
}

/// A script that becomes this program; Slurm keeps a copy of it. Who submits it trusts the command.
std::string script(const std::string& path, const std::string& arguments) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  golden::write_file(
      path, fmt::format("#!/bin/sh\nexec {} farm {} --trust\n", shell_quoted(program), arguments));
  return path;
}

/// What all jobs of a campaign are given. Of two the last holds: the user may ask for more
/// processors, and not for another folder.
std::vector<std::string> common(const std::string& folder, const SlurmOptions& options) {
  std::vector<std::string> words = {fmt::format("--cpus-per-task={}", options.threads)};
  const std::vector<std::string> own = split_words(options.sbatch);
  words.insert(words.end(), own.begin(), own.end());
  words.insert(words.end(), {"--parsable", "--chdir=" + folder});
  return words;
}

std::string submit_end(const std::string& folder, const Campaign& campaign,
                       const std::string& behind, int round, const SlurmOptions& options) {
  std::vector<std::string> words = common(folder, options);
  // afterany, not afterok: what is missing is to be said, and submitted again.
  words.insert(words.end(),
               {"--job-name=" + end_name(folder, campaign), "--dependency=afterany:" + behind,
                fmt::format("--output={}/slurm/end-{}.txt", folder, round),
                script(folder + "/slurm/end.sh",
                       fmt::format("{} --round {} --retries {} --threads {} --sbatch {}",
                                   shell_quoted(folder), round + 1, options.retries,
                                   options.threads, shell_quoted(options.sbatch + " ")))});
  return ask("sbatch", words);
}

}  // namespace

std::vector<std::uint64_t> shards_of_task(const Campaign& campaign, std::uint64_t tasks,
                                          std::uint64_t task) {
  const std::uint64_t group = (campaign.shards + tasks - 1) / tasks;
  std::vector<std::uint64_t> shards;
  for (std::uint64_t i = task * group; i < std::min(campaign.shards, (task + 1) * group); ++i) {
    shards.push_back(i);
  }
  return shards;
}

std::string array_text(const std::vector<std::uint64_t>& tasks) {
  std::string text;
  for (std::size_t i = 0; i < tasks.size();) {
    std::size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", tasks[i]) : fmt::format("{}-{}", tasks[i], tasks[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool is_word = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0' ? c == quote : (c == '\'' || c == '"')) {
      quote = quote != '\0' ? '\0' : c;
      is_word = true;
    } else if (quote == '\0' && c == ' ') {
      if (is_word) words.push_back(std::exchange(word, {}));
      is_word = false;
    } else {
      word += c;
      is_word = true;
    }
  }
  if (quote != '\0') fail(Exit::kUsage, "--sbatch {}: a quote without its end", text);
  if (is_word) words.push_back(word);
  return words;
}

std::vector<std::string> live_jobs(const std::string& folder, const Campaign& campaign) {
  const std::string names = job_name(folder, campaign) + "," + end_name(folder, campaign);
  std::istringstream lines(ask("squeue", {"--noheader", "--name=" + names, "--format=%A"}));
  std::set<std::string> jobs;
  for (std::string job; lines >> job;) jobs.insert(job);
  return {jobs.begin(), jobs.end()};
}

std::string submit(const std::string& folder, const Campaign& campaign,
                   const std::vector<std::uint64_t>& missing, int round,
                   const SlurmOptions& options) {
  std::error_code error;
  fs::create_directories(folder + "/slurm", error);
  const std::uint64_t most = std::min(most_tasks(), campaign.shards);
  const std::uint64_t group = (campaign.shards + most - 1) / most;
  std::set<std::uint64_t> tasks;
  for (const std::uint64_t shard : missing) tasks.insert(shard / group);
  const std::string array = array_text({tasks.begin(), tasks.end()});
  std::vector<std::string> words = common(folder, options);
  words.insert(words.end(),
               {"--job-name=" + job_name(folder, campaign), "--array=" + array,
                "--output=" + folder + "/slurm/task-%a.txt",
                script(folder + "/slurm/task.sh",
                       fmt::format("{} --task \"$SLURM_ARRAY_TASK_ID\" --tasks {} --retries {} "
                                   "--threads {}",
                                   shell_quoted(folder), most, options.retries, options.threads))});
  const std::string job = ask("sbatch", words);
  const std::string end = submit_end(folder, campaign, job, round, options);
  return fmt::format("submitted job {} with {} tasks for {} shards, and job {} behind it", job,
                     tasks.size(), missing.size(), end);
}

void submit_end_if_missing(const std::string& folder, const Campaign& campaign,
                           const std::vector<std::string>& jobs, const SlurmOptions& options) {
  const std::string ends =
      ask("squeue", {"--noheader", "--name=" + end_name(folder, campaign), "--format=%A"});
  if (!ends.empty()) return;
  static_cast<void>(
      submit_end(folder, campaign, fmt::format("{}", fmt::join(jobs, ":")), 0, options));
}

}  // namespace mx::cli

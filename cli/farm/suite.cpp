#include "cli/farm/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/parts/child.hpp"
#include "cli/parts/part.hpp"
#include "cli/sweep/receipt.hpp"
#include "cli/text/command_text.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Options that a farm gives itself, or whose outputs shards would write over each other.
constexpr std::array<std::string_view, 15> kOwnOptions = {
    "--shard",  "--json",  "--dry-run",     "--output", "-o",     "--junit", "--html", "--cover",
    "--shrink", "--waves", "--shrink-time", "--only",   "--list", "--logs",  "--help"};

/// The last lines of what a program said, for a message of one line.
std::string said_of(const ChildEnd& end) {
  std::string text = end.err;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  constexpr std::size_t kMost = 2000;
  if (text.size() > kMost) text = "..." + text.substr(text.size() - kMost);
  return text;
}

/// The command, with `more` before the options that the user gave (the last of two holds) and
/// `last` behind them.
std::vector<std::string> with(const std::vector<std::string>& command,
                              const std::vector<std::string>& more,
                              const std::vector<std::string>& last) {
  std::vector<std::string> words = {command.front()};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), command.begin() + 1, command.end());
  words.insert(words.end(), last.begin(), last.end());
  return words;
}

/// What a person types.
std::string command_text(const std::vector<std::string>& words) {
  std::string text(program_name());
  for (const std::string& word : words) text += " " + shell_quoted(word);
  return text;
}

ShardEnd lost(const ChildEnd& end) {
  ShardEnd result;
  if (end.signal != 0) {
    result.message = fmt::format("killed by signal {} ({})", end.signal, ::strsignal(end.signal));
    result.exit = Exit::kInternal;
    return result;
  }
  result.exit =
      end.status >= 2 && end.status <= 7 ? static_cast<Exit>(end.status) : Exit::kInternal;
  result.is_final = result.exit == Exit::kUsage || result.exit == Exit::kBadInput;
  result.message = fmt::format("ended with status {}{}{}", end.status, end.err.empty() ? "" : ": ",
                               said_of(end));
  return result;
}

std::string joined_devices(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, "; "));
}

/// What a campaign's device list says of those that answered: the list, or they.
std::string device_of(const Campaign& campaign, const std::vector<std::string>& answered) {
  const std::string listed = "; " + campaign.dut + "; ";
  const bool is_listed = std::ranges::all_of(answered, [&](const std::string& name) {
    return listed.find("; " + name + "; ") != std::string::npos;
  });
  return is_listed ? campaign.dut : joined_devices(answered);
}

ShardEnd ended(ShardReceipt receipt, std::string message) {
  ShardEnd end;
  end.exit = receipt.is_right() ? Exit::kPass : Exit::kMismatch;
  end.message = std::move(message);
  end.is_final = true;
  end.receipt = std::move(receipt);
  return end;
}

/// A sweep takes any part of its segments at once.
ShardEnd run_sweep(const Campaign& campaign, std::uint64_t shard, int threads) {
  const std::string part = fmt::format("{}/{}", shard, campaign.shards);
  const ChildEnd end =
      run_this_program(with(campaign.command, {"--threads", fmt::format("{}", threads)},
                            {"--shard", part, "--json"}),
                       campaign.folder);
  const bool is_verdict =
      end.signal == 0 && find_farmed(campaign.suite())->is_verdict(end.status) && !end.out.empty();
  if (!is_verdict) return lost(end);
  const Receipt swept = parse_receipt("the receipt of shard " + part, end.out);
  ShardReceipt receipt = receipt_of_shard(campaign, shard);
  std::vector<std::string> devices;
  std::string message;
  for (const Sweep& each : swept.sweeps) {
    receipt.compared += each.compared;
    receipt.wrong += each.mismatches;
    devices.push_back(each.dut);
    if (!each.first || !message.empty()) continue;
    message = fmt::format("{}: word {} gives {}, the certificate says {}", summary_of(each),
                          golden::hex(each.first->word, 32), golden::hex(each.first->code, 8),
                          golden::hex(each.first->expected, 8));
  }
  receipt.dut = device_of(campaign, devices);
  receipt.seconds = end.seconds;
  receipt.result = golden::json_of_file("the receipt of shard " + part, end.out).dump();
  return ended(std::move(receipt), std::move(message));
}

/// A part's report with its number and, where it is wrong, the command that shows it.
Json numbered(const Campaign& campaign, std::uint64_t number, const std::string& of_part,
              PartReport report) {
  Json part = {{"part", number}};
  part.update(report.part);
  if (part.at("wrong") != 0 && !part.contains("replay")) {
    part["replay"] = command_text(with(campaign.command, {}, {"--shard", of_part}));
  }
  return part;
}

/// Others take one part after the other, each by a program of its own.
ShardEnd run_parts(const Campaign& campaign, std::uint64_t shard, int threads) {
  const FarmedCommand& farmed = *find_farmed(campaign.suite());
  ShardReceipt receipt = receipt_of_shard(campaign, shard);
  Json parts = Json::array();
  std::string message;
  const PartRange range = parts_of(campaign, shard);
  for (std::uint64_t i = range.first; i < range.last; ++i) {
    const std::string of_part = fmt::format("{}/{}", i, campaign.parts);
    const ChildEnd end =
        run_this_program(with(campaign.command, {"--threads", fmt::format("{}", threads)},
                              {"--shard", of_part, "--json"}),
                         campaign.folder);
    const bool is_verdict = end.signal == 0 && farmed.is_verdict(end.status) && !end.out.empty();
    if (!is_verdict) return lost(end);
    PartReport report =
        farmed.part_of(golden::json_of_file("the report of part " + of_part, end.out), end.status);
    if (!report.device.empty() && report.device != campaign.dut) receipt.dut = report.device;
    const Json& part = parts.emplace_back(numbered(campaign, i, of_part, std::move(report)));
    receipt.compared += golden::whole<std::uint64_t>(part.at("words"));
    receipt.wrong += golden::whole<std::uint64_t>(part.at("wrong"));
    receipt.seconds += end.seconds;
    if (part.contains("replay") && message.empty()) {
      message = "replay: " + part.at("replay").get<std::string>();
    }
  }
  receipt.result = parts.dump();
  return ended(std::move(receipt), std::move(message));
}

/// Parts of a run, a function of its size alone: digests are of parts.
std::uint64_t parts_of_run(std::uint64_t cases, std::uint64_t most) {
  constexpr std::uint64_t kFew = 256, kMany = 1 << 20, kCases = 1 << 20;
  return std::min(most, std::clamp<std::uint64_t>(cases / kCases, kFew, kMany));
}

Campaign plan_from(const std::vector<std::string>& command, const std::string& folder) {
  const ChildEnd end = run_this_program(with(command, {}, {"--dry-run", "--json"}), folder);
  if (end.signal != 0 || end.status != 0) {
    const ShardEnd why = lost(end);
    fail(why.exit, "`mxgold {} --dry-run` {}", command.front(), why.message);
  }
  const Json plan = golden::json_of_file("the plan", end.out);
  Campaign campaign;
  campaign.command = command;
  campaign.folder = folder;
  campaign.parts = golden::whole<std::uint64_t>(plan.at("parts"));
  campaign.reads = plan.value("reads", std::vector<std::string>());
  if (command.front() == "sweep") {
    std::vector<std::string> devices;
    for (const Json& each : plan.at("sweeps")) devices.push_back(each.at("dut"));
    campaign.sweeps = devices.size();
    campaign.dut = joined_devices(devices);
    campaign.judge = "certificates";
    campaign.unit = find_farmed(command.front())->unit;
    campaign.work = golden::whole<std::uint64_t>(plan.at("words"));
    return campaign;
  }
  campaign.dut = plan.at("dut").get<std::string>();
  campaign.judge = plan.at("judge").get<std::string>();
  campaign.unit = find_farmed(command.front())->unit;
  campaign.work = golden::whole<std::uint64_t>(plan.at("cases"));
  if (command.front() == "run") campaign.parts = parts_of_run(campaign.work, campaign.parts);
  return campaign;
}

}  // namespace

void require_farmed(const std::vector<std::string>& command) {
  if (command.empty()) {
    fail(Exit::kUsage,
         "nothing to farm: give the command behind --, as in -- sweep --format e4m3fn");
  }
  const FarmedCommand* const farmed = find_farmed(command.front());
  if (farmed == nullptr) {
    std::vector<std::string_view> names;
    for (const FarmedCommand& each : farmed_commands()) names.push_back(each.name);
    fail(Exit::kUsage, "{}: cannot be farmed: it has no shards with receipts; {} have",
         printable(command.front()), fmt::join(names, ", "));
  }
  for (const std::string& word : command) {
    const bool is_short = word.starts_with("-o");  // its value may follow without a blank
    const std::string name = is_short ? "-o" : word.substr(0, word.find('='));
    if (std::ranges::find(kOwnOptions, name) != kOwnOptions.end()) {
      fail(Exit::kUsage, "{}: not in a farm's command: shards get their own; leave it out", word);
    }
    if (std::ranges::find(farmed->refused, name) != farmed->refused.end()) {
      fail(Exit::kUsage, "{}: not in a farm's command: it says nothing of a shard; leave it out",
           word);
    }
  }
}

Campaign planned(const std::vector<std::string>& command, const std::string& folder) {
  require_farmed(command);
  Campaign campaign = plan_from(command, folder);
  campaign.version = version();
  campaign.commit = commit();
  campaign.sources = source_digest();
  campaign.files = inputs_of(command, campaign.reads, folder);
  require_text(campaign);
  if (campaign.parts == 0) {
    fail(Exit::kUsage, "`mxgold {}` has no part to farm", fmt::join(command, " "));
  }
  return campaign;
}

ShardEnd run_shard(const Campaign& campaign, std::uint64_t shard, int threads) {
  try {
    return campaign.suite() == "sweep" ? run_sweep(campaign, shard, threads)
                                       : run_parts(campaign, shard, threads);
  } catch (const nlohmann::json::exception& error) {
    return {{}, fmt::format("its report is no report: {}", error.what()), Exit::kInternal, false};
  } catch (const Error& error) {
    return {{}, error.what(), error.exit(), false};
  }
}

}  // namespace mx::cli

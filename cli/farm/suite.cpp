#include "cli/farm/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/base/source_digest.hpp"
#include "cli/farm/child.hpp"
#include "cli/sweep/receipt.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kFarmed = {"sweep", "run", "prove"};

/// Options that a farm gives itself, or whose outputs shards would write over each other.
constexpr std::array<std::string_view, 15> kOwn = {
    "--shard",  "--json",  "--dry-run",     "--output", "-o",     "--junit", "--html", "--cover",
    "--shrink", "--waves", "--shrink-time", "--only",   "--list", "--logs",  "--help"};

void require_farmed(const std::vector<std::string>& command) {
  if (command.empty()) {
    fail(Exit::kUsage,
         "nothing to farm: give the command behind --, as in -- sweep --format e4m3fn");
  }
  if (std::ranges::find(kFarmed, command.front()) == kFarmed.end()) {
    fail(Exit::kUsage,
         "{}: cannot be farmed: it has no shards with receipts; sweep, run and prove have",
         printable(command.front()));
  }
  for (const std::string& word : command) {
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(kOwn, name) == kOwn.end()) continue;
    fail(Exit::kUsage, "{}: not in a farm's command: shards get their own; leave it out", word);
  }
}

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

ShardEnd lost(const ChildEnd& end) {
  ShardEnd result;
  if (end.signal != 0) {
    result.message = fmt::format("killed by signal {} ({})", end.signal, ::strsignal(end.signal));
    result.exit = Exit::kInternal;
    return result;
  }
  result.exit =
      end.status >= 2 && end.status <= 6 ? static_cast<Exit>(end.status) : Exit::kInternal;
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
  if (end.signal != 0 || end.status > 1) return lost(end);
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
  receipt.result = Json::parse(end.out).dump();
  return ended(std::move(receipt), std::move(message));
}

/// What one part of a run says of itself.
Json part_of_run(const Json& report, std::string& device) {
  device = report.at("dut").get<std::string>();
  const bool is_stream = report.contains("blocks");
  Json part = {
      {"cases", is_stream ? report.at("blocks").at("checked") : report.at("records")},
      {"words", is_stream ? report.at("words").at("compared") : report.at("words_compared")},
      {"wrong", is_stream ? report.at("blocks").at("wrong") : report.at("mismatches")},
      {"digest", report.at("digest")}};
  for (const Json& cell : report.at("cells")) {
    if (!cell.contains("first_mismatch")) continue;
    part["replay"] = cell.at("first_mismatch").at("replay");
    break;
  }
  return part;
}

/// What one statement came to, its time left out: a receipt's digest is of verdicts.
Json part_of_proof(const Json& report, std::string& device) {
  device = report.at("rtl").get<std::string>();
  const Json& statement = report.at("statements").at(0);
  const auto verdict = statement.at("verdict").get<std::string>();
  const bool is_refuted = verdict != "proved" && verdict != "held";
  Json part = {{"cases", 1},
               {"words", 1},
               {"wrong", is_refuted ? 1 : 0},
               {"name", statement.at("name")},
               {"verdict", verdict},
               {"control", statement.value("control", "not asked")}};
  part["digest"] = golden::to_hex(golden::sha256(part.dump()));
  if (is_refuted) part["replay"] = "mxgold prove " + statement.at("name").get<std::string>();
  return part;
}

/// Others take one part after the other, each by a program of its own.
ShardEnd run_parts(const Campaign& campaign, std::uint64_t shard, int threads) {
  ShardReceipt receipt = receipt_of_shard(campaign, shard);
  Json parts = Json::array();
  std::string message;
  const PartRange range = parts_of(campaign, shard);
  for (std::uint64_t i = range.first; i < range.last; ++i) {
    const ChildEnd end =
        run_this_program(with(campaign.command, {"--threads", fmt::format("{}", threads)},
                              {"--shard", fmt::format("{}/{}", i, campaign.parts), "--json"}),
                         campaign.folder);
    if (end.signal != 0 || end.status > 1) return lost(end);
    const Json report = Json::parse(end.out);
    std::string device;
    Json part =
        campaign.suite() == "run" ? part_of_run(report, device) : part_of_proof(report, device);
    if (device != campaign.dut) receipt.dut = device;
    const auto wrong =
        std::max(part.at("wrong").get<std::uint64_t>(), std::uint64_t{end.status == 1 ? 1U : 0U});
    part["wrong"] = wrong;
    receipt.compared += part.at("words").get<std::uint64_t>();
    receipt.wrong += wrong;
    receipt.seconds += end.seconds;
    if (wrong != 0 && message.empty()) message = "replay: " + part.value("replay", "none");
    Json numbered = {{"part", i}};
    numbered.update(part);
    parts.push_back(std::move(numbered));
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
  const Json plan = Json::parse(end.out);
  Campaign campaign;
  campaign.command = command;
  campaign.folder = folder;
  campaign.parts = plan.at("parts").get<std::uint64_t>();
  if (command.front() == "sweep") {
    std::vector<std::string> devices;
    for (const Json& each : plan.at("sweeps")) devices.push_back(each.at("dut"));
    campaign.sweeps = devices.size();
    campaign.dut = joined_devices(devices);
    campaign.judge = "certificates";
    campaign.unit = "words";
    campaign.work = plan.at("words").get<std::uint64_t>();
    return campaign;
  }
  campaign.dut = plan.at("dut").get<std::string>();
  campaign.judge = plan.at("judge").get<std::string>();
  campaign.unit = command.front() == "run" ? "words compared" : "statements";
  campaign.work = plan.at("cases").get<std::uint64_t>();
  if (command.front() == "run") campaign.parts = parts_of_run(campaign.work, campaign.parts);
  return campaign;
}

}  // namespace

Campaign planned(const std::vector<std::string>& command, const std::string& folder) {
  require_farmed(command);
  Campaign campaign = plan_from(command, folder);
  campaign.version = version();
  campaign.commit = commit();
  campaign.sources = source_digest();
  campaign.files = named_files(command, folder);
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

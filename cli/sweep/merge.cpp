#include "cli/sweep/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "golden/configuration/text.hpp"

namespace mx::cli {
namespace {

/// Who swept a segment, and what came out.
struct Held {
  golden::Digest digest{};
  const std::string* receipt = nullptr;
};

/// One conversion while receipts come in.
struct Collected {
  const Sweep* sweep = nullptr;
  std::vector<std::optional<Held>> segments;
  std::vector<std::string> conflicts;
  std::uint64_t mismatches = 0;
  double seconds = 0;
};

/// Everything that may change an answer, and who gave it.
using Key =
    std::tuple<golden::ConfigurationFields, std::uint8_t, SweptWords, std::string, std::string>;

void add(Collected& all, const NamedReceipt& from, const Sweep& sweep,
         std::vector<std::string>& notes) {
  std::uint64_t again = 0;
  for (std::uint64_t i = 0; i < sweep.digests.size(); ++i) {
    std::optional<Held>& held = all.segments[sweep.segments.first + i];
    if (!held) {
      held = Held{sweep.digests[i], &from.name};
    } else if (held->digest == sweep.digests[i]) {
      ++again;
    } else {
      all.conflicts.push_back(fmt::format("segment {}: {} and {} have other digests",
                                          sweep.segments.first + i, *held->receipt, from.name));
    }
  }
  if (again != 0) {
    notes.push_back(fmt::format("{}: {} segments of {} are in another receipt too; counted once",
                                from.name, again, summary_of(sweep)));
  }
  // A receipt of segments that were known adds nothing, its mismatches neither.
  if (again != sweep.digests.size()) all.mismatches += sweep.mismatches;
  all.seconds += sweep.seconds;
}

std::vector<SegmentRange> missing_of(const std::vector<std::optional<Held>>& segments) {
  std::vector<SegmentRange> missing;
  for (std::uint64_t i = 0; i < segments.size(); ++i) {
    if (segments[i]) continue;
    if (!missing.empty() && missing.back().last == i) {
      missing.back().last = i + 1;
    } else {
      missing.push_back({i, i + 1});
    }
  }
  return missing;
}

MergedSweep finished(const Collected& all) {
  const auto& config = std::get<ConversionConfig>(all.sweep->configuration.what);
  const SweepSpace& space = all.sweep->space;
  MergedSweep merged;
  merged.summary = summary_of(*all.sweep);
  merged.space = space;
  merged.segments = all.segments.size();
  merged.words = words_of(config, space, {0, merged.segments});
  merged.dut = all.sweep->dut;
  merged.judge = all.sweep->judge;
  merged.mismatches = all.mismatches;
  merged.seconds = all.seconds;
  merged.conflicts = all.conflicts;
  merged.missing = missing_of(all.segments);
  std::vector<golden::Digest> digests;
  for (std::uint64_t i = 0; i < all.segments.size(); ++i) {
    if (!all.segments[i]) continue;
    digests.push_back(all.segments[i]->digest);
    merged.compared += words_of(config, space, {i, i + 1});
  }
  if (merged.missing.empty()) merged.digest = golden::to_hex(digest_of(digests));
  return merged;
}

void compare_programs(const std::vector<NamedReceipt>& receipts, Merged& merged) {
  const Receipt& first = receipts.front().receipt;
  for (const NamedReceipt& each : receipts) {
    if (each.receipt.sources == first.sources && each.receipt.version == first.version) continue;
    merged.is_of_one_program = false;
    merged.notes.push_back(fmt::format(
        "{}: made by mxgold {} of sources {}, {} by {} of {}; sweep again by one program",
        each.name, each.receipt.version, each.receipt.sources, receipts.front().name, first.version,
        first.sources));
  }
}

}  // namespace

bool Merged::is_proven() const {
  return is_of_one_program && !sweeps.empty() &&
         std::ranges::all_of(sweeps, &MergedSweep::is_proven);
}

Merged merge(const std::vector<NamedReceipt>& receipts) {
  Merged merged;
  if (receipts.empty()) return merged;
  compare_programs(receipts, merged);
  std::map<Key, Collected> collected;
  for (const NamedReceipt& each : receipts) {
    for (const Sweep& sweep : each.receipt.sweeps) {
      Collected& all = collected[{golden::fields_of(sweep.configuration), sweep.space.scale,
                                  sweep.space.words, sweep.dut, sweep.judge}];
      if (all.sweep == nullptr) {
        all.sweep = &sweep;
        all.segments.resize(
            segments_of(std::get<ConversionConfig>(sweep.configuration.what).source));
      }
      add(all, each, sweep, merged.notes);
    }
  }
  for (const auto& [key, all] : collected) merged.sweeps.push_back(finished(all));
  return merged;
}

}  // namespace mx::cli

#include "cli/merge/merge.hpp"

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
  std::uint64_t open = 0;
  std::shared_ptr<const std::string> receipt;
};

/// One conversion while receipts come in.
struct Collected {
  Sweep sweep;                             ///< the first that came, without its digests
  std::shared_ptr<FormatCatalog> catalog;  ///< of that
  std::vector<std::optional<Held>> segments;
  std::vector<std::string> conflicts;
  std::uint64_t mismatches = 0;
  std::optional<SweepMismatch> first;
  double seconds = 0;
};

/// Everything that may change an answer or what of it is compared, and who gave it. Whose policies
/// these are, and which of them options chose, does neither: equal policies are one sweep.
using Key = std::tuple<golden::ConfigurationFields, std::uint8_t, SweptWords,
                       std::optional<std::uint32_t>, std::string, std::string>;

golden::ConfigurationFields policies_of(const golden::Configuration& configuration) {
  golden::ConfigurationFields fields = golden::fields_of(configuration);
  std::erase_if(fields, [](const golden::ConfigurationFields::value_type& field) {
    return field.first == "profile" || field.first == "profile_document" || field.first == "chosen";
  });
  return fields;
}

std::string text_of(const golden::Origin& origin) {
  return origin.profile + (origin.chosen.empty() ? "" : " with " + origin.chosen + " chosen");
}

void add(Collected& all, const std::shared_ptr<const std::string>& name, const Sweep& sweep,
         std::vector<std::string>& notes) {
  const golden::Origin& first = all.sweep.configuration.origin;
  if (sweep.configuration.origin != first) {
    notes.push_back(fmt::format(
        "{}: the policies of {} are those of {} here, of {} in a receipt "
        "before; they are equal and count as one sweep",
        *name, summary_of(all.sweep), text_of(sweep.configuration.origin), text_of(first)));
  }
  std::uint64_t again = 0;
  for (std::uint64_t i = 0; i < sweep.digests.size(); ++i) {
    std::optional<Held>& held = all.segments[sweep.segments.first + i];
    const std::uint64_t open = sweep.open.empty() ? 0 : sweep.open[i];
    if (!held) {
      held = Held{sweep.digests[i], open, name};
    } else if (held->digest == sweep.digests[i] && held->open == open) {
      ++again;
    } else {
      all.conflicts.push_back(fmt::format("segment {}: {} and {} have other digests or open words",
                                          sweep.segments.first + i, *held->receipt, *name));
    }
  }
  if (again != 0) {
    notes.push_back(fmt::format("{}: {} segments of {} are in another receipt too; counted once",
                                *name, again, summary_of(sweep)));
  }
  // A receipt of segments that were known adds nothing, its mismatches neither: they are known too.
  if (again != sweep.digests.size()) {
    all.mismatches += sweep.mismatches;
  } else if (sweep.mismatches > all.mismatches) {
    all.conflicts.push_back(
        fmt::format("{}: has {} mismatches in segments of which receipts before have {}", *name,
                    sweep.mismatches, all.mismatches));
  }
  const bool is_lower = sweep.first && (!all.first || sweep.first->word < all.first->word);
  if (is_lower) all.first = sweep.first;
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

/// Segments without a word to sweep need no receipt: nothing was to be compared in them.
void hold_empty_segments(Collected& all) {
  const auto& config = std::get<ConversionConfig>(all.sweep.configuration.what);
  for (std::uint64_t i = 0; i < all.segments.size(); ++i) {
    std::optional<Held>& held = all.segments[i];
    if (held || words_of(config, all.sweep.space, {i, i + 1}) != 0) continue;
    held = Held{golden::sha256(""), 0, nullptr};
  }
}

MergedSweep finished(const Collected& all) {
  const auto& config = std::get<ConversionConfig>(all.sweep.configuration.what);
  const SweepSpace& space = all.sweep.space;
  MergedSweep merged;
  merged.summary = summary_of(all.sweep);
  merged.space = space;
  merged.segments = all.segments.size();
  merged.words = words_of(config, space, {0, merged.segments});
  merged.dut = all.sweep.dut;
  merged.judge = all.sweep.judge;
  merged.may_be_open = all.sweep.configuration.origin.masks != 0;
  merged.mismatches = all.mismatches;
  merged.first = all.first;
  merged.seconds = all.seconds;
  merged.conflicts = all.conflicts;
  merged.missing = missing_of(all.segments);
  std::vector<golden::Digest> digests;
  for (std::uint64_t i = 0; i < all.segments.size(); ++i) {
    if (!all.segments[i]) continue;
    digests.push_back(all.segments[i]->digest);
    merged.open += all.segments[i]->open;
    merged.compared += words_of(config, space, {i, i + 1}) - all.segments[i]->open;
  }
  if (merged.missing.empty()) merged.digest = golden::to_hex(digest_of(digests));
  return merged;
}

}  // namespace

bool Merged::is_proven() const {
  return is_of_one_program && !sweeps.empty() &&
         std::ranges::all_of(sweeps, &MergedSweep::is_proven);
}

struct SweepMerger::State {
  Merged merged;
  std::map<Key, Collected> collected;
  std::optional<NamedReceipt> first;  ///< without its sweeps

  void compare_programs(const NamedReceipt& each) {
    const Receipt& one = first->receipt;
    if (each.receipt.sources == one.sources && each.receipt.version == one.version) return;
    merged.is_of_one_program = false;
    merged.notes.push_back(fmt::format(
        "{}: made by mxgold {} of sources {}, {} by {} of {}; sweep again by one program",
        each.name, each.receipt.version, each.receipt.sources, first->name, one.version,
        one.sources));
  }
};

SweepMerger::SweepMerger() : state_(std::make_unique<State>()) {}
SweepMerger::~SweepMerger() = default;

void SweepMerger::add(const NamedReceipt& from) {
  if (!state_->first) {
    state_->first = NamedReceipt{from.name, from.receipt};
    state_->first->receipt.sweeps.clear();
  }
  state_->compare_programs(from);
  const std::vector<LeftOut>& left_out = from.receipt.left_out;
  state_->merged.left_out.insert(left_out.begin(), left_out.end());
  const auto name = std::make_shared<const std::string>(from.name);
  for (const Sweep& sweep : from.receipt.sweeps) {
    Collected& all =
        state_->collected[{policies_of(sweep.configuration), sweep.space.scale, sweep.space.words,
                           sweep.space.random, sweep.dut, sweep.judge}];
    if (all.segments.empty()) {
      all.sweep = sweep;
      all.sweep.digests.clear();
      all.sweep.open.clear();
      all.catalog = from.receipt.catalog;
      all.segments.resize(segments_of(std::get<ConversionConfig>(sweep.configuration.what).source));
    }
    cli::add(all, name, sweep, state_->merged.notes);
  }
}

Merged SweepMerger::finish() {
  for (auto& [key, all] : state_->collected) {
    hold_empty_segments(all);
    state_->merged.sweeps.push_back(finished(all));
  }
  return std::move(state_->merged);
}

Merged merge(const std::vector<NamedReceipt>& receipts) {
  SweepMerger merger;
  for (const NamedReceipt& each : receipts) merger.add(each);
  return merger.finish();
}

}  // namespace mx::cli

// Profiles, surfaces and logs for tests.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/makers/identify.hpp"

namespace mx::golden::test {

inline Candidate candidate(std::string_view name) {
  const std::size_t colon = name.find(':');
  const Profile* profile = find_profile(name.substr(0, colon));
  EXPECT_NE(profile, nullptr) << name;
  return {profile, colon == std::string_view::npos ? "" : std::string(name.substr(colon + 1))};
}

inline Surface surface(std::string_view source, std::string_view target) {
  static FormatCatalog catalog;
  const std::optional<Surface> found = find_surface(source, target, catalog);
  EXPECT_TRUE(found) << source << " " << target;
  return found.value_or(Surface{});
}

inline Subject subject(std::string_view name, const Surface& surface) {
  const std::optional<Subject> found = subject_of(candidate(name), surface);
  EXPECT_TRUE(found) << name << " does not speak of " << surface.name();
  return found.value_or(Subject{});
}

inline SurfaceComparison compare(std::string_view a, std::string_view b, const Surface& surface) {
  return SurfaceComparer(surface).compare(subject(a, surface), subject(b, surface));
}

/// What a subject logs for inputs; random words are said to be known.
inline ImplementationLog log_of(const Surface& surface, const Subject& subject,
                                const std::vector<BlockInput>& inputs) {
  ImplementationLog log;
  log.surface = surface;
  log.outputs = LogOutputs::kCodes;
  log.has_random = true;
  for (const BlockInput& input : inputs) {
    log.records.push_back(record_of(surface, subject, input));
    log.records.back().line = log.records.size() + 1;
  }
  return log;
}

/// Do the differences name a field as their one cause, and which is the smallest such input?
inline std::optional<Difference> caused_by(const SurfaceComparison& found, std::string_view field) {
  for (const Difference& each : found.differences) {
    if (each.causes.size() == 1 && each.causes[0].field == field) return each;
  }
  return std::nullopt;
}

/// What went wrong in an acceptance run, and how much was looked at.
struct Acceptance {
  std::uint64_t logs = 0;
  std::uint64_t judgements = 0;
  std::size_t longest = 0;  ///< inputs of the longest stimulus
  std::vector<std::string> problems;
};

/// From at most 1,000 inputs of each profile of a surface: identification returns exactly the
/// profiles that agree with it. Where a profile has an element format of its own, its log holds
/// values, which cannot show a difference of scales alone: there, at least those that agree.
inline void accept(const Surface& surface, Acceptance& acceptance) {
  const std::vector<Candidate> candidates = candidates_of(surface);
  const std::vector<BlockInput> inputs =
      discriminating_inputs(surface, candidates, 1000, Telling::kCandidates);
  acceptance.longest = std::max(acceptance.longest, inputs.size());
  SurfaceComparer comparer(surface);
  std::vector<Subject> done;
  for (const Candidate& each : candidates) {
    const Subject truth = *subject_of(each, surface);
    bool is_new = true;
    for (const Subject& known : done) is_new = is_new && !same_by_definition(surface, known, truth);
    if (!is_new) continue;
    done.push_back(truth);
    const QuantizerConfig listed{surface.source, surface.block, {}, {.rule = surface.block.rule}};
    const bool by_value = surface.is_block && !same_codes(truth.block.config, listed);
    if (by_value) continue;
    const ImplementationLog log = log_of(surface, truth, inputs);
    ++acceptance.logs;
    for (const Ruling& ruling : rule_on_profiles(log)) {
      ++acceptance.judgements;
      const bool agrees =
          comparer.compare(truth, ruling.hypothesis.subject, Detail::kFirst).agree();
      if (ruling.judged && ruling.explains() == agrees) continue;
      acceptance.problems.push_back(surface.name() + ": log of " + each.name() + ": " +
                                    ruling.hypothesis.name() +
                                    (agrees ? " should explain it" : " should not explain it"));
    }
  }
}

}  // namespace mx::golden::test

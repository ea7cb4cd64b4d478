// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/options/policies.hpp"
#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"
#include "cli/plot/numbers.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

constexpr std::size_t kMostGroups = 26;  ///< groups with a letter each

/// What a profile answers: scales and codes, one after the other. Nothing where it is open.
using ProfileAnswers = std::vector<std::optional<std::uint64_t>>;

struct AgreeingGroup {
  ProfileAnswers answers;
  std::vector<std::string> profiles;  ///< that answer alike, bit by bit
};

ProfileAnswers answers_of(const PlotRequest& request, const FormatChoice& format,
                          const golden::ProfileChoice& profile, const PlotTensor& tensor) {
  ProfileAnswers answers;
  if (format.block == nullptr) {
    const ConversionConfig config = conversion_of(request, format, profile, *tensor.source);
    const Conversion convert = Conversion::make(config).value();
    const Masks masks =
        element_masks(*profile.profile, *tensor.source, *format.element, profile.variant);
    for (const auto& row : tensor.rows) {
      for (const std::uint64_t code : row) {
        const bool is_open = is_masked(masks, config, code);
        answers.push_back(is_open ? std::nullopt : std::optional(convert(code).code));
      }
    }
    return answers;
  }
  const QuantizerConfig config = block_of(request, format, profile, *tensor.source);
  const Masks masks = block_masks(*profile.profile, config.format, *tensor.source, profile.variant);
  each_block(tensor, quantizer_of(config),
             [&](auto source, const BlockResult& result, const auto& codes) {
               const OpenFields open = open_fields(masks, config, source, result);
               answers.push_back(open.scale != 0 ? std::nullopt : std::optional(result.scale_code));
               for (std::size_t i = 0; i < codes.size(); ++i) {
                 answers.push_back(open.is_open(i) ? std::nullopt : std::optional(codes[i]));
               }
             });
  return answers;
}

/// The profiles asked for, or those that define the conversion, by their defaults.
std::vector<golden::ProfileChoice> profiles_shown(const PlotRequest& request,
                                                  const FormatChoice& format,
                                                  const ElementFormat& source) {
  std::vector<golden::ProfileChoice> shown;
  for (const std::string& name : request.profiles) {
    if (name != "all") shown.push_back(require_profile(name));
  }
  if (!shown.empty()) return shown;
  for (golden::ProfileChoice& each : golden::profiles_of(format, source)) {
    if (each.variant.empty() || !request.profiles.empty()) shown.push_back(std::move(each));
  }
  return shown;
}

/// Percent of what neither leaves open; nothing where that is nothing.
std::optional<double> in_common(const ProfileAnswers& a, const ProfileAnswers& b) {
  std::size_t compared = 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i] || !b[i]) continue;
    ++compared;
    equal += *a[i] == *b[i] ? 1U : 0U;
  }
  if (compared == 0) return std::nullopt;
  return 100.0 * static_cast<double>(equal) / static_cast<double>(compared);
}

std::vector<AgreeingGroup> agreeing_groups(const PlotRequest& request, const FormatChoice& format,
                                           const PlotTensor& tensor) {
  std::vector<AgreeingGroup> groups;
  for (const golden::ProfileChoice& profile : profiles_shown(request, format, *tensor.source)) {
    ProfileAnswers answers = answers_of(request, format, profile, tensor);
    const auto found = std::ranges::find(groups, answers, &AgreeingGroup::answers);
    if (found != groups.end()) {
      found->profiles.push_back(profile.name());
    } else {
      groups.push_back({std::move(answers), {profile.name()}});
    }
  }
  if (groups.empty())
    fail(Exit::kUsage, "--format {}: no profile defines it from {}", format.name, request.source);
  if (groups.size() > kMostGroups)
    fail(Exit::kUsage, "{} different answers; name at most {} profiles", groups.size(),
         kMostGroups);
  return groups;
}

std::string letter(std::size_t i) { return {static_cast<char>('A' + i)}; }

void draw_map(Svg& svg, const std::vector<AgreeingGroup>& groups) {
  const double cell =
      std::min(64.0, (Svg::kWidth - 2 * Svg::kMargin - 24) / static_cast<double>(groups.size()));
  const int size = std::clamp(static_cast<int>(cell / 3.2), 8, 13);
  const double top = svg.bottom() + 26;
  const double left = Svg::kMargin + 24;
  for (std::size_t a = 0; a < groups.size(); ++a) {
    const double y = top + static_cast<double>(a) * cell;
    const double across = left + static_cast<double>(a) * cell + cell / 2;
    svg.text({across, top - 8}, letter(a), {13, Anchor::kMiddle, "ink bold"});
    svg.text({Svg::kMargin, y + cell / 2 + 5}, letter(a), {13, Anchor::kStart, "ink bold"});
    for (std::size_t b = 0; b < groups.size(); ++b) {
      const std::optional<double> share = in_common(groups[a].answers, groups[b].answers);
      const Point corner{left + static_cast<double>(b) * cell, y};
      if (!share) {
        svg.box(corner, cell - 1, cell - 1, "soft", "nothing to compare");
        continue;
      }
      // Three steps: all, most, less. The number says the rest.
      const std::string_view look = *share == 100 ? "hc" : *share >= 90 ? "ha" : "hd";
      svg.box(corner, cell - 1, cell - 1, look,
              fmt::format("{} and {}: {:.2f} %", letter(a), letter(b), *share));
      const std::string text = *share == 100 ? "=" : fmt::format("{:.0f}", std::min(*share, 99.0));
      if (cell >= 18)
        svg.text({corner.x + cell / 2, y + cell / 2 + size * 0.36}, text,
                 {size, Anchor::kMiddle, "ink"});
    }
  }
}

}  // namespace

std::string plot_agreement(const PlotRequest& request) {
  const FormatChoice format = one_format(request, "mxfp8_e4m3");
  const PlotTensor tensor = tensor_of(request, 64, 32);
  const std::vector<AgreeingGroup> groups = agreeing_groups(request, format, tensor);
  std::size_t profiles = 0;
  for (const AgreeingGroup& group : groups) profiles += group.profiles.size();
  Svg svg(fmt::format("Who agrees with whom: {}", format.name),
          fmt::format("{} systems, {} different answers to {}. A number is the percentage of equal "
                      "{}; = is all of them. "
                      "What a system leaves open is not compared.",
                      profiles, groups.size(), tensor.name,
                      format.block == nullptr ? "codes" : "codes and scales"));
  draw_map(svg, groups);
  double y = svg.bottom() + 28;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    svg.text({Svg::kMargin, y}, letter(i), {13, Anchor::kStart, "ink bold"});
    y = svg.paragraph({Svg::kMargin + 24, y}, Svg::kWidth - 2 * Svg::kMargin - 24,
                      fmt::format("{}", fmt::join(groups[i].profiles, ", ")),
                      {12, Anchor::kStart, "ink"}) +
        4;
  }
  return svg.str();
}

}  // namespace mx::cli

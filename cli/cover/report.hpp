// Coverage for people and for other tools: text, one static page, and UCIS XML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"

namespace mx::cli {

/// "99.53 %", rounded down.
[[nodiscard]] std::string percent(const golden::Score& score);

/// A paragraph for each configuration: its score, that of every coverpoint that is not complete,
/// and the first `missing` bins that nothing hit; a last line with the counts of all.
[[nodiscard]] std::string cover_text(const std::vector<golden::Covergroup>& groups,
                                     std::size_t missing);

/// Scores without bins: {"bins", "hit", "unreachable", "groups": [...]}, and the bins that nothing
/// hit.
[[nodiscard]] std::string cover_summary_json(const std::vector<golden::Covergroup>& groups);

/// One page with heat maps, without scripts or anything from elsewhere; readable on a narrow screen
/// and on paper.
[[nodiscard]] std::string cover_html(const std::vector<golden::Covergroup>& groups);

/// What every page of the program begins with: its title, a style for screens and paper. The end is
/// "</html>".
[[nodiscard]] std::string page_head(std::string_view title);

/// The heat maps as a part of another page.
[[nodiscard]] std::string cover_sections(const std::vector<golden::Covergroup>& groups);

/// UCIS 1.0 interchange XML: a covergroup instance for each configuration, unreachable bins of type
/// "ignore". `time` is an xsd:dateTime.
[[nodiscard]] std::string cover_ucis(const std::vector<golden::Covergroup>& groups,
                                     const std::string& time);

/// Text inside XML and HTML, quotes included.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace mx::cli

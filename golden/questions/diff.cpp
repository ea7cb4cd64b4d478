// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/diff.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "golden/questions/surface_text.hpp"
#include "golden/text/filled.hpp"
#include "reference/parallel/threads.hpp"

namespace mx::golden {
namespace {

bool is_every(const std::vector<std::string>& names) {
  return names.empty() || (names.size() == 1 && names.front() == "all");
}

struct Compared {
  Surface surface;
  SurfaceComparison comparison;
};

std::vector<Compared> compare_pair(const Candidate& a, const Candidate& b,
                                   const std::vector<Surface>& surfaces, int threads) {
  std::vector<std::optional<SurfaceComparison>> found(surfaces.size());
  share_work(surfaces.size(), 1, threads, [&](std::uint64_t first, std::uint64_t) {
    const Surface& surface = surfaces[first];
    const auto of_a = subject_of(a, surface);
    const auto of_b = subject_of(b, surface);
    if (of_a && of_b) found[first] = SurfaceComparer(surface).compare(*of_a, *of_b);
  });
  std::vector<Compared> compared;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (found[i]) compared.push_back({surfaces[i], std::move(*found[i])});
  }
  return compared;
}

std::string differences_text(const Surface& surface, const std::vector<Difference>& list,
                             std::string_view mark) {
  std::string text;
  for (const Difference& d : list) {
    text += filled("  {}{}\n      A {}   B {}\n      {}\n", mark, input_text(surface, d.input),
                   answer_text(surface, d.a, d.open_a), answer_text(surface, d.b, d.open_b),
                   causes_text(d));
  }
  return text;
}

/// Surfaces that agree, those established alike on one line.
std::string agreements_text(const std::vector<Compared>& compared) {
  std::string text;
  std::map<std::string, std::vector<std::string>> by_basis;
  for (const Compared& each : compared) {
    if (!each.comparison.agree()) continue;
    std::string name = each.surface.name();
    if (!each.comparison.masked.empty()) name += " (masked inputs apart)";
    std::string basis = basis_text(each.comparison);
    if (each.comparison.basis == Basis::kSearched) basis += ", no difference found";
    by_basis[basis].push_back(std::move(name));
  }
  for (const auto& [basis, names] : by_basis) {
    text += filled("\nagree, {}:\n  {}\n", basis, joined(names, "\n  "));
  }
  return text;
}

std::string text_of(const DiffQuestion& question, const std::vector<Compared>& compared,
                    std::size_t differing) {
  if (compared.empty()) {
    return filled("A {}\nB {}\nno common surface: there is nothing that both profiles speak of\n",
                  question.a, question.b);
  }
  std::string text = filled("A {}\nB {}\n{} of {} common surfaces differ\n", question.a, question.b,
                            differing, compared.size());
  for (const Compared& each : compared) {
    if (each.comparison.agree()) continue;
    text += filled("\n{}: differ ({}{})\n", each.surface.name(), basis_text(each.comparison),
                   each.comparison.by_value ? "; element formats differ, values compared" : "");
    text += differences_text(each.surface, each.comparison.differences, "");
    text += differences_text(each.surface, each.comparison.masked, "masked: ");
  }
  return text + agreements_text(compared);
}

Tree tree_of(const DiffQuestion& question, const std::vector<Compared>& compared,
             std::size_t differing) {
  Tree json = {{"a", question.a},
               {"b", question.b},
               {"common_surfaces", compared.size()},
               {"differing_surfaces", differing},
               {"surfaces", Tree::list()}};
  for (const Compared& each : compared) {
    Tree surface = {
        {"source", each.surface.source.name},   {"target", each.surface.target()},
        {"agree", each.comparison.agree()},     {"basis", to_string(each.comparison.basis)},
        {"compared", each.comparison.compared}, {"by_value", each.comparison.by_value}};
    surface["differences"] = Tree::list();
    surface["masked"] = Tree::list();
    for (const Difference& d : each.comparison.differences) {
      surface["differences"].push_back(difference_json(each.surface, d));
    }
    for (const Difference& d : each.comparison.masked) {
      surface["masked"].push_back(difference_json(each.surface, d));
    }
    json["surfaces"].push_back(std::move(surface));
  }
  return json;
}

}  // namespace

std::vector<Surface> surfaces_of(const std::vector<std::string>& formats,
                                 const std::vector<std::string>& chosen_sources,
                                 FormatCatalog& catalog) {
  const bool has_every_source = is_every(chosen_sources);
  const std::vector<std::string> sources = has_every_source ? source_names() : chosen_sources;
  std::vector<Surface> surfaces;
  if (!is_every(formats)) {
    for (const std::string& format : formats) {
      for (const std::string& source : sources) {
        surfaces.push_back(choose_surface(source, format, catalog));
      }
    }
    return surfaces;
  }
  if (!has_every_source) {
    for (const std::string& source : sources) (void)choose_surface(source, "fp32", catalog);
  }
  for (const Surface& surface : all_surfaces(catalog)) {
    if (has_every_source || std::ranges::find(sources, surface.source.name) != sources.end()) {
      surfaces.push_back(surface);
    }
  }
  return surfaces;
}

Answer diff(const DiffQuestion& question, FormatCatalog& catalog) {
  const std::vector<Surface> surfaces = surfaces_of(question.formats, question.sources, catalog);
  const Candidate a = choose_candidate(question.a, question.spelling);
  const Candidate b = choose_candidate(question.b, question.spelling);
  const std::vector<Compared> compared = compare_pair(a, b, surfaces, question.threads);
  std::size_t differing = 0;
  for (const Compared& each : compared) differing += each.comparison.agree() ? 0U : 1U;
  return {tree_of(question, compared, differing), text_of(question, compared, differing),
          differing == 0};
}

}  // namespace mx::golden

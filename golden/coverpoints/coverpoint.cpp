#include "golden/coverpoints/coverpoint.hpp"

#include "golden/text/filled.hpp"

#include <algorithm>

namespace mx::golden {

Score& Score::operator+=(const Score& other) {
  bins += other.bins;
  hit += other.hit;
  unreachable += other.unreachable;
  contradicted += other.contradicted;
  return *this;
}

Score Coverpoint::score() const {
  Score score;
  for (const Bin& bin : bins) {
    const bool is_hit = bin.hits != 0;
    if (bin.reach == Reach::kUnreachable) {
      ++score.unreachable;
      score.contradicted += is_hit ? 1 : 0;
    } else {
      ++score.bins;
      score.hit += is_hit ? 1 : 0;
    }
  }
  return score;
}

void Coverpoint::exclude_what(const Coverpoint& witnesses) {
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (witnesses.bins[i].hits == 0) bins[i].reach = Reach::kUnreachable;
  }
}

Score Covergroup::score() const {
  Score score;
  for (const Coverpoint& point : points) score += point.score();
  return score;
}

bool Covergroup::matches(const Covergroup& other) const {
  const auto same_bin = [](const Bin& a, const Bin& b) {
    return a.name == b.name && a.reach == b.reach;
  };
  const auto same_point = [&](const Coverpoint& a, const Coverpoint& b) {
    return a.name == b.name && std::ranges::equal(a.bins, b.bins, same_bin);
  };
  return configuration == other.configuration &&
         std::ranges::equal(points, other.points, same_point);
}

std::string Covergroup::difference_to(const Covergroup& model) const {
  if (points.size() != model.points.size()) {
    return filled("has {} coverpoints, its model has {}", points.size(), model.points.size());
  }
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Coverpoint &own = points[p], &other = model.points[p];
    if (own.name != other.name || own.meaning != other.meaning) {
      return filled("has the coverpoint {} where its model has {}", own.name, other.name);
    }
    for (std::size_t b = 0; b < std::max(own.bins.size(), other.bins.size()); ++b) {
      if (b == other.bins.size()) {
        return filled("{} has a bin {} that its model has not", own.name, own.bins[b].name);
      }
      const bool is_same = b < own.bins.size() && own.bins[b].name == other.bins[b].name &&
                           own.bins[b].reach == other.bins[b].reach;
      if (!is_same) {
        return filled("{}, bin {}: {} is not there, or not as in its model", own.name, b,
                      other.bins[b].name);
      }
    }
  }
  return {};
}

void Covergroup::add(const Covergroup& other) {
  samples += other.samples;
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (std::size_t b = 0; b < points[p].bins.size(); ++b) {
      points[p].bins[b].hits += other.points[p].bins[b].hits;
    }
  }
}

bool merge(std::vector<Covergroup>& groups, const Covergroup& group) {
  const auto same = [&](const Covergroup& each) {
    return each.configuration == group.configuration;
  };
  const auto found = std::ranges::find_if(groups, same);
  if (found == groups.end()) {
    groups.push_back(group);
    return true;
  }
  if (!found->matches(group)) return false;
  found->add(group);
  return true;
}

}  // namespace mx::golden

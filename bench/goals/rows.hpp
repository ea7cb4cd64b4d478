// The goals as plans of rows; a row with its arrays is made when its turn comes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure/row.hpp"

namespace mx::goals {

/// What the rows are made for.
struct Setting {
  std::string peers;             ///< folder of the peers' libraries
  std::string testfloat = {};    ///< folder of testfloat_gen and testfloat_ver; "": not given
  std::string program = {};      ///< mxgold
  std::size_t small = 1U << 18;  ///< elements that fit the caches
  std::size_t large = 1U << 24;  ///< elements that do not
};

/// Arrays beside a peer's loop: what we run on them, what the peer's builds get, and how the
/// outputs are compared.
struct Work {
  std::function<void()> ours;  ///< holds the arrays
  const void* from = nullptr;
  const void* aside = nullptr;
  void* to = nullptr;
  std::function<std::string()> difference;  ///< as Row's
  std::string mask;
};

struct RowPlan {
  std::string id;         ///< the goal's
  std::string what = {};  ///< without its size
  double goal = 0;        ///< 0: reported only
  std::size_t size = 0;
  std::string peer = {};  ///< a library, and the loop of it
  std::string loop = {};
  std::function<Work(std::size_t)> work = {};
  std::function<Row(const Setting&)> make = {};  ///< in place of the three above
};

/// The row, or one that says why it is skipped.
[[nodiscard]] Row row_of(const RowPlan& plan, const Setting& setting);

/// All goals in order; those that are measured elsewhere are rows that say so.
[[nodiscard]] std::vector<RowPlan> all_rows(const Setting& setting);

// Parts of it.
[[nodiscard]] std::vector<RowPlan> block_rows(const Setting& setting);     ///< C1, C5, C7, C12
[[nodiscard]] std::vector<RowPlan> profile_rows();                         ///< C13
[[nodiscard]] std::vector<RowPlan> single_rows(const Setting& setting);    ///< C3, C4, C8, C9
[[nodiscard]] std::vector<RowPlan> widening_rows(const Setting& setting);  ///< C6, C8
[[nodiscard]] std::vector<RowPlan> text_rows();                            ///< G1, G2
[[nodiscard]] std::vector<RowPlan> sweep_rows();                           ///< G3, R4
[[nodiscard]] std::vector<RowPlan> rtl_rows();                             ///< R2, R3

}  // namespace mx::goals

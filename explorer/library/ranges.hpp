// SPDX-License-Identifier: Apache-2.0
// Algorithms over ranges that the C++ library of Debian's emscripten does not have yet (libc++ 13).
// explorer/build puts this header in front of every source; where the library has them it is empty.
#pragma once

#include <version>

#ifndef __cpp_lib_ranges

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace std::ranges {  // NOLINT(cert-dcl58-cpp): what the standard says is there

/// A comparison, or a test, of what a projection makes of its arguments.
template <typename Compare, typename Project>
constexpr auto projected_by(Compare& compare, Project& project) {
  return [&](auto&& a, auto&& b) {
    return std::invoke(compare, std::invoke(project, std::forward<decltype(a)>(a)),
                       std::invoke(project, std::forward<decltype(b)>(b)));
  };
}

template <typename Test, typename Project>
constexpr auto tested_by(Test& test, Project& project) {
  return [&](auto&& a) {
    return std::invoke(test, std::invoke(project, std::forward<decltype(a)>(a)));
  };
}

template <typename Value, typename Project>
constexpr auto equal_to_value(const Value& value, Project& project) {
  return [&](auto&& a) { return std::invoke(project, std::forward<decltype(a)>(a)) == value; };
}

template <typename Range, typename Value, typename Project = std::identity>
constexpr auto find(Range&& range, const Value& value, Project project = {}) {
  return std::find_if(std::begin(range), std::end(range), equal_to_value(value, project));
}

template <typename Range, typename Test, typename Project = std::identity>
constexpr auto find_if(Range&& range, Test test, Project project = {}) {
  return std::find_if(std::begin(range), std::end(range), tested_by(test, project));
}

template <typename Range, typename Test, typename Project = std::identity>
constexpr bool any_of(Range&& range, Test test, Project project = {}) {
  return std::any_of(std::begin(range), std::end(range), tested_by(test, project));
}

template <typename Range, typename Test, typename Project = std::identity>
constexpr bool all_of(Range&& range, Test test, Project project = {}) {
  return std::all_of(std::begin(range), std::end(range), tested_by(test, project));
}

template <typename Range, typename Test, typename Project = std::identity>
constexpr bool none_of(Range&& range, Test test, Project project = {}) {
  return std::none_of(std::begin(range), std::end(range), tested_by(test, project));
}

template <typename Range, typename Value, typename Project = std::identity>
constexpr auto count(Range&& range, const Value& value, Project project = {}) {
  return std::count_if(std::begin(range), std::end(range), equal_to_value(value, project));
}

template <typename Range, typename Test, typename Project = std::identity>
constexpr auto count_if(Range&& range, Test test, Project project = {}) {
  return std::count_if(std::begin(range), std::end(range), tested_by(test, project));
}

template <typename Range, typename Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}

template <typename Range, typename Out>
constexpr void copy(Range&& range, Out out) {
  std::copy(std::begin(range), std::end(range), out);
}

template <typename Range, typename Out, typename Make>
constexpr void transform(Range&& range, Out out, Make make) {
  std::transform(std::begin(range), std::end(range), out, make);
}

template <typename Range, typename Value>
constexpr void replace(Range&& range, const Value& from, const Value& to) {
  std::replace(std::begin(range), std::end(range), from, to);
}

template <typename Range, typename Compare = std::less<>, typename Project = std::identity>
constexpr void sort(Range&& range, Compare compare = {}, Project project = {}) {
  std::sort(std::begin(range), std::end(range), projected_by(compare, project));
}

template <typename Range, typename Compare = std::less<>, typename Project = std::identity>
constexpr void stable_sort(Range&& range, Compare compare = {}, Project project = {}) {
  std::stable_sort(std::begin(range), std::end(range), projected_by(compare, project));
}

template <typename Range, typename Compare = std::less<>, typename Project = std::identity>
constexpr bool is_sorted(Range&& range, Compare compare = {}, Project project = {}) {
  return std::is_sorted(std::begin(range), std::end(range), projected_by(compare, project));
}

template <typename Range, typename Compare = std::less<>>
constexpr auto max(Range&& range, Compare compare = {}) {
  return *std::max_element(std::begin(range), std::end(range), compare);
}

template <typename Range, typename Value, typename Compare = std::less<>,
          typename Project = std::identity>
constexpr auto upper_bound(Range&& range, const Value& value, Compare compare = {},
                           Project project = {}) {
  return std::upper_bound(
      std::begin(range), std::end(range), value,
      [&](const Value& a, const auto& b) { return compare(a, std::invoke(project, b)); });
}

template <typename Range, typename Test, typename Project = std::identity>
constexpr auto partition_point(Range&& range, Test test, Project project = {}) {
  return std::partition_point(std::begin(range), std::end(range), tested_by(test, project));
}

template <typename A, typename B>
struct in_in_result {
  A in1;
  B in2;
};

template <typename A, typename B>
constexpr auto mismatch(A&& a, B&& b) {
  const auto [in_a, in_b] = std::mismatch(std::begin(a), std::end(a), std::begin(b), std::end(b));
  return in_in_result<std::decay_t<decltype(in_a)>, std::decay_t<decltype(in_b)>>{in_a, in_b};
}

template <typename A, typename B, typename Same = std::equal_to<>>
constexpr bool equal(A&& a, B&& b, Same same = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), same);
}

template <typename A, typename B>
constexpr bool lexicographical_compare(A&& a, B&& b) {
  return std::lexicographical_compare(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

}  // namespace std::ranges

#endif

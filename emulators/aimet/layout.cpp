#include "emulators/aimet/layout.hpp"

#include <algorithm>
#include <charconv>

namespace mx::emulators::aimet {

Checked<BlockSize> concretize_block_size(const Shape& input, const Shape& scale,
                                         const BlockSize& block_size) {
  if (input.size() < scale.size()) {
    return Problem{"ValueError: the input's shape " + tuple_text(input) +
                   " has fewer dimensions than the scale's shape " + tuple_text(scale)};
  }
  if (scale.size() < block_size.size()) {
    return Problem{"ValueError: the scale's shape " + tuple_text(scale) +
                   " has fewer dimensions than block_size " + tuple_text(block_size)};
  }
  BlockSize sizes;
  const std::size_t missing = scale.size() - block_size.size();
  for (std::size_t i = 0; i < scale.size(); ++i) {
    std::int64_t size = i >= missing ? block_size[i - missing] : scale[i] > 1 ? 1 : -1;
    if (size == -1) {
      if (scale[i] == 0) return Problem{"ZeroDivisionError: integer division or modulo by zero"};
      size = static_cast<std::int64_t>(input[input.size() - scale.size() + i] / scale[i]);
    }
    sizes.push_back(size);
  }
  return sizes;
}

void Layout::add_loop(const Loop& loop) {
  if (loop.count == 1) return;
  if (!loops_.empty()) {
    Loop& outer = loops_.back();
    if (outer.input_step == loop.count * loop.input_step &&
        outer.scale_step == loop.count * loop.scale_step) {
      outer = {outer.count * loop.count, loop.input_step, loop.scale_step};
      return;
    }
  }
  loops_.push_back(loop);
}

namespace {

/// Steps in elements along each axis of a shape, 0 along axes of size 1.
std::vector<std::size_t> steps_of(const Shape& shape) {
  std::vector<std::size_t> steps(shape.size());
  std::size_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0; step *= shape[i]) steps[i] = shape[i] == 1 ? 0 : step;
  return steps;
}

Problem does_not_fit(const Shape& input, const Shape& scale, const BlockSize& blocks) {
  return {"RuntimeError: an input of shape " + tuple_text(input) + " is not made of blocks " +
          tuple_text(blocks) + " under a scale of shape " + tuple_text(scale)};
}

}  // namespace

Checked<Layout> Layout::make(const Shape& input, const Shape& scale, const BlockSize& block_size,
                             Mode mode) {
  Layout layout;
  if (block_size.empty()) {
    const std::size_t rank = std::max(input.size(), scale.size());
    const std::vector<std::size_t> input_steps = steps_of(input), scale_steps = steps_of(scale);
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const bool has_input = axis + input.size() >= rank, has_scale = axis + scale.size() >= rank;
      const std::size_t i = axis + input.size() - rank, s = axis + scale.size() - rank;
      const std::size_t of_input = has_input ? input[i] : 1, of_scale = has_scale ? scale[s] : 1;
      if (of_input != of_scale && of_input != 1 && of_scale != 1) {
        return Problem{"RuntimeError: an input of shape " + tuple_text(input) +
                       " and a scale of shape " + tuple_text(scale) + " do not broadcast"};
      }
      const std::size_t size = of_input == 1 ? of_scale : of_input;
      layout.result_.push_back(size);
      layout.add_loop({size, has_input ? input_steps[i] : 0, has_scale ? scale_steps[s] : 0});
    }
    if (layout.loops_.empty()) layout.loops_.push_back({1, 0, 0});
    return layout;
  }
  Checked<BlockSize> blocks = concretize_block_size(input, scale, block_size);
  if (!blocks) return Problem{std::string(blocks.problem())};
  const std::size_t count = elements_of(input);
  std::size_t group = 1;
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const std::int64_t size = (*blocks)[i];
    const bool is_large = count != 0 && static_cast<std::uint64_t>(size) > count;
    if (size < 0 || is_large) return does_not_fit(input, scale, *blocks);
    group *= scale[i] * static_cast<std::size_t>(size);
    if (count != 0 && group > count) return does_not_fit(input, scale, *blocks);
    const std::size_t of_input = input[input.size() - scale.size() + i];
    if (mode == Mode::kStrict && scale[i] * static_cast<std::size_t>(size) != of_input) {
      return does_not_fit(input, scale, *blocks);
    }
  }
  if (group == 0 || count % group != 0) return does_not_fit(input, scale, *blocks);
  layout.result_ = input;
  layout.add_loop({count / group, group, 0});
  const std::vector<std::size_t> scale_steps = steps_of(scale);
  std::size_t step = group;
  for (std::size_t i = 0; i < scale.size(); ++i) {
    step /= scale[i];
    layout.add_loop({scale[i], step, scale_steps[i]});
    step /= static_cast<std::size_t>((*blocks)[i]);
    layout.add_loop({static_cast<std::size_t>((*blocks)[i]), step, 0});
  }
  if (layout.loops_.empty()) layout.loops_.push_back({1, 0, 0});
  return layout;
}

std::string tuple_text(std::span<const std::int64_t> sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(sizes[i]);
  }
  text += sizes.size() == 1 ? ",)" : ")";
  return text;
}

std::string tuple_text(const Shape& shape) {
  return tuple_text(std::vector<std::int64_t>(shape.begin(), shape.end()));
}

std::optional<std::vector<std::int64_t>> parse_tuple(std::string_view text) {
  std::vector<std::int64_t> sizes;
  if (text.starts_with('(')) {
    if (!text.ends_with(')')) return {};
    text = text.substr(1, text.size() - 2);
  }
  while (true) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.empty()) return sizes;
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc{}) return {};
    sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.empty()) return sizes;
    if (!text.starts_with(',')) return {};
    text.remove_prefix(1);
  }
}

}  // namespace mx::emulators::aimet

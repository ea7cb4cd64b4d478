#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sim/formal/properties.hpp"
#include "sim/stream/text.hpp"

namespace mx::sim {
namespace {

/// The marked block lacks the last four lanes of its last beat.
std::string keep_of(const Shape& shape) {
  return fmt::format("{{ {{16{{~(tag & ends)}}}}, {{({}-4)*4{{1'b1}}}} }}", shape.lanes);
}

std::string answers_of(const Shape& shape) {
  return fmt::format(
      R"(    assert (~m_valid | m_user == (leaves ? status_marked : status_other));
    assert (~m_valid | m_data == (leaves ? codes_marked & {{ {{32{{~leaves_last}}}}, {{({0}-4)*8{{1'b1}}}} }} : codes_other));
    assert (~m_valid | m_keep == {{ {{4{{~leaves_last}}}}, {{({0}-4){{1'b1}}}} }});
)",
      shape.lanes);
}

std::string stream_property(const Kinds& kinds, LaneRounding rounding, const Shape& shape,
                            Property property) {
  return stream_text({kinds, rounding, shape, property, keep_of(shape), answers_of(shape)}) +
         "endmodule\n";
}

/// Cycles from power-up for which blocks of several beats are looked at: more cost minutes each.
int cycles_of(const Shape& shape) { return shape.beats == 2 ? 16 : 20; }

Obligation obligation(std::string name, std::string statement, const Kinds& kinds,
                      LaneRounding rounding, const Shape& shape) {
  const bool is_bounded = shape.beats > 1;
  return {std::move(name),
          std::move(statement),
          is_bounded ? FormalEngine::kBounded : FormalEngine::kReachability,
          stream_property(kinds, rounding, shape, Property::kRight),
          stream_property(kinds, rounding, shape, Property::kBroken),
          is_bounded ? cycles_of(shape) : 0};
}

std::string statement_of(const Shape& shape) {
  const std::string blocks =
      shape.beats == 1 ? fmt::format("of blocks of one beat of {} lanes", shape.lanes)
                       : fmt::format("in the first {} cycles, of blocks of {} beats of {} lanes",
                                     cycles_of(shape), shape.beats, shape.lanes);
  return fmt::format(
      "{}, at most {} beats are in flight, they leave in order, each once, with the status of "
      "their block and their own codes, tkeep and tlast, which hold under a stall; a receiver that "
      "is ready waits {} cycles at most for a whole block, and its sender {}; a reset, in any "
      "cycle, loses what is in flight and nothing else; whatever valid, ready and reset do in "
      "each cycle. One block, at any place, differs from all others",
      blocks, in_flight(shape), waits(shape), refused(shape));
}

constexpr std::array kShapes{Shape{16, 1}, Shape{32, 1}, Shape{8, 2}, Shape{8, 4}};

}  // namespace

std::vector<Obligation> stream_obligations() {
  std::vector<Obligation> all;
  for (const Shape& shape : kShapes) {
    all.push_back(obligation(fmt::format("P4{}.{}x{}", shape.beats == 1 ? "" : "b", shape.lanes,
                                         shape.lanes * shape.beats),
                             statement_of(shape), deterministic_kinds(shape),
                             LaneRounding::kDeterministic, shape));
  }
  for (const Shape& shape : kShapes) {
    if (shape.beats > 1) continue;
    all.push_back(obligation(
        fmt::format("P4s.{0}x{0}", shape.lanes),
        fmt::format("the same of {} lanes, and the random word that is taken k-th since a reset is "
                    "that of beat k, where the marked block is rounded by stochastic A with words "
                    "of its own",
                    shape.lanes),
        stochastic_kinds(shape), LaneRounding::kStochastic, shape));
  }
  return all;
}

}  // namespace mx::sim

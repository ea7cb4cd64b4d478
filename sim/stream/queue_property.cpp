// P4t: order and pace of blocks of several beats, over any number of cycles.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "sim/formal/properties.hpp"
#include "sim/stream/queue_invariants.hpp"
#include "sim/stream/text.hpp"

namespace mx::sim {
namespace {

/// In kept lanes a beat says whether it is of the marked block, and which one it is.
constexpr std::string_view kKeep = "{{4{tag}}, {4{~tag}}, {4{beat[1]}}, {4{beat[0]}}, 16'hFFFF}";

constexpr std::string_view kAnswers =
    R"(    assert (~m_valid | m_keep == (leaves ? {2'b10, marked_out[1:0], 4'hF}
                                         : {2'b01, others_out[1:0], 4'hF}));
)";

/// The broken property stands without invariants: what refutes it is a run that its outputs show.
std::string queue_property(const Shape& shape, Property property) {
  const std::string text =
      stream_text({deterministic_kinds(shape), LaneRounding::kDeterministic, shape, property,
                   std::string(kKeep), std::string(kAnswers)});
  return text + (property == Property::kRight ? queue_invariants(shape) : "") + "endmodule\n";
}

/// The broken property is refuted once a block before the marked one leaves.
constexpr int kCycles = 16;

}  // namespace

std::vector<Obligation> queue_obligations() {
  std::vector<Obligation> all;
  for (const Shape& shape : {Shape{8, 2}, Shape{8, 4}}) {
    all.push_back(
        {fmt::format("P4t.{}x{}", shape.lanes, shape.lanes * shape.beats),
         fmt::format(
             "of blocks of {} beats of {} lanes, for any number of cycles: at most {} beats are in "
             "flight, they leave in order, each once, with their own tkeep and tlast, which hold "
             "under a stall; a receiver that is ready waits {} cycles at most for a whole block, "
             "and its sender {}; a reset, in any cycle, loses what is in flight and nothing else; "
             "whatever valid, ready and reset do in each cycle. tkeep tells the beats of a block "
             "and one block, at any place, from all others",
             shape.beats, shape.lanes, in_flight(shape), waits(shape), refused(shape)),
         FormalEngine::kInduction, queue_property(shape, Property::kRight),
         queue_property(shape, Property::kBroken), kCycles});
  }
  return all;
}

}  // namespace mx::sim

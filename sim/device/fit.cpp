#include "sim/device/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "golden/bytes/error.hpp"

namespace mx::sim {
namespace {

using bench::kNoPort;
using bench::What;

/// Has a field a word for each lane of a record?
bool is_by_lane(golden::Operation operation, std::string_view field) {
  constexpr std::array<std::string_view, 3> kOfBlock = {"source", "random", "code"};
  constexpr std::array<std::string_view, 2> kOfDot = {"a", "b"};
  constexpr std::array<std::string_view, 2> kOfDequantize = {"a", "code"};
  switch (operation) {
    case golden::Operation::kBlock:
    case golden::Operation::kCast:
      return std::ranges::find(kOfBlock, field) != kOfBlock.end();
    case golden::Operation::kDot:
    case golden::Operation::kMma:
      return std::ranges::find(kOfDot, field) != kOfDot.end();
    case golden::Operation::kDequantize:
      return std::ranges::find(kOfDequantize, field) != kOfDequantize.end();
    case golden::Operation::kCvt:
    case golden::Operation::kArith:
      break;
  }
  return false;
}

class Fitter {
 public:
  Fitter(const Description& description, std::vector<Port> ports) : description_(description) {
    device_.ports = std::move(ports);
    for (const Port& port : device_.ports) used_.emplace_back(port.width);
  }

  FittedDevice fit() {
    bench::Tables& tables = device_.tables;
    tables.clock = control("clock", description_.clock, true);
    if (description_.reset) {
      const DescribedReset& reset = *description_.reset;
      tables.reset = {control("reset.port", reset.port, true), reset.is_active_low,
                      reset.is_synchronous, reset.cycles};
    }
    fit_side("input", description_.input, true, device_.input);
    fit_side("output", description_.output, false, device_.output);
    tie_ports();
    require_covered();
    const bool has_valid = !description_.output.valid.empty() || description_.output.packed;
    tables.records = description_.records;
    tables.lanes = lanes_of(description_.input);
    tables.elements = description_.lanes * description_.records;
    tables.last_rule = description_.last_rule;
    tables.ends_early = Description::has(description_.input, What::kKeep) &&
                        Description::has(description_.input, What::kLast);
    tables.latency = description_.latency.value_or(has_valid ? 1 : 0);
    tables.patience = description_.patience;
    return std::move(device_);
  }

 private:
  [[noreturn]] void refuse(std::string_view place, std::string_view what) const {
    throw golden::VectorError(fmt::format("{}: {} {}", description_.path, place, what));
  }
  [[nodiscard]] const Port& port_at(std::size_t number) const { return device_.ports[number]; }

  /// A port by name; its direction has to be right.
  std::size_t find(std::string_view place, std::string_view name, bool is_input) const {
    const auto found = std::ranges::find(device_.ports, name, &Port::name);
    if (found == device_.ports.end()) {
      std::vector<std::string_view> known;
      for (const Port& each : device_.ports) {
        if (each.is_input == is_input) known.push_back(each.name);
      }
      refuse(place, fmt::format("names port '{}', which module {} does not have; its {} are {}",
                                name, description_.top, is_input ? "inputs" : "outputs",
                                fmt::join(known, ", ")));
    }
    if (!found->is_supported) {
      refuse(place, fmt::format("names port '{}', which is an inout or an array of arrays; wrap "
                                "the module in one that has plain ports",
                                name));
    }
    if (found->is_input != is_input) {
      refuse(place, fmt::format("names port '{}', which is an {}", name,
                                found->is_input ? "input" : "output"));
    }
    return static_cast<std::size_t>(found - device_.ports.begin());
  }

  void use(std::string_view place, std::size_t port, unsigned at, unsigned width) {
    const Port& of = port_at(port);
    if (at + width > of.width) {
      refuse(place, fmt::format("takes bits {} to {} of port '{}', which has {}", at,
                                at + width - 1, of.name, of.width));
    }
    for (unsigned bit = at; bit < at + width; ++bit) {
      if (used_[port][bit] && of.is_input) {
        refuse(place, fmt::format("drives bit {} of port '{}' a second time", bit, of.name));
      }
      used_[port][bit] = true;
    }
  }

  /// What does not fit would be cut.
  void require_fits(const std::string& place, std::uint64_t value, unsigned width) const {
    if (width >= 64 || value >> width == 0) return;
    refuse(place, fmt::format("is {}, which {} bits do not hold", value, width));
  }

  /// A port of one bit, or kNoPort for "".
  std::size_t control(std::string_view place, std::string_view name, bool is_input) {
    if (name.empty()) return kNoPort;
    const std::size_t port = find(place, name, is_input);
    if (port_at(port).width != 1) {
      refuse(place, fmt::format("has to be one bit; port '{}' has {}", name, port_at(port).width));
    }
    use(place, port, 0, 1);
    return port;
  }

  [[nodiscard]] unsigned lanes_of(const DescribedSide& side) const {
    return (description_.lanes * description_.records + side.beats - 1) / side.beats;
  }

  /// A part with everything that follows from `room` bits of the port.
  bench::Part fit_part(const DescribedPart& part, std::size_t port, unsigned at, unsigned room,
                       unsigned lanes_of_beat) {
    bench::Part fitted;
    fitted.port = port;
    fitted.what = part.what;
    fitted.field = part.field;
    fitted.at = at;
    fitted.has_high_first = part.has_high_first;
    fitted.is_shared = part.is_shared;
    fitted.beats = part.beats;
    fitted.offset = part.offset;
    fitted.is_signed = part.is_signed;
    fitted.value = part.value;
    fitted.has_lanes = part.what == What::kKeep;
    if (part.what == What::kWords && !part.is_shared) {
      fitted.has_lanes =
          part.lanes || description_.records > 1 || is_by_lane(description_.operation, part.field);
    }
    fitted.lanes = fitted.has_lanes ? part.lanes.value_or(lanes_of_beat) : 1;
    const bool is_sized = part.slot || part.width;
    const unsigned own = room / fitted.lanes;
    if (!is_sized && (room % fitted.lanes != 0 || own == 0 || own > 64)) {
      refuse(part.place, fmt::format("needs slot: {} bits are no {} equal slots of up to 64", room,
                                     fitted.lanes));
    }
    fitted.slot = is_sized ? part.slot.value_or(part.width.value_or(1)) : own;
    fitted.width = part.width.value_or(fitted.slot);
    if (fitted.width > fitted.slot) {
      refuse(part.place,
             fmt::format("has words of {} bits in slots of {}", fitted.width, fitted.slot));
    }
    if (part.what == What::kTie) require_fits(part.place + ".value", part.value, fitted.width);
    for (const auto& [text, value] : part.choices) {
      require_fits(fmt::format("{}.values.{}", part.place, text), value, fitted.width);
    }
    if (!part.choices.empty()) {
      std::vector<bench::Choice>& choices = device_.choices.emplace_back();
      for (const auto& [text, value] : part.choices) choices.push_back({text, value});
      fitted.choices = choices;
    }
    return fitted;
  }

  void carry(const DescribedPart& part, const bench::Part& fitted, unsigned beats, bool is_input) {
    if (part.what != What::kWords) return;
    device_.carried.push_back({.place = part.place,
                               .field = part.field,
                               .words = fitted.has_lanes ? fitted.lanes * beats : 1,
                               .width = fitted.width,
                               .is_result = !is_input,
                               .is_shared = part.is_shared,
                               .is_number = part.offset != 0 || part.is_signed});
  }

  void fit_side(const std::string& name, const DescribedSide& side, bool is_input,
                FittedSide& fitted) {
    bench::Side& table = is_input ? device_.tables.input : device_.tables.output;
    table.valid = control(name + ".valid", side.valid, is_input);
    table.ready = control(name + ".ready", side.ready, !is_input);
    table.beats = side.beats;
    for (const DescribedPort& port : side.ports) {
      fit_port(name + ".ports." + port.name, port, side, is_input, fitted);
    }
    if (side.packed) {
      table.packed = fit_packed(name + ".packed", *side.packed, is_input, fitted.parts);
      fitted.ports.push_back(table.packed.port);
    }
  }

  void fit_port(const std::string& place, const DescribedPort& port, const DescribedSide& side,
                bool is_input, FittedSide& fitted) {
    const std::size_t number = find(place, port.name, is_input);
    const unsigned width = port_at(number).width;
    bool is_apart = false;
    unsigned next = 0;
    for (const DescribedPart& part : port.parts) {
      const unsigned at = part.at.value_or(next);
      if (at >= width) {
        refuse(part.place,
               fmt::format("starts at bit {} of port '{}', which has {}", at, port.name, width));
      }
      const bench::Part& added =
          fitted.parts.emplace_back(fit_part(part, number, at, width - at, lanes_of(side)));
      carry(part, added, side.beats, is_input);
      next = at + added.slot * added.lanes;
      use(part.place, number, at, added.slot * added.lanes);
      if (part.taken_by.empty()) continue;
      bench::Tables& tables = device_.tables;
      if (!is_input || tables.random_port != kNoPort || port.parts.size() != 1) {
        refuse(part.place, "has taken_by, which one input port may have, for itself");
      }
      is_apart = true;
      tables.random_port = number;
      tables.random_take = control(part.place + ".taken_by", part.taken_by, false);
    }
    if (!is_apart) fitted.ports.push_back(number);
  }

  bench::Packed fit_packed(const std::string& place, const DescribedStream& stream, bool is_input,
                           std::vector<bench::Part>& parts) {
    bench::Packed packed;
    packed.port = find(place + ".port", stream.port, is_input);
    packed.slot = stream.slot;
    packed.takes_all = stream.takes_all;
    const unsigned width = port_at(packed.port).width;
    if (width % stream.slot != 0) {
      refuse(place + ".slot", fmt::format("is {}, which port '{}' of {} bits is no multiple of",
                                          stream.slot, stream.port, width));
    }
    packed.slots = width / stream.slot;
    use(place, packed.port, 0, width);
    unsigned whole = 0;
    for (const DescribedPart& part : stream.words) {
      DescribedPart sized = part;
      sized.width = part.width.value_or(stream.slot);
      bench::Part fitted =
          fit_part(sized, packed.port, 0, width, description_.lanes * description_.records);
      fitted.field = part.field;
      whole += fitted.lanes * (fitted.width / stream.slot);
      parts.push_back(fitted);
      carry(part, fitted, 1, is_input);
    }
    if (is_input && whole % packed.slots != 0 && !description_.reset) {
      refuse(place, fmt::format("has {} slots a block and {} a beat: what is left of the last "
                                "beat needs a reset",
                                whole, packed.slots));
    }
    packed.slot_valid = mask(place + ".slot_valid", stream.slot_valid, false, packed.slots);
    packed.slot_ready = mask(place + ".slot_ready", stream.slot_ready, true, packed.slots);
    return packed;
  }

  /// A port with a bit for each slot, or kNoPort for "".
  std::size_t mask(const std::string& place, const std::string& name, bool is_input,
                   unsigned slots) {
    if (name.empty()) return kNoPort;
    const std::size_t found = find(place, name, is_input);
    if (port_at(found).width != slots) {
      refuse(place, fmt::format("names port '{}' of {} bits; there are {} slots", name,
                                port_at(found).width, slots));
    }
    use(place, found, 0, slots);
    return found;
  }

  void tie_ports() {
    for (const auto& [name, value] : description_.tie) {
      const std::string place = "tie." + name;
      const std::size_t port = find(place, name, true);
      const unsigned width = port_at(port).width;
      require_fits(place, value, width);
      use(place, port, 0, width);
      device_.ties.emplace_back(port, value);
    }
  }

  void require_covered() const {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const Port& port = port_at(i);
      const auto bit = std::ranges::find(used_[i], false);
      if (!port.is_input || bit == used_[i].end()) continue;
      if (std::ranges::find(used_[i], true) == used_[i].end()) {
        refuse("the file", fmt::format("says nothing of input '{}' ({} bits): give it under "
                                       "input.ports, or a constant under tie",
                                       port.name, port.width));
      }
      refuse("input.ports." + port.name,
             fmt::format("says nothing of bit {}; a part {{\"value\": 0, \"at\": .., \"width\": "
                         "..}} ties bits",
                         bit - used_[i].begin()));
    }
  }

  const Description& description_;
  FittedDevice device_;
  std::vector<std::vector<bool>> used_;  ///< bits, by port
};

}  // namespace

FittedDevice fit(const Description& description, std::vector<Port> ports) {
  return Fitter(description, std::move(ports)).fit();
}

}  // namespace mx::sim

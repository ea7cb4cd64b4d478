#include "sim/device/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "golden/bytes/error.hpp"
#include "golden/vectors/record.hpp"

namespace mx::sim {
namespace {

using bench::What;

/// Has a field a word for each lane of a record?
bool is_by_lane(golden::Operation operation, std::string_view field) {
  constexpr std::array<std::string_view, 3> kOfBlock = {"source", "random", "code"};
  constexpr std::array<std::string_view, 2> kOfDot = {"a", "b"};
  switch (operation) {
    case golden::Operation::kBlock:
    case golden::Operation::kCast:
      return std::ranges::find(kOfBlock, field) != kOfBlock.end();
    case golden::Operation::kDot:
      return std::ranges::find(kOfDot, field) != kOfDot.end();
    case golden::Operation::kCvt:
    case golden::Operation::kArith:
      return false;
  }
  return false;
}

/// As a literal of C++.
std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

/// A part with everything that follows from the port.
struct FittedPart {
  const DescribedPart* from = nullptr;
  std::size_t port = 0;
  unsigned at = 0, slot = 1, width = 1, lanes = 1;
  bool has_lanes = false;
};

class Fitter {
 public:
  Fitter(const Description& description, const std::vector<Port>& ports)
      : description_(description), ports_(ports), used_(ports.size()) {
    for (std::size_t i = 0; i < ports.size(); ++i) used_[i].resize(ports[i].width);
  }

  std::string text() {
    const std::size_t clock = control("clock", description_.clock, true);
    std::size_t reset = bench::kNoPort;
    if (description_.reset) reset = control("reset.port", description_.reset->port, true);
    const std::string input = side_text("input", description_.input, true);
    const std::string output = side_text("output", description_.output, false);
    tie_ports();
    require_covered();
    return file_text(clock, reset, input, output);
  }

 private:
  [[noreturn]] void refuse(std::string_view place, std::string_view what) const {
    throw golden::VectorError(fmt::format("{}: {} {}", description_.path, place, what));
  }

  /// A port by name; its direction has to be right.
  std::size_t find(std::string_view place, std::string_view name, bool is_input) const {
    const auto found = std::ranges::find(ports_, name, &Port::name);
    if (found == ports_.end()) {
      std::vector<std::string_view> known;
      for (const Port& each : ports_) {
        if (each.is_input == is_input) known.push_back(each.name);
      }
      refuse(place, fmt::format("names port '{}', which module {} does not have; its {} are {}",
                                name, description_.top, is_input ? "inputs" : "outputs",
                                fmt::join(known, ", ")));
    }
    if (found->is_input != is_input || !found->is_supported) {
      refuse(place, fmt::format("names port '{}', which is {}", name,
                                !found->is_supported ? "an inout or an array of arrays; wrap the "
                                                       "module in one that has plain ports"
                                : found->is_input    ? "an input"
                                                     : "an output"));
    }
    return static_cast<std::size_t>(found - ports_.begin());
  }

  void use(std::string_view place, std::size_t port, unsigned at, unsigned width) {
    const Port& of = ports_[port];
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

  /// A port of one bit, or kNoPort for "".
  std::size_t control(std::string_view place, std::string_view name, bool is_input) {
    if (name.empty()) return bench::kNoPort;
    const std::size_t port = find(place, name, is_input);
    if (ports_[port].width != 1) {
      refuse(place, fmt::format("has to be one bit; port '{}' has {}", name, ports_[port].width));
    }
    use(place, port, 0, 1);
    return port;
  }

  [[nodiscard]] unsigned lanes_of(const DescribedSide& side) const {
    const unsigned all = description_.lanes * description_.records;
    return (all + side.beats - 1) / side.beats;
  }

  FittedPart fit(const DescribedPart& part, std::size_t port, unsigned at, unsigned room,
                 unsigned lanes_of_beat) const {
    FittedPart fitted{&part, port, at, 1, 1, 1, false};
    fitted.has_lanes = part.what == What::kKeep;
    if (part.what == What::kWords && !part.is_shared) {
      fitted.has_lanes =
          part.lanes || description_.records > 1 || is_by_lane(description_.operation, part.field);
    }
    fitted.lanes = fitted.has_lanes ? part.lanes.value_or(lanes_of_beat) : 1;
    if (part.slot || part.width) {
      fitted.slot = part.slot.value_or(part.width.value_or(1));
    } else {
      if (room % fitted.lanes != 0 || room / fitted.lanes > 64 || room == 0) {
        refuse(part.place, fmt::format("needs slot: {} bits are no {} equal slots of up to 64",
                                       room, fitted.lanes));
      }
      fitted.slot = room / fitted.lanes;
    }
    fitted.width = part.width.value_or(fitted.slot);
    if (fitted.width > fitted.slot) {
      refuse(part.place,
             fmt::format("has words of {} bits in slots of {}", fitted.width, fitted.slot));
    }
    return fitted;
  }

  std::string part_text(const FittedPart& fitted) {
    const DescribedPart& part = *fitted.from;
    std::string choices = "{}";
    if (!part.choices.empty()) {
      choices = fmt::format("kChoices{}", selects_);
      choices_ += fmt::format("inline constexpr Choice kChoices{}[] = {{", selects_++);
      for (const auto& [text, value] : part.choices) {
        choices_ += fmt::format("{{{}, {}u}}, ", quoted(text), value);
      }
      choices_ += "};\n";
    }
    return fmt::format(
        "    {{.port = {}, .what = What({}), .field = \"{}\", .at = {}, .slot = {}, .width = {}, "
        ".lanes = {}, .has_high_first = {}, .has_lanes = {}, .is_shared = {}, .beats = Beats({}), "
        ".offset = {}, .is_signed = {}, .value = {}u, .choices = {}}},\n",
        fitted.port, static_cast<int>(part.what), part.field, fitted.at, fitted.slot, fitted.width,
        fitted.lanes, part.has_high_first, fitted.has_lanes, part.is_shared,
        static_cast<int>(part.beats), part.offset, part.is_signed, part.value, choices);
  }

  /// The parts of a side as a table, and the side itself.
  std::string side_text(const std::string& name, const DescribedSide& side, bool is_input) {
    const std::size_t valid = control(name + ".valid", side.valid, is_input);
    const std::size_t ready = control(name + ".ready", side.ready, !is_input);
    std::string parts;
    std::vector<std::size_t> ports;
    for (const DescribedPort& port : side.ports) {
      parts += port_text(name + ".ports." + port.name, port, lanes_of(side), is_input);
      ports.push_back(find(name, port.name, is_input));
    }
    std::string packed;
    if (side.packed) {
      packed = packed_text(name + ".packed", *side.packed, is_input, parts);
      ports.push_back(find(name, side.packed->port, is_input));
    }
    std::erase(ports, random_port_);
    (is_input ? inputs_ : outputs_) =
        fmt::format("inline constexpr std::array<std::size_t, {}> k{} = {{{}}};\n", ports.size(),
                    is_input ? "Inputs" : "Outputs", fmt::join(ports, ", "));
    (is_input ? input_parts_ : output_parts_) = parts;
    return fmt::format("{{.valid = {}, .ready = {}, .beats = {}, .parts = k{}Parts{}}}",
                       number(valid), number(ready), side.beats, is_input ? "Input" : "Output",
                       packed);
  }

  static std::string number(std::size_t port) {
    return port == bench::kNoPort ? "kNoPort" : std::to_string(port);
  }

  std::string port_text(const std::string& place, const DescribedPort& port, unsigned lanes,
                        bool is_input) {
    const std::size_t number = find(place, port.name, is_input);
    std::string text;
    unsigned next = 0;
    for (const DescribedPart& part : port.parts) {
      const unsigned at = part.at.value_or(next);
      const unsigned width = ports_[number].width;
      if (at >= width) {
        refuse(part.place,
               fmt::format("starts at bit {} of port '{}', which has {}", at, port.name, width));
      }
      const FittedPart fitted = fit(part, number, at, width - at, lanes);
      use(part.place, number, at, fitted.slot * fitted.lanes);
      next = at + fitted.slot * fitted.lanes;
      if (!part.taken_by.empty()) {
        if (!is_input || random_port_ != bench::kNoPort || port.parts.size() != 1) {
          refuse(part.place, "has taken_by, which one input port may have, for itself");
        }
        random_port_ = number;
        random_take_ = control(part.place + ".taken_by", part.taken_by, false);
      }
      text += part_text(fitted);
    }
    return text;
  }

  std::string packed_text(const std::string& place, const DescribedStream& stream, bool is_input,
                          std::string& parts) {
    const std::size_t port = find(place + ".port", stream.port, is_input);
    const unsigned width = ports_[port].width;
    if (width % stream.slot != 0) {
      refuse(place + ".slot", fmt::format("is {}, which port '{}' of {} bits is no multiple of",
                                          stream.slot, stream.port, width));
    }
    const unsigned slots = width / stream.slot;
    use(place, port, 0, width);
    unsigned whole = 0;
    for (const DescribedPart& part : stream.words) {
      DescribedPart sized = part;
      sized.width = part.width.value_or(stream.slot);
      const FittedPart fitted =
          fit(sized, port, 0, width, description_.lanes * description_.records);
      whole += fitted.lanes * fitted.width / stream.slot;
      parts += part_text(fitted);
    }
    if (is_input && whole % slots != 0 && !description_.reset) {
      refuse(place, fmt::format("has {} slots a block and {} a beat: what is left of the last beat "
                                "needs a reset",
                                whole, slots));
    }
    const auto mask = [&](const char* member, const std::string& name, bool is_driven) {
      if (name.empty()) return bench::kNoPort;
      const std::size_t found = find(place + member, name, is_driven);
      if (ports_[found].width != slots) {
        refuse(place + member, fmt::format("names port '{}' of {} bits; there are {} slots", name,
                                           ports_[found].width, slots));
      }
      use(place + member, found, 0, slots);
      return found;
    };
    return fmt::format(
        ", .packed = {{.port = {}, .slot = {}, .slots = {}, .slot_valid = {}, "
        ".slot_ready = {}, .takes_all = {}}}",
        port, stream.slot, slots, number(mask(".slot_valid", stream.slot_valid, false)),
        number(mask(".slot_ready", stream.slot_ready, true)), stream.takes_all);
  }

  void tie_ports() {
    for (const auto& [name, value] : description_.tie) {
      const std::string place = "tie." + name;
      const std::size_t port = find(place, name, true);
      const unsigned width = ports_[port].width;
      if (width < 64 && value >> width != 0) {
        refuse(place, fmt::format("is {}, which {} bits do not hold", value, width));
      }
      use(place, port, 0, width);
      ties_ += fmt::format("    {{{}, {}u}},\n", port, value);
    }
  }

  void require_covered() const {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (!ports_[i].is_input) continue;
      const auto bit = std::ranges::find(used_[i], false);
      if (bit == used_[i].end()) continue;
      const bool is_whole = std::ranges::find(used_[i], true) == used_[i].end();
      if (is_whole) {
        refuse("the file", fmt::format("says nothing of input '{}' ({} bits): give it under "
                                       "input.ports, or a constant under tie",
                                       ports_[i].name, ports_[i].width));
      }
      refuse(
          "input.ports." + ports_[i].name,
          fmt::format("says nothing of bit {}; a part {{\"value\": 0, \"at\": .., \"width\": ..}} "
                      "ties bits",
                      bit - used_[i].begin()));
    }
  }

  /// How the members of the model are written and read.
  std::string accessors(bool is_put) const {
    std::string text;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const Port& port = ports_[i];
      if (!port.is_supported || (is_put && !port.is_input)) continue;
      const char* const call = is_put ? "put_pin" : "get_pin";
      if (port.elements == 0) {
        text += fmt::format("      case {}:\n        return {}(model_.{}, bits, 0, {});\n", i, call,
                            port.member, port.width);
        continue;
      }
      const unsigned width = port.width / port.elements;
      text += fmt::format(
          "      case {}:\n        for (unsigned i = 0; i < {}; ++i) {}(model_.{}[i], bits, i * "
          "{}, "
          "{});\n        return;\n",
          i, port.elements, call, port.member, width, width);
    }
    return text;
  }

  std::string file_text(std::size_t clock, std::size_t reset, const std::string& input,
                        const std::string& output) const {
    std::string names;
    std::string widths;
    for (const Port& port : ports_) {
      names += quoted(port.name) + ", ";
      widths += fmt::format("{}, ", port.width);
    }
    const DescribedReset described = description_.reset.value_or(DescribedReset{});
    const bool has_keep = Description::has(description_.input, What::kKeep);
    const bool has_last = Description::has(description_.input, What::kLast);
    const bool has_valid = !description_.output.valid.empty() || description_.output.packed;
    std::string text =
        "#include <array>\n\n#include \"Vdevice.h\"\n#include \"sim/bench/made.hpp\"\n\n";
    text += "namespace mx::bench {\n\n" + choices_;
    text += "inline constexpr Part kInputParts[] = {\n" + input_parts_ + "};\n";
    text += "inline constexpr Part kOutputParts[] = {\n" + output_parts_ + "};\n";
    text += "struct Tie { std::size_t port; std::uint64_t value; };\n";
    text += "inline constexpr std::array<Tie, " + std::to_string(description_.tie.size()) +
            "> kTies = {{\n" + ties_ + "}};\n";
    text += inputs_ + outputs_;
    text += "inline constexpr std::string_view kNames[] = {" + names + "};\n";
    text += "inline constexpr unsigned kWidths[] = {" + widths + "};\n\n";
    text += fmt::format(
        "inline constexpr Tables kTables = {{\n  .clock = {},\n  .reset = {{.port = {}, "
        ".is_active_low = {}, .is_synchronous = {}, .cycles = {}}},\n  .input = {},\n  .output = "
        "{},\n  .records = {},\n  .lanes = {},\n  .last_rule = LastRule({}),\n  .ends_early = {},\n"
        "  .latency = {},\n  .patience = {},\n  .random_port = {},\n  .random_take = {},\n  "
        ".inputs = kInputs,\n  .outputs = kOutputs,\n  .names = kNames,\n  .widths = "
        "kWidths}};\n\n",
        number(clock), number(reset), described.is_active_low, described.is_synchronous,
        described.cycles, input, output, description_.records, lanes_of(description_.input),
        static_cast<int>(description_.last_rule), has_keep && has_last,
        description_.latency.value_or(has_valid ? 1 : 0), description_.patience,
        number(random_port_), number(random_take_));
    text +=
        "class VerilatedDevice : public Device {\n public:\n  explicit VerilatedDevice("
        "VerilatedContext* context) : model_(context) {\n    for (const Tie& tie : kTies) {\n"
        "      Bits bits = bits_of_width(kWidths[tie.port]);\n      const unsigned width = "
        "kWidths[tie.port] < 64 ? kWidths[tie.port] : 64;\n      set_bits(bits, 0, width, "
        "tie.value);\n      put(tie.port, bits);\n    }\n  }\n  ~VerilatedDevice() override { "
        "model_.final(); }\n";
    text += "  void put(std::size_t port, const Bits& bits) override {\n    switch (port) {\n" +
            accessors(true) + "    }\n  }\n";
    text += "  void get(std::size_t port, Bits& bits) const override {\n    switch (port) {\n" +
            accessors(false) + "    }\n  }\n";
    text += "  void eval() override { model_.eval(); }\n\n private:\n  Vdevice model_;\n};\n\n";
    text += "const Tables& made_tables() { return kTables; }\n";
    text +=
        "std::unique_ptr<Device> make_device(VerilatedContext* context) {\n  return "
        "std::make_unique<VerilatedDevice>(context);\n}\n\n";
    return text + "}  // namespace mx::bench\n";
  }

  const Description& description_;
  const std::vector<Port>& ports_;
  std::vector<std::vector<bool>> used_;  ///< bits, by port
  std::size_t random_port_ = bench::kNoPort, random_take_ = bench::kNoPort;
  std::string inputs_, outputs_, input_parts_, output_parts_, ties_, choices_;
  int selects_ = 0;
};

}  // namespace

std::string device_tables(const Description& description, const std::vector<Port>& ports) {
  return Fitter(description, ports).text();
}

}  // namespace mx::sim

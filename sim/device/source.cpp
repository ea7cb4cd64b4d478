#include "sim/device/source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mx::sim {
namespace {

/// As a literal of C++.
std::string in_quotes(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal.push_back('\\');
    literal.push_back(c);
  }
  literal.push_back('"');
  return literal;
}

std::string number(std::size_t port) {
  return port == bench::kNoPort ? "kNoPort" : std::to_string(port);
}

template <typename T>
std::string array_text(std::string_view type, std::string_view name, const std::vector<T>& values) {
  return fmt::format("constexpr std::array<{}, {}> {} = {{{}}};\n", type, values.size(), name,
                     fmt::join(values, ", "));
}

std::string part_text(const bench::Part& part, const std::string& choices) {
  constexpr std::string_view kText =
      "  {{.port = {}, .what = What({}), .field = {}, .at = {}, .slot = {}, .width = {},\n"
      "   .lanes = {}, .has_high_first = {}, .has_lanes = {}, .is_shared = {}, .beats = "
      "Beats({}),\n"
      "   .offset = {}, .is_signed = {}, .value = {}u, .choices = {}}},\n";
  return fmt::format(kText, part.port, static_cast<int>(part.what), in_quotes(part.field), part.at,
                     part.slot, part.width, part.lanes, part.has_high_first, part.has_lanes,
                     part.is_shared, static_cast<int>(part.beats), part.offset, part.is_signed,
                     part.value, choices);
}

/// The tables of parts and, before them, of their choices.
std::string parts_text(std::string_view name, const std::vector<bench::Part>& parts, int& tables) {
  std::string before;
  std::string text = fmt::format("constexpr Part k{}Parts[] = {{\n", name);
  for (const bench::Part& part : parts) {
    std::string choices = "{}";
    if (!part.choices.empty()) {
      choices = fmt::format("kChoices{}", tables++);
      before += fmt::format("constexpr Choice {}[] = {{\n", choices);
      for (const bench::Choice& each : part.choices) {
        before += fmt::format("  {{{}, {}u}},\n", in_quotes(each.text), each.value);
      }
      before += "};\n";
    }
    text += part_text(part, choices);
  }
  return before + text + "};\n";
}

std::string side_text(std::string_view name, const bench::Side& side) {
  constexpr std::string_view kText =
      "{{.valid = {}, .ready = {}, .beats = {}, .parts = k{}Parts,\n"
      "     .packed = {{.port = {}, .slot = {}, .slots = {}, .slot_valid = {}, .slot_ready = {},\n"
      "                .takes_all = {}}}}}";
  const bench::Packed& packed = side.packed;
  return fmt::format(kText, number(side.valid), number(side.ready), side.beats, name,
                     number(packed.port), packed.slot, packed.slots, number(packed.slot_valid),
                     number(packed.slot_ready), packed.takes_all);
}

std::string tables_text(const bench::Tables& tables) {
  constexpr std::string_view kText =
      "constexpr Tables kTables = {{\n"
      "    .clock = {},\n"
      "    .reset = {{.port = {}, .is_active_low = {}, .is_synchronous = {}, .cycles = {}}},\n"
      "    .input = {},\n"
      "    .output = {},\n"
      "    .records = {}, .lanes = {}, .elements = {},\n"
      "    .last_rule = LastRule({}), .ends_early = {}, .latency = {}, .patience = {},\n"
      "    .random_port = {}, .random_take = {},\n"
      "    .inputs = kInputs, .outputs = kOutputs, .names = kNames, .widths = kWidths}};\n";
  const bench::ResetPort& reset = tables.reset;
  return fmt::format(kText, number(tables.clock), number(reset.port), reset.is_active_low,
                     reset.is_synchronous, reset.cycles, side_text("Input", tables.input),
                     side_text("Output", tables.output), tables.records, tables.lanes,
                     tables.elements, static_cast<int>(tables.last_rule), tables.ends_early,
                     tables.latency, tables.patience, number(tables.random_port),
                     number(tables.random_take));
}

/// How one pin is written or read.
std::string accessor_text(std::size_t i, const Port& port, std::string_view call) {
  if (port.elements == 0) {
    return fmt::format("      case {}:\n        return {}(model_.{}, bits, 0, {});\n", i, call,
                       port.member, port.width);
  }
  const unsigned width = port.width / port.elements;
  return fmt::format(
      "      case {}:\n        for (unsigned i = 0; i < {}; ++i) {}(model_.{}[i], bits, i * {}, "
      "{});\n        return;\n",
      i, port.elements, call, port.member, width, width);
}

std::string model_text(const std::vector<Port>& ports) {
  std::string puts;
  std::string gets;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!ports[i].is_supported) continue;
    if (ports[i].is_input) puts += accessor_text(i, ports[i], "put_pin");
    gets += accessor_text(i, ports[i], "get_pin");
  }
  constexpr std::string_view kText = R"(
class Model : public Device {{
 public:
  explicit Model(VerilatedContext* context) : model_(context) {{
    for (const auto& [port, value] : kTies) {{
      Bits bits = bits_of_width(kWidths[port]);
      set_bits(bits, 0, kWidths[port] < 64 ? kWidths[port] : 64, value);
      put(port, bits);
    }}
  }}
  ~Model() override {{ model_.final(); }}

  void put(std::size_t port, const Bits& bits) override {{
    switch (port) {{
{}    }}
  }}
  void get(std::size_t port, Bits& bits) const override {{
    switch (port) {{
{}    }}
  }}
  void eval() override {{ model_.eval(); }}

#ifdef MX_WAVES
  void open_waves(const std::string& path) override {{
    model_.trace(&waves_, 99);
    waves_.open(path.c_str());
  }}
  void dump(std::uint64_t time) override {{ waves_.dump(time); }}
  void close_waves() override {{ waves_.close(); }}
#endif

 private:
  Vdevice model_;
#ifdef MX_WAVES
  VerilatedFstC waves_;
#endif
}};
)";
  return fmt::format(kText, puts, gets);
}

}  // namespace

std::string device_source(const FittedDevice& device) {
  std::vector<std::string> names;
  std::vector<unsigned> widths;
  for (const Port& port : device.ports) {
    names.push_back(in_quotes(port.name));
    widths.push_back(port.width);
  }
  std::vector<std::string> ties;
  for (const auto& [port, value] : device.ties) {
    ties.push_back(fmt::format("std::pair<std::size_t, std::uint64_t>({}, {}u)", port, value));
  }
  int tables = 0;
  std::string text = "#include <array>\n#include <utility>\n\n#include \"Vdevice.h\"\n";
  text += "#ifdef MX_WAVES\n#include <verilated_fst_c.h>\n#endif\n";
  text += "#include \"sim/bench/made.hpp\"\n\nnamespace mx::bench {\nnamespace {\n\n";
  text += parts_text("Input", device.input.parts, tables);
  text += parts_text("Output", device.output.parts, tables);
  text += array_text("std::pair<std::size_t, std::uint64_t>", "kTies", ties);
  text += array_text("std::size_t", "kInputs", device.input.ports);
  text += array_text("std::size_t", "kOutputs", device.output.ports);
  text += array_text("std::string_view", "kNames", names);
  text += array_text("unsigned", "kWidths", widths);
  text += tables_text(device.tables) + model_text(device.ports);
  text += "\n}  // namespace\n\nconst Tables& made_tables() { return kTables; }\n\n";
  text += "std::unique_ptr<Device> make_device(VerilatedContext* context) {\n";
  text += "#ifdef MX_WAVES\n  context->traceEverOn(true);\n#endif\n";
  return text + "  return std::make_unique<Model>(context);\n}\n\n}  // namespace mx::bench\n";
}

}  // namespace mx::sim

// SPDX-License-Identifier: Apache-2.0
#include "cli/create/bench.hpp"

#include <fmt/format.h>

#include "cli/text/command_text.hpp"
#include "sim/device/description.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.is_array() ? text_of(json[0]) : "";
}

/// The line that opens the model: "op=cvt source=fp16 destination=e5m2".
std::string model_line(const Json& device) {
  std::string line = "op=" + text_of(device.at("operation"));
  for (const auto& [name, value] : device.at("configuration").items()) {
    line += fmt::format(" {}={}",
                        name == "a_format"   ? "a"
                        : name == "b_format" ? "b"
                                             : name,
                        text_of(value));
  }
  return line;
}

/// The port of a side that carries a field; "" for none.
std::string port_of(const Json& side, std::string_view field) {
  for (const auto& [name, part] : side.at("ports").items()) {
    if (part.is_object() && part.value("field", "") == field) return name;
  }
  return {};
}

std::string declared(const sim::Port& port) {
  const unsigned width = port.elements == 0 ? port.width : port.width / port.elements;
  const std::string bits = width == 1 ? "" : fmt::format(" [{}:0]", width - 1);
  const std::string array = port.elements == 0 ? "" : fmt::format(" [{}]", port.elements);
  return fmt::format("  logic{} {}{};\n", bits, port.name, array);
}

std::string clocking(const Json& device) {
  std::string text;
  if (device.contains("clock")) {
    const std::string clock = text_of(device.at("clock"));
    text += fmt::format("  initial {0} = 0;\n  always #1 {0} = ~{0};\n", clock);
  }
  return text;
}

std::string resetting(const Json& device) {
  if (!device.contains("reset") || !device.contains("clock")) return {};
  const Json& reset = device.at("reset");
  const bool is_low = reset.at("active") == "low";
  return fmt::format("    {0} = {1};\n    repeat (4) @(posedge {2});\n    {0} = {3};\n",
                     text_of(reset.at("port")), is_low ? 0 : 1, text_of(device.at("clock")),
                     is_low ? 1 : 0);
}

/// Every code of a source of up to 16 bits, else random ones, through a converter without a clock.
std::string driven(const Json& device, const std::vector<sim::Port>& ports) {
  const std::string source = port_of(device.at("input"), "source");
  const std::string code = port_of(device.at("output"), "code");
  unsigned width = 0;
  for (const sim::Port& port : ports) {
    if (port.name == source) width = port.width;
  }
  const bool is_small = width <= 16;
  return fmt::format(
      "    for (int i = 0; i < {0}; i++) begin\n"
      "      {1} = {2};\n"
      "      #1;\n"
      "      if (mxgold_cvt(model, 64'({1}), 0, code, flags) == 0) $fatal(1, \"%s\", "
      "mxgold_error(model));\n"
      "      board.expected(model, $sformatf(\"input %0d\", i));\n"
      "      void'(board.observed(64'd0, mxgold_pkg::BUS_BITS'({3}), 8'd0));\n"
      "    end\n",
      is_small ? 1U << width : 100'000U, source,
      is_small ? fmt::format("i[{}:0]", width - 1)
               : fmt::format("{}'({{$urandom, $urandom}})", width),
      code);
}

bool is_whole(const Json& device) {
  return device.at("operation") == "cvt" && !device.contains("clock") && !device.contains("tie") &&
         device.value("records", Json(1)) == 1 && !port_of(device.at("input"), "source").empty() &&
         !port_of(device.at("output"), "code").empty() &&
         device.dump().find(sim::kFillIn) == std::string::npos;
}

}  // namespace

std::string bench_command(const Json& device) {
  const std::string top = text_of(device.at("top"));
  std::string words;
  if (device.contains("include")) {
    for (const Json& each : device.at("include")) words += " -I" + shell_quoted(text_of(each));
  }
  if (device.contains("verilator")) {
    for (const Json& each : device.at("verilator")) words += " " + shell_quoted(text_of(each));
  }
  for (const Json& each : device.at("sources")) words += " " + shell_quoted(text_of(each));
  return fmt::format(
      "verilator --binary --timing -Wno-fatal $(mxgold dpi --sv){0} {1}_tb.sv --top-module {1}_tb "
      "-LDFLAGS \"$(mxgold dpi --ldflags)\" && ./obj_dir/V{1}_tb",
      words, top);
}

NewText bench_skeleton(const Json& device, const std::vector<sim::Port>& ports) {
  const std::string top = text_of(device.at("top"));
  std::string signals;
  for (const sim::Port& port : ports) signals += declared(port);
  const std::string drive =
      is_whole(device)
          ? driven(device, ports)
          : "    // FILL IN: drive the inputs, ask the model (mxgold_cvt, mxgold_block, "
            "mxgold_dot),\n"
            "    // tell the board what it answers and what comes out: board.expected(model),\n"
            "    // board.observed(scale, code, flags). docs/howto/dpi.md has a whole one.\n"
            "    $fatal(1, \"fill in the stimulus of " +
                top + "_tb.sv\");\n";
  std::string text = fmt::format(
      "// {0} against the model, by DPI-C (docs/howto/dpi.md). It has to print PASS.\n"
      "module {0}_tb;\n"
      "  import mxgold_pkg::*;\n"
      "  import mxgold_scoreboard_pkg::*;\n"
      "{1}  {0} dut (.*);\n"
      "{2}\n"
      "  chandle model;\n"
      "  mxgold_scoreboard board;\n"
      "  longint unsigned code;\n"
      "  byte unsigned flags;\n"
      "  initial begin\n"
      "    model = mxgold_open(\"{3}\");\n"
      "    if (mxgold_ok(model) == 0) $fatal(1, \"%s\", mxgold_error(model));\n"
      "    board = new(\"name={0} errors=5\");\n"
      "{4}{5}{6}"
      "    board.finish();\n"
      "    $finish;\n"
      "  end\n"
      "endmodule\n",
      top, signals, clocking(device), model_line(device),
      port_of(device.at("output"), "flags").empty()
          ? "    board.observes(\"flags\", 0);  // the device has none\n"
          : "",
      resetting(device), drive);
  return {top + "_tb.sv", std::move(text)};
}

}  // namespace mx::cli

#include "sim/prove/rtlil.hpp"

#include <fmt/format.h>

namespace mx::sim {

std::string RtlilModule::new_wire() {
  wires_.push_back(fmt::format("\\t{}", wires_.size()));
  return wires_.back();
}

void RtlilModule::connect(const std::string& to, const std::string& from) {
  body_ += fmt::format("  connect {} {}\n", to, from);
}

void RtlilModule::cell(const std::string& type,
                       const std::vector<std::pair<std::string, std::string>>& parameters,
                       const std::vector<std::pair<std::string, std::string>>& ports) {
  body_ += fmt::format("  cell {} \\c{}\n", type, ++cells_);
  for (const auto& [key, value] : parameters) {
    body_ += fmt::format("    parameter \\{} {}\n", key, value);
  }
  for (const auto& [key, value] : ports) {
    body_ += fmt::format("    connect \\{} {{ {}}}\n", key, value);
  }
  body_ += "  end\n";
}

void RtlilModule::copy(
    const NetCell& cell,
    const std::function<std::string(const NetPort& port, std::size_t bit)>& signal) {
  std::vector<std::pair<std::string, std::string>> parameters, ports;
  for (const auto& [key, value] : cell.parameters) {
    parameters.emplace_back(key, fmt::format("{}'{}", value.size(), value));
  }
  for (const NetPort& port : cell.ports) {
    std::string bits;
    for (std::size_t b = port.bits.size(); b-- > 0;) bits += signal(port, b) + " ";
    ports.emplace_back(port.name, bits);
  }
  this->cell(cell.type, parameters, ports);
}

std::string RtlilModule::gate(const std::string& type, const std::vector<std::string>& in) {
  const std::string out = new_wire();
  std::vector<std::pair<std::string, std::string>> parameters = {
      {"A_SIGNED", "0"}, {"A_WIDTH", "1"}, {"Y_WIDTH", "1"}};
  std::vector<std::pair<std::string, std::string>> ports = {{"A", in[0] + " "}};
  if (in.size() == 2) {
    parameters.insert(parameters.end(), {{"B_SIGNED", "0"}, {"B_WIDTH", "1"}});
    ports.emplace_back("B", in[1] + " ");
  }
  ports.emplace_back("Y", out + " ");
  cell(type, parameters, ports);
  return out;
}

std::string RtlilModule::choose(const std::string& condition, const std::string& yes,
                                const std::string& no) {
  const std::string out = new_wire();
  cell("$mux", {{"WIDTH", "1"}},
       {{"A", no + " "}, {"B", yes + " "}, {"S", condition + " "}, {"Y", out + " "}});
  return out;
}

void RtlilModule::compare(const std::string& left, const std::string& right) {
  if (left == right) return;
  left_ += left + " ";
  right_ += right + " ";
  ++compared_;
}

void RtlilModule::assume_below(const std::vector<std::string>& bits, unsigned limit) {
  std::string number, bound;
  for (std::size_t b = bits.size(); b-- > 0;) {
    number += bits[b] + " ";
    bound += (limit >> b & 1) != 0 ? "1'1 " : "1'0 ";
  }
  const std::string out = new_wire();
  const std::string width = std::to_string(bits.size());
  cell("$lt",
       {{"A_SIGNED", "0"},
        {"B_SIGNED", "0"},
        {"A_WIDTH", width},
        {"B_WIDTH", width},
        {"Y_WIDTH", "1"}},
       {{"A", number}, {"B", bound}, {"Y", out + " "}});
  assumed_.push_back(out);
}

std::string RtlilModule::text(const std::string& name) {
  std::string differ = "1'0";
  if (compared_ != 0) {
    differ = new_wire();
    const std::string width = std::to_string(compared_);
    cell("$ne",
         {{"A_SIGNED", "0"},
          {"B_SIGNED", "0"},
          {"A_WIDTH", width},
          {"B_WIDTH", width},
          {"Y_WIDTH", "1"}},
         {{"A", left_}, {"B", right_}, {"Y", differ + " "}});
  }
  for (const std::string& condition : assumed_) differ = gate("$and", {differ, condition});
  std::string text = fmt::format("module \\{}\n", name);
  int number = 0;
  for (const std::string& wire : inputs_)
    text += fmt::format("  wire input {} {}\n", ++number, wire);
  text += fmt::format("  wire output {} \\differ\n", ++number);
  for (const std::string& wire : wires_) text += fmt::format("  wire {}\n", wire);
  return text + body_ + fmt::format("  connect \\differ {}\nend\n", differ);
}

}  // namespace mx::sim

#include "sim/prove/reach.hpp"

#include <fmt/format.h>

#include "sim/netlist/tools.hpp"

namespace mx::sim {

Reach::Reach(const NetFacts& facts, const Mutation& mutation, int forward)
    : facts_(facts),
      forward_(forward),
      cell_(facts.graph().find(mutation.cell)),
      todo_(static_cast<std::size_t>(forward) + 2) {
  port_ = cell_ < 0 ? nullptr : at(cell_).port(mutation.port);
  if (port_ == nullptr || mutation.bit >= std::ssize(port_->bits) ||
      mutation.control >= std::ssize(port_->bits)) {
    throw ToolError(fmt::format("the netlist has no place for: {}", mutation.text()));
  }
  place_ = port_->bits[static_cast<std::size_t>(mutation.bit)];
  if (port_->is_output) {
    add(place_, 0);
  } else {
    follow(cell_, {cell_, 0, mutation.bit}, port_->name);
    input_bit_ = mutation.bit;
  }
  drain();
}

bool Reach::is_input(int cell, const NetPort& port, std::size_t bit) const {
  return cell == cell_ && port.name == port_->name && static_cast<int>(bit) == input_bit_;
}

void Reach::add(NetBit bit, int distance) {
  if (bit.is_net()) todo_[static_cast<std::size_t>(distance)].push_back(bit);
}

void Reach::follow(int cell, const NetPin& pin, const std::string& port) {
  const bool is_register = !at(cell).is_logic();
  for (const NetBit next : reached_by(cell, pin, port)) {
    add(next, distance_ + (is_register ? 1 : 0));
  }
}

void Reach::drain() {
  for (distance_ = 0; distance_ <= forward_; ++distance_) {
    auto& todo = todo_[static_cast<std::size_t>(distance_)];
    while (!todo.empty()) {
      const NetBit bit = todo.back();
      todo.pop_back();
      if (!affected_.insert(bit.number).second) continue;
      for (const NetPin& user : facts_.graph().users(bit)) {
        if (user.cell < 0) {
          outputs_.push_back(bit);
        } else {
          follow(user.cell, user, at(user.cell).ports[static_cast<std::size_t>(user.port)].name);
        }
      }
    }
  }
}

/// Nets that an affected input of a cell reaches.
std::vector<NetBit> Reach::reached_by(int c, const NetPin& pin, const std::string& port) {
  const NetCell& cell = at(c);
  const auto b = static_cast<std::size_t>(pin.bit);
  if (cell.is_register()) {
    if (port == "D") return state(c, b);
    if (port != "SRST") {
      controls_.emplace(c, port);
      return {};
    }
    std::vector<NetBit> all;
    for (std::size_t i = 0; i < cell.port("Q")->bits.size(); ++i) {
      for (const NetBit bit : state(c, i)) all.push_back(bit);
    }
    return all;
  }
  if (cell.is_memory_write()) {
    if (port == "DATA") return written(c, b);
    controls_.emplace(c, port);
    return {};
  }
  if (cell.is_memory_read()) {
    if (port == "ADDR") controls_.emplace(c, port);
    return {};
  }
  std::vector<NetBit> out;
  for (const NetPort& each : cell.ports) {
    if (!each.is_output) continue;
    if (is_bitwise(cell.type) && port != "S" && b < each.bits.size()) {
      out.push_back(each.bits[b]);
    } else {
      out.insert(out.end(), each.bits.begin(), each.bits.end());
    }
  }
  return out;
}

/// A register's bit, or nothing where it is in a loop and has to agree instead.
std::vector<NetBit> Reach::state(int c, std::size_t b) {
  const NetBit bit = at(c).port("Q")->bits[b];
  if (must_agree(c, bit) || distance_ == forward_) {
    loops_.emplace(c, b);
    return {};
  }
  groups_.insert(group_of(at(c)));
  return {bit};
}

bool Reach::must_agree(int c, NetBit bit) const {
  return facts_.is_in_loop(bit) || at(c).port("ARST") != nullptr;
}

std::vector<NetBit> Reach::written(int writer, std::size_t b) {
  std::vector<NetBit> out;
  if (distance_ == forward_) {
    loops_.emplace(writer, b);
    return out;
  }
  for (int c = 0; c < static_cast<int>(facts_.graph().cells().size()); ++c) {
    if (!at(c).is_memory_read() || facts_.writer_of(c) != writer) {
      if (at(c).is_memory_read() &&
          at(c).parameters.at("MEMID") == at(writer).parameters.at("MEMID")) {
        loses_time_ = true;
      }
      continue;
    }
    const NetBit bit = at(c).port("DATA")->bits[b];
    if (facts_.is_in_loop(bit)) {
      loses_time_ = true;
      continue;
    }
    groups_.insert(group_of_read(at(c), at(writer)));
    out.push_back(bit);
  }
  return out;
}

}  // namespace mx::sim

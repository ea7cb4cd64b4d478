// A Verilated netlist of mx_quantizer with mutants, in a shared library of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace mx::sim {

/// The parameters of mx_quantizer that differ from build to build.
struct NetlistBuild {
  int lanes = 32;
  int block = 32;

  [[nodiscard]] constexpr int beats() const { return block / lanes; }
  /// "32x32": lanes x block.
  [[nodiscard]] std::string name() const;
  bool operator==(const NetlistBuild&) const = default;
};

/// The library that netlist_library_source() is compiled into.
class NetlistLibrary {
 public:
  /// Throws DutError if it cannot be loaded.
  explicit NetlistLibrary(const std::string& path);
  ~NetlistLibrary();
  NetlistLibrary(const NetlistLibrary&) = delete;
  NetlistLibrary& operator=(const NetlistLibrary&) = delete;

 private:
  friend class Netlist;
  void* handle_ = nullptr;
  void* (*make_)(int) = nullptr;
  int (*eval_)(void*) = nullptr;
  void* (*port_)(void*, const char*) = nullptr;
  void (*free_)(void*) = nullptr;
};

/// One netlist at work. Ports are little-endian, as Verilator keeps them.
class Netlist {
 public:
  /// State that no reset touches starts at random values of `seed`, which is not 0.
  Netlist(const NetlistLibrary& library, int seed);
  ~Netlist();
  Netlist(const Netlist&) = delete;
  Netlist& operator=(const Netlist&) = delete;

  /// Lets inputs reach the outputs. Throws DutError if they do not settle.
  void eval();
  [[nodiscard]] std::uint8_t* port(const char* name) const;

 private:
  const NetlistLibrary& library_;
  void* netlist_;
};

/// C++ that, beside what Verilator makes of a netlist under the prefix Vmutants, gives the library.
[[nodiscard]] const char* netlist_library_source();

}  // namespace mx::sim

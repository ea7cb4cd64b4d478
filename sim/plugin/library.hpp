// The shared library of a plugin: found, loaded, and its table checked.
#pragma once

#include <memory>
#include <string>

#include "sim/plugin/guard.hpp"
#include "sim/plugin/mxgold_device.h"

namespace mx::sim {

/// A plugin as --dut names it: FILE.so[:ARGUMENTS].
struct PluginName {
  std::string file;
  std::string arguments;
};
[[nodiscard]] PluginName plugin_name(const std::string& text);

class PluginLibrary {
 public:
  /// Loads the file. Throws golden::VectorError with the file, the symbol or member, and a remedy
  /// where it is no plugin, or one of another version; DutError where its entry throws.
  PluginLibrary(const PluginName& name, std::chrono::milliseconds time_out);

  [[nodiscard]] const PluginPlace& place() const { return place_; }
  [[nodiscard]] const std::string& arguments() const { return arguments_; }
  [[nodiscard]] const mxgold_device_table& table() const { return *table_; }

 private:
  PluginPlace place_;
  std::string arguments_;
  const mxgold_device_table* table_ = nullptr;
};

}  // namespace mx::sim

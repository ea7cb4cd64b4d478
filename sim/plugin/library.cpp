#include "sim/plugin/library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "golden/bytes/error.hpp"

namespace mx::sim {
namespace {

constexpr const char* kSymbol = "mxgold_device_entry";

/// Where the file is. A plugin may change the folder; its name means what it meant at the start.
std::filesystem::path path_of(const std::string& file) {
  static const std::filesystem::path start = [] {
    std::error_code problem;  // of a folder that is gone
    std::filesystem::path folder = std::filesystem::current_path(problem);
    return problem ? std::filesystem::path(".") : folder;
  }();
  return start / file;
}

void require_file(const PluginPlace& place, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_regular_file(status)) return;
  const std::string_view what = !std::filesystem::exists(status)        ? "there is no such file"
                                : std::filesystem::is_directory(status) ? "is a folder"
                                                                        : "is no regular file";
  throw golden::VectorError(fmt::format(
      "{}: {}; --dut plugin:FILE.so takes the path of a shared library", place.name, what));
}

void* load(const PluginPlace& place, const std::string& file) {
  const std::filesystem::path path = path_of(file);
  require_file(place, path);
  // Constructors of the library run here.
  void* const library = call_plugin(place, kLoading, [&] {
    return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  });
  if (library != nullptr) return library;
  const char* const why = ::dlerror();
  throw golden::VectorError(
      fmt::format("{}: cannot be loaded: {}; build it with -shared -fPIC for this machine and link "
                  "what it needs",
                  place.name, why == nullptr ? "no reason given" : why));
}

const mxgold_device_table* enter(const PluginPlace& place, void* library) {
  using Entry = const mxgold_device_table* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, kSymbol));
  if (entry == nullptr) {
    throw golden::VectorError(fmt::format(
        "{}: has no symbol {}; export that function of mxgold_device.h (in C++ it is extern \"C\")",
        place.name, kSymbol));
  }
  const mxgold_device_table* const table = call_plugin(place, kSymbol, entry);
  if (table == nullptr) {
    throw golden::VectorError(
        fmt::format("{}: {}() returned NULL; return the plugin's table", place.name, kSymbol));
  }
  return table;
}

/// The first member stands where it does in every version.
void check(const PluginPlace& place, const mxgold_device_table& table) {
  if (table.abi_version != MXGOLD_DEVICE_ABI_VERSION) {
    throw golden::VectorError(
        fmt::format("{}: {}() returned a table of version {} (abi_version), this mxgold takes {}; "
                    "compile the plugin with this version's mxgold_device.h",
                    place.name, kSymbol, table.abi_version, MXGOLD_DEVICE_ABI_VERSION));
  }
  if (table.table_bytes != sizeof(mxgold_device_table)) {
    throw golden::VectorError(fmt::format(
        "{}: {}() returned a table of {} bytes (table_bytes), of version {} it has {}; write "
        "sizeof(mxgold_device_table)",
        place.name, kSymbol, table.table_bytes, table.abi_version, sizeof(mxgold_device_table)));
  }
  const auto require = [&](bool is_there, std::string_view member) {
    if (is_there) return;
    throw golden::VectorError(
        fmt::format("{}: {}() returned a table whose {} is NULL", place.name, kSymbol, member));
  };
  require(table.create != nullptr, "create");
  require(table.destroy != nullptr, "destroy");
  require(table.facts != nullptr, "facts");
  require(table.configure != nullptr, "configure");
}

}  // namespace

PluginName plugin_name(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

PluginLibrary::PluginLibrary(const PluginName& name, std::chrono::milliseconds time_out)
    : place_{"plugin " + name.file, time_out}, arguments_(name.arguments) {
  guard_plugins();
  table_ = enter(place_, load(place_, name.file));
  check(place_, *table_);
}

}  // namespace mx::sim

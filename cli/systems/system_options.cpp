#include "cli/systems/system_options.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/base/made.hpp"
#include "cli/text/names.hpp"
#include "emulators/casts/casts.hpp"

namespace mx::cli {

bool is_cast(std::string_view format) {
  const std::size_t colon = format.find(':');
  if (colon == std::string_view::npos) return false;
  for (std::size_t i = 0; !emulators::package_name(i).empty(); ++i) {
    if (emulators::package_name(i) == format.substr(0, colon)) return true;
  }
  return false;
}

Names rejoined(const Names& parts) {
  Names names;
  int depth = 0;
  for (const std::string& part : parts) {
    if (depth > 0) {
      names.back() += "," + part;
    } else {
      names.push_back(part);
    }
    for (const char c : part) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  return names;
}

void refuse_other_options(const Command& command, std::span<const std::string_view> known,
                          std::string_view cast) {
  for (const Option option : command.get_options()) {
    const std::string name = option.get_name();
    if (option.count() == 0 || !name.starts_with("--")) continue;
    if (std::ranges::find(known, name) != known.end()) continue;
    fail(Exit::kUsage, "{}: says nothing to {}; the text of a cast says everything", name,
         printable(cast));
  }
}

void refuse_idle_platform(const Command& command, const SystemOptions& options) {
  static_cast<void>(require_token<Platform>("value of --platform", options.platform));
  if (options.mode != token_of(SystemMode::kStrict)) return;
  if (command.count("--platform") == 0) return;
  fail(Exit::kUsage,
       "--platform: strict is the same on every platform; leave it out, or give --mode compat");
}

Option platform_option(const Command& app, std::string& platform) {
  return app
      .add_option("--platform", platform, "Casts of systems: whose compat, x86 | aarch64 | cuda")
      .capture_default_str();
}

namespace {

/// The environment may narrow the vectors that casts use; a name that none has would say nothing.
void require_target() {
  constexpr std::array<std::string_view, 3> kNames = {"baseline", "avx2", "avx512"};
  const char* const wanted = std::getenv("MXGOLD_VECTORS");
  if (wanted == nullptr || *wanted == '\0' || std::ranges::find(kNames, wanted) != kNames.end()) {
    return;
  }
  fail(Exit::kUsage, "MXGOLD_VECTORS={}: give baseline, avx2 or avx512, or unset it",
       printable(wanted));
}

}  // namespace

casts::CastPointer require_cast(const std::string& text, std::string_view mode,
                                std::string_view platform) {
  const casts::Setting setting{
      require_token<SystemMode>("value of --mode", std::string(mode)),
      require_token<Platform>("value of --platform", std::string(platform))};
  require_target();
  Checked<casts::CastPointer> cast = emulators::make_cast(text, setting);
  if (!cast && setting.mode == SystemMode::kCompat) {
    fail(
        Exit::kUsage,
        "{}: mode compat refuses it as the package does, which raises {}; --mode strict says which "
        "spelling is expected",
        printable(text), cast.problem());
  }
  return made(std::move(cast));
}

std::optional<TensorType> tensor_type(std::string_view source) {
  const auto type = parse_token<TensorType>(source);
  const bool is_float = type && *type <= TensorType::kFp64;
  return is_float ? type : std::nullopt;
}

}  // namespace mx::cli

// The list of subcommands.
#include "cli/base/command.hpp"

namespace mx::cli {

void add_all_commands(CLI::App& root, Exit& exit) {
  add_list(root, exit);
  add_quantize(root, exit);
  add_dequantize(root, exit);
  add_dot(root, exit);
  add_explain(root, exit);
  add_gen(root, exit);
  add_check(root, exit);
  add_verify_goldens(root, exit);
  add_run(root, exit);
  add_diff_profile(root, exit);
  add_identify(root, exit);
}

std::string_view version() { return MX_VERSION; }
std::string_view commit() { return MX_COMMIT; }

}  // namespace mx::cli

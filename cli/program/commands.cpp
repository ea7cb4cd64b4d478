// The list of subcommands. Those of a file that is not part of this build are left out.
#include "mx/cli/command.hpp"

namespace mx::cli {

void add_all_commands([[maybe_unused]] CLI::App& root, [[maybe_unused]] Exit& exit) {
#ifdef MX_CLI_LIST
  add_list(root, exit);
#endif
#ifdef MX_CLI_QUANTIZE
  add_quantize(root, exit);
#endif
#ifdef MX_CLI_DEQUANTIZE
  add_dequantize(root, exit);
#endif
#ifdef MX_CLI_DOT
  add_dot(root, exit);
#endif
#ifdef MX_CLI_EXPLAIN
  add_explain(root, exit);
#endif
#ifdef MX_CLI_GEN
  add_gen(root, exit);
#endif
#ifdef MX_CLI_CHECK
  add_check(root, exit);
#endif
#ifdef MX_CLI_VERIFY_GOLDENS
  add_verify_goldens(root, exit);
#endif
#ifdef MX_CLI_RUN
  add_run(root, exit);
#endif
#ifdef MX_CLI_DIFF_PROFILE
  add_diff_profile(root, exit);
#endif
#ifdef MX_CLI_IDENTIFY
  add_identify(root, exit);
#endif
}

std::string_view version() { return MX_VERSION; }
std::string_view commit() { return MX_COMMIT; }

}  // namespace mx::cli

// The list of subcommands.
#include "cli/base/command.hpp"

// One line a subcommand, in the order of the help: NAME stands for add_NAME.
#define MX_SUBCOMMANDS(ROW) \
  ROW(gen)                  \
  ROW(check)                \
  ROW(run)                  \
  ROW(replay)               \
  ROW(verify_goldens)       \
  ROW(answer)               \
  ROW(cover)                \
  ROW(explain)              \
  ROW(identify)             \
  ROW(diff_profile)         \
  ROW(list)                 \
  ROW(word)                 \
  ROW(inspect)              \
  ROW(quantize)             \
  ROW(dequantize)           \
  ROW(dot)                  \
  ROW(mma)                  \
  ROW(plot)                 \
  ROW(dpi)                  \
  ROW(prove)                \
  ROW(mutate)               \
  ROW(sweep)                \
  ROW(merge)                \
  ROW(farm)                 \
  ROW(init)                 \
  ROW(new)                  \
  ROW(help)                 \
  ROW(doctor)               \
  ROW(man)                  \
  ROW(completion)

namespace mx::cli {

#define MX_DECLARE(name) void add_##name(const Command& root, Exit& exit);
MX_SUBCOMMANDS(MX_DECLARE)
#undef MX_DECLARE

void add_all_commands(const Command& root, Exit& exit) {
#define MX_ADD(name) add_##name(root, exit);
  MX_SUBCOMMANDS(MX_ADD)
#undef MX_ADD
}

std::string_view version() { return MX_VERSION; }
std::string_view commit() { return MX_COMMIT; }

}  // namespace mx::cli

// mxgold mutate: defects in the netlist of our RTL, each caught by the smoke suite or proved to be
// none.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/base/command.hpp"
#include "cli/options/common.hpp"
#include "cli/run/device_errors.hpp"
#include "sim/mutate/campaign.hpp"
#include "sim/mutate/tools.hpp"

namespace mx::cli {
namespace {

struct Options {
  std::string rtl = "rtl", build = "32x32", work;
  std::size_t count = 100;
  std::uint64_t seed = kDefaultSeed;
  int threads = 0;
};

Exit mutate_command(const Options& options) {
  const sim::WorkFolder work(options.work);
  sim::CampaignOptions campaign;
  campaign.rtl = options.rtl;
  campaign.work = work.path();
  const std::size_t x = options.build.find('x');
  campaign.build = {std::stoi(options.build.substr(0, x)), std::stoi(options.build.substr(x + 1))};
  campaign.count = options.count;
  campaign.seed = options.seed;
  campaign.threads = static_cast<unsigned>(thread_count(options.threads));
  campaign.say = [](std::string_view text) { fmt::print(stderr, "{}\n", text); };
  const sim::Campaign result = sim::run_campaign(campaign);
  for (const sim::Mutant& m : result.mutants) {
    fmt::print("{} | {} | {}\n", sim::token_of(m.verdict), m.mutation.text(),
               m.kill ? m.kill->where + ": " + m.kill->what : m.proof);
  }
  fmt::print("score {:.2f}\n", 100 * result.score());
  return Exit::kPass;
}

}  // namespace

void add_mutate(CLI::App& root, Exit& exit) {
  const auto options = std::make_shared<Options>();
  CLI::App* const app =
      root.add_subcommand("mutate", "defects in our RTL's netlist, caught or proved to be none");
  app->add_option("--rtl", options->rtl, "Folder of the RTL");
  app->add_option("--build", options->build, "LANESxBLOCK");
  app->add_option("--count", options->count, "Mutants");
  app->add_option("--work", options->work, "Folder");
  seed_option(*app, options->seed);
  threads_option(*app, options->threads);
  app->callback(
      [options, &exit] { exit = with_device_errors([&] { return mutate_command(*options); }); });
}

}  // namespace mx::cli

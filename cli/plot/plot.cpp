// SPDX-License-Identifier: Apache-2.0
// mxgold plot: pictures as SVG.
#include <algorithm>
#include <array>
#include <memory>

#include "cli/base/command.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/unread.hpp"
#include "cli/plot/kinds.hpp"
#include "golden/bytes/new_file.hpp"

namespace mx::cli {
namespace {

constexpr const char* kPlotExamples = R"(
Kinds:
  numberline FORMAT...   the values of a format: ties, subnormals, the largest; several side by side
  block [NUMBER...]      a block: inputs, shared scale, codes, values, errors
  scales [RULE...]       scale rules, or profiles, as thresholds over a block's maximum
  histogram [FILE]       how often each code occurs in a tensor
  errors                 the largest relative error over the magnitude, for several formats
  agreement [FILE]       who agrees with whom
  pipeline               the stages of our RTL, and a stalled handshake
  bench                  where mxgold sits in a bench
Without FILE or NUMBER, the values are those of a normal distribution, the same everywhere.

Examples:
  mxgold plot numberline e2m1fn -o e2m1.svg
  mxgold plot block --format mxfp4 1 -0.4 3.1 0.02 -o block.svg
  mxgold plot scales --format mxfp8_e4m3 floor rceil even_up -o scales.svg
  mxgold plot histogram --format mxfp4 -o codes.svg
  mxgold plot errors --format mxfp8_e4m3,mxfp4,nvfp4 -o errors.svg
  mxgold plot agreement --format mxfp4 -o agreement.svg)";

constexpr std::array<std::string_view, 1> kSvgOutput = {".svg"};

/// A kind, and the options that say something to it.
struct PlotKind {
  std::string_view name;
  std::string (*draw)(const PlotRequest&);
  bool has_inputs;
  std::vector<std::string_view> options;
};

std::vector<PlotKind> plot_kinds() {
  return {{"numberline", plot_numberline, true, {"--rounding"}},
          {"block",
           plot_block,
           true,
           {"--format", "--source", "--profile", "--blocks-as", "--rule", "--rounding"}},
          {"scales", plot_scales, true, {"--format", "--source"}},
          {"histogram",
           plot_histogram,
           true,
           {"--format", "--source", "--profile", "--blocks-as", "--rule", "--rounding"}},
          {"errors",
           plot_errors,
           false,
           {"--format", "--source", "--profile", "--blocks-as", "--rule", "--rounding"}},
          {"agreement", plot_agreement, true, {"--format", "--source", "--profile", "--blocks-as"}},
          {"pipeline", plot_pipeline, false, {}},
          {"bench", plot_bench, false, {}}};
}

struct PlotOptions {
  std::string kind;
  PlotRequest request;
  std::string rule;
  std::string rounding;
  std::string output;
  FormatOptions formats;
};

PlotKind require_kind(const std::string& name) {
  std::vector<std::string_view> names;
  for (PlotKind& kind : plot_kinds()) {
    if (kind.name == name) return std::move(kind);
    names.push_back(kind.name);
  }
  throw Error(Exit::kUsage, unknown_name("kind", name, names));
}

void refuse_unread(const Command& command, const PlotOptions& options, const PlotKind& kind) {
  if (!kind.has_inputs && !options.request.inputs.empty()) {
    fail(Exit::kUsage, "{}: this kind takes no input", options.request.inputs.front());
  }
  for (const std::string_view option :
       {"--format", "--source", "--profile", "--blocks-as", "--rule", "--rounding"}) {
    if (std::ranges::find(kind.options, option) != kind.options.end()) continue;
    refuse_given(command, std::array{option}, fmt::format("says nothing to {}", kind.name));
  }
}

void plot(const Command& command, PlotOptions& options) {
  const PlotKind kind = require_kind(options.kind);
  refuse_unread(command, options, kind);
  if (options.request.profiles.empty()) refuse_without(command, "--blocks-as", "--profile");
  if (!options.rule.empty())
    options.request.rule = require_token<ScaleRule>("--rule", options.rule);
  if (!options.rounding.empty())
    options.request.rounding = require_token<Rounding>("--rounding", options.rounding);
  const std::shared_ptr<FormatBook> book = options.formats.book();
  options.request.book = book.get();
  golden::write_file(options.output, kind.draw(options.request));
}

}  // namespace

void add_plot(const Command& root, Exit&) {
  const Command command =
      root.add_subcommand("plot", "Formats, blocks, rules and systems as pictures (SVG)");
  const auto options = std::make_shared<PlotOptions>();
  PlotRequest& request = options->request;
  command
      .add_option("KIND", options->kind,
                  "numberline, block, scales, histogram, errors, agreement, pipeline or bench")
      .required();
  command.add_option("INPUT", request.inputs,
                     "What to show: formats, numbers, rules or a tensor file, by the kind");
  output_option(command, options->output, "the picture", kSvgOutput).required();
  format_option(command, request.formats);
  source_option(command, request.source);
  profile_option(command, request.profiles);
  command.add_option("--rule", options->rule, "Scale rule, in place of the profile's");
  command.add_option("--rounding", options->rounding, "Rounding, in place of the profile's");
  options->formats.add_to(command);
  command.footer(kPlotExamples);
  command.callback([options, command] { plot(command, *options); });
}

}  // namespace mx::cli

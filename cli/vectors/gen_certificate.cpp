#include "cli/vectors/gen_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/certificates/file.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/scale.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {
namespace {

Names listed(const Names& names, const std::string& otherwise, const Names& all) {
  if (names.empty()) return {otherwise};
  return is_all(names) ? all : names;
}

/// Certificates hold their formats by name alone.
const ElementFormat& require_known(FormatBook& book, const std::string& name) {
  const ElementFormat& format = book.require_element("format", name);
  if (!make_format(format.name)) {
    fail(Exit::kUsage,
         "{}: a certificate names its formats, and this name is your definition's; "
         "--op cvt writes definitions into its files",
         name);
  }
  return format;
}

}  // namespace

void gen_certificates(const GenOptions& options, const std::string& folder) {
  if (!std::filesystem::exists(folder) && folder != "-") {
    fail(Exit::kUsage, "-o {}: there is no such folder, which certificates go into; make it first",
         folder);
  }
  if (!std::filesystem::is_directory(folder)) {
    fail(Exit::kUsage, "-o {}: certificates are pairs of files; name a folder", folder);
  }
  FormatCatalog catalog;
  std::size_t written = 0;
  for (const std::string& source :
       listed(options.configs.sources, "fp32", golden::certificate_sources())) {
    for (const std::string& destination :
         listed(options.configs.formats, "e4m3fn", golden::stored_destinations())) {
      const ElementFormat& from = require_known(*options.configs.book, source);
      const ElementFormat& to = require_known(*options.configs.book, destination);
      const std::string_view problem = golden::certificate_problem(from, to);
      if (!problem.empty()) fail(Exit::kUsage, "{} to {}: {}", source, destination, problem);
      golden::write_certificate(folder, golden::make_certificate(from, to));
      ++written;
    }
  }
  if (is_all(options.configs.sources) && is_all(options.configs.formats)) {
    golden::write_file((std::filesystem::path(folder) / golden::kIndexName).string(),
                       golden::index_text(golden::make_index(catalog)));
    golden::write_file((std::filesystem::path(folder) / golden::kScaleFileName).string(),
                       golden::scale_text(golden::stored_scale_certificates()));
  }
  fmt::print("wrote {} certificates to {}\n", written, folder);
}

}  // namespace mx::cli

// Measures which bins the vectors of one configuration hit. spec V10.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "golden/coverpoints/collector.hpp"
#include "golden/vectors/header.hpp"

namespace mx::golden {

/// A collector for one configuration of a file; bins that no input can hit are proved so here.
[[nodiscard]] std::unique_ptr<Collector> make_collector(const VectorHeader& header,
                                                        std::size_t config);

/// A covergroup without counts: names and the configuration of the collector.
[[nodiscard]] Covergroup group_of(const VectorHeader& header, std::size_t config);

/// The covergroup of a line `configuration` that group_of has written, with all bins of its
/// collector and no hits; nothing for any other line.
[[nodiscard]] std::optional<Covergroup> model_of(const std::string& configuration,
                                                 casts::CastMaker casts = casts::no_casts);

}  // namespace mx::golden

// Which records a described device can be given.
#pragma once

#include <string>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/device/description.hpp"
#include "sim/device/fit.hpp"
#include "sim/record/offer.hpp"

namespace mx::sim {

/// What the description says that the device computes.
[[nodiscard]] Offer offer_of(const Description& description);

/// "" if the device computes a configuration as far as the description says, else the field in the
/// way and what it may be.
[[nodiscard]] std::string refusal_of(const Description& description,
                                     const golden::Configuration& configuration);

/// "" if the device can be given these records and told their configurations apart, else why not.
[[nodiscard]] std::string refusal_of(const Description& description,
                                     const golden::VectorHeader& header);

/// Brings the operands of records into what the device assumes of them.
void assume(const Description& description, golden::RecordBatch& batch);
/// "operands held to what the device file assumes: source 3c to 7f"; "" where it assumes nothing.
[[nodiscard]] std::string assumed_text(const Description& description);
/// "" if the operands are what the device assumes, else which are not.
[[nodiscard]] std::string unassumed(const Description& description,
                                    const golden::RecordBatch& batch);

/// Throws golden::VectorError, naming file and member, where ports give a part of the words or bits
/// of a field of these records: the rest would be made up.
void require_whole(const Description& description, const std::vector<Carried>& carried,
                   const golden::VectorHeader& header);

/// The result fields of the records that some port carries.
[[nodiscard]] std::vector<std::string> observed_fields(const Description& description,
                                                       const golden::RecordShape& shape);

}  // namespace mx::sim

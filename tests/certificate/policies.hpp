// Which formats and policies the certificate tests walk through.
#pragma once

#include <vector>

#include "golden/certificates/certificate.hpp"
#include "reference/format/format.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {

inline const std::vector<ElementFormat>& source_formats() {
  static const std::vector<ElementFormat> all = {formats::fp32, formats::bf16, formats::fp16};
  return all;
}

/// Every row of the format table that has certificates.
inline std::vector<ElementFormat> table_destinations() {
  std::vector<ElementFormat> all;
  for (const ElementFormat& format : all_formats()) {
    if (certificate_problem(formats::fp32, format).empty()) all.push_back(format);
  }
  return all;
}

}  // namespace mx::golden

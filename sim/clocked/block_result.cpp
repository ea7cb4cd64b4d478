// SPDX-License-Identifier: Apache-2.0
#include "sim/clocked/block_result.hpp"

#include "sim/clocked/block_batch.hpp"

namespace mx::sim {

Tally tally_of(const golden::Verdict& verdict, const CertificateCounts& certified) {
  Tally tally;
  tally.blocks = verdict.vectors;
  tally.elements = verdict.codes.all();
  tally.codes = verdict.codes;
  tally.bad_blocks = verdict.mismatches;
  tally.bad_elements = verdict.bad_elements;
  tally.words = verdict.words;
  tally.dont_care = verdict.dont_care;
  tally.open = verdict.open;
  tally.unobserved = verdict.unobserved;
  tally.waived = verdict.waived;
  tally.unjudged = verdict.unjudged;
  tally.certified = certified.elements;
  tally.uncertified = certified.without;
  tally.certified_scales = certified.scales;
  return tally;
}

Mismatch mismatch_of(const RecordMismatch& record, Compare compare) {
  Mismatch m{record.number,        block_of(record.actual, 0),  answer_of(record.expected, 0),
             open_of(record.open), answer_of(record.actual, 0), compare};
  // What came out may differ from what went in.
  m.block.keep = m.expected.keep;
  m.block.last = m.expected.last;
  if (record.previous) m.previous = block_of(*record.previous, 0);
  return m;
}

}  // namespace mx::sim

// A thousand golden vectors of a configuration in one line, on standard output as a .tv file has
// them, without header and trailer.
#include <cstdio>

#include "mxgold/golden/answers/answers.hpp"
#include "mxgold/golden/configuration/shorthand.hpp"
#include "mxgold/golden/stimulus/stimulus.hpp"
#include "mxgold/golden/vectors/protocol.hpp"

int main(int argc, char** argv) {
  using namespace mx::golden;
  mx::FormatCatalog catalog;
  const auto what = parse_shorthand(argc > 1 ? argv[1] : "format=mxfp8_e4m3 rule=rceil", catalog);
  if (!what) {
    std::fprintf(stderr, "%s\n", std::string(what.problem()).c_str());
    return 2;
  }
  VectorHeader header;
  header.op = what->operation();
  header.configs = {*what};
  header.lanes = block_elements(*what);
  header.suite = "rnd";
  header.drawn = 1000;
  header.count = Stimulus(header).size();
  RecordBatch records;
  Stimulus(header).fill(0, header.count, records);
  ReferenceAnswerer(header).answer(records, 0, records.size());
  RecordLines lines(header.shape());
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::printf("%s %s\n", lines.operands(records, i).c_str(), lines.results(records, i).c_str());
  }
}

// Another program, run to its end.
#pragma once

#include <string>
#include <vector>

namespace mx::cli {

/// How a program ended: `signal` is 0, or what killed it.
struct ChildEnd {
  int status = 0;
  int signal = 0;
  std::string out;
  std::string err;
  double seconds = 0;
};

/// Runs a program in a folder ("": this one) with nothing on its standard input. A name without a
/// slash is looked for in PATH; status 127: it could not be started. The kernel kills it when the
/// calling thread ends, however that ends: none goes on alone. Throws Error kHost where there
/// is no process to be had.
[[nodiscard]] ChildEnd run_child(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 const std::string& folder);

/// The same of this very program, also where its file was replaced since it started.
[[nodiscard]] ChildEnd run_this_program(const std::vector<std::string>& arguments,
                                        const std::string& folder);

}  // namespace mx::cli

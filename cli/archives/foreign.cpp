// SPDX-License-Identifier: Apache-2.0
// Files that are none of tensors that can be read: which kind they are, and what to do.
#include <array>

#include "cli/archives/zip.hpp"
#include "cli/files/tensor_header.hpp"

namespace mx::cli {
namespace {

struct Foreign {
  std::string_view start;
  std::size_t at;  ///< where the bytes stand
  std::string_view what;
};

constexpr std::array kForeign = {
    Foreign{"version https://git-lfs", 0,
            "a pointer of Git LFS in place of the file; fetch it with git lfs pull"},
    Foreign{"\x80\x02", 0,
            "a pickle without a zip archive, as torch.save wrote before version 1.6; load it and "
            "save it again with torch.save"},
    Foreign{"\x80\x03", 0,
            "a pickle without a zip archive; save the arrays as .npz or .safetensors"},
    Foreign{"\x80\x04", 0,
            "a pickle without a zip archive; save the arrays as .npz or .safetensors"},
    Foreign{"\x80\x05", 0,
            "a pickle without a zip archive; save the arrays as .npz or .safetensors"},
    Foreign{"\x89HDF", 0, "an HDF5 file; save its arrays as .npz or .safetensors"},
    Foreign{"TFL3", 4, "a TensorFlow Lite model; save its tensors as .safetensors"},
    Foreign{"PAR1", 0, "a Parquet table; save its columns as .npz"},
    Foreign{"MATLAB 5.0", 0, "a MATLAB file; save its arrays as .npz (scipy.io.loadmat reads it)"},
    Foreign{"\x1F\x8B", 0, "a gzip file; unpack it with gunzip"},
    Foreign{"\x28\xB5\x2F\xFD", 0, "a Zstandard file; unpack it with unzstd"},
    Foreign{"BZh", 0, "a bzip2 file; unpack it with bunzip2"},
    Foreign{"\xFD"
            "7zXZ",
            0, "an xz file; unpack it with unxz"},
    Foreign{"7z\xBC\xAF", 0, "a 7z archive; unpack it"},
    Foreign{"ustar", 257, "a tar archive; unpack it with tar -x"},
    Foreign{"\x7F"
            "ELF",
            0, "a program or library"},
    Foreign{"\x89PNG", 0, "a PNG picture"},
    Foreign{"%PDF", 0, "a PDF document"},
    Foreign{"<!DOCTYPE", 0,
            "a web page, perhaps in place of a download that failed; fetch it again"},
    Foreign{"<html", 0, "a web page, perhaps in place of a download that failed; fetch it again"},
    Foreign{"{\"", 0, "JSON text; of a model in pieces name the .safetensors.index.json"},
    Foreign{"{\n", 0, "JSON text; of a model in pieces name the .safetensors.index.json"},
    Foreign{"# mxgold", 0, "vectors of mxgold; see mxgold check"}};

}  // namespace

std::string_view foreign_kind(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  for (const Foreign& each : kForeign) {
    if (text.substr(std::min(each.at, text.size())).starts_with(each.start)) return each.what;
  }
  if (starts_as_zip(bytes)) {
    return zip_holds(bytes, "") ? "a zip archive with neither arrays (*.npy) nor a file of PyTorch "
                                  "(data.pkl) inside; unpack it"
                                : "a zip archive whose directory is not at its end: truncated or "
                                  "damaged, copy it again";
  }
  return "";
}

}  // namespace mx::cli

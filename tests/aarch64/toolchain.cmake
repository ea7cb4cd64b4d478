# g++ of Debian for AArch64, with the libraries that were unpacked under MX_AARCH64_ROOT;
# MX_AARCH64_EMULATOR: the words that run a program of it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MX_AARCH64_ROOT MX_AARCH64_EMULATOR)
set(CMAKE_CROSSCOMPILING_EMULATOR ${MX_AARCH64_EMULATOR})
set(CMAKE_FIND_ROOT_PATH ${MX_AARCH64_ROOT})
set(CMAKE_PREFIX_PATH ${MX_AARCH64_ROOT}/usr /usr)  # what is headers alone, the machine's own packages have too
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${MX_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu")

"""Where a package's tensors live: in the host's memory, or with --cuda in that of a GPU, whose answers the emulated systems
give as platform "cuda"."""

import sys

from judge import SKIP

FLAGS = {"--cuda": "the package's tensors on a GPU, against the answers for platform cuda"}
IS_CUDA = "--cuda" in sys.argv
PLATFORM = "cuda" if IS_CUDA else "x86"


def versions(torch):
    """Of torch, and which GPU; or the end of the run, skipped, where one is wanted and there is none."""
    if not IS_CUDA:
        return f"torch {torch.__version__}"
    if not torch.cuda.is_available():
        print(f"SKIP {sys.argv[0].rsplit('/', 1)[-1]} --cuda: torch {torch.__version__} sees no GPU")
        sys.exit(SKIP)
    return f"torch {torch.__version__} on {torch.cuda.get_device_name()}"


def there(tensor):
    return tensor.to("cuda" if IS_CUDA else "cpu")

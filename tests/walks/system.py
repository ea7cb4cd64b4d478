# SPDX-License-Identifier: Apache-2.0
"""A bare Debian 12 to walk in: what debootstrap makes (no compiler, no Python), and commands run in it as root."""

import contextlib
import re
import shutil
import subprocess
from pathlib import Path

MOUNTED = ("proc", "sys", "dev")
SETTINGS = Path("/etc")
# The certificates that this machine trusts, beside those of a package that is installed later.
TRUSTED = "etc/machine-certificates.crt"


class Unavailable(Exception):
    """Why this machine cannot make one."""


def mirror():
    """The mirror that this machine's apt uses."""
    found = ""
    for file in (SETTINGS / "apt/sources.list", *sorted((SETTINGS / "apt/sources.list.d").glob("debian.*"))):
        if file.exists():
            found += file.read_text()
    match = re.search(r"^(?:URIs: *|deb +(?:\[[^]]*\] +)?)([a-z]+://\S+)", found, re.M)
    return match[1] if match else "http://deb.debian.org/debian"


def bring(base, release="bookworm"):
    """debootstrap's tree at `base`, made once. It reaches the mirrors and indices that this machine does."""
    if (base / ".ready").exists():
        return
    if shutil.which("debootstrap") is None:
        raise Unavailable("apt install debootstrap")
    shutil.rmtree(base, ignore_errors=True)
    made = subprocess.run(["debootstrap", "--variant=minbase", release, str(base), mirror()], capture_output=True,
                          text=True, check=False)
    if made.returncode != 0:
        raise Unavailable(f"debootstrap: {made.stdout.strip().splitlines()[-1:]}")
    copies = [*SETTINGS.glob("apt/apt.conf.d/*"), *SETTINGS.glob("pip.conf")]
    if release == "bookworm":
        (base / "etc/apt/sources.list").unlink(missing_ok=True)  # debootstrap's, which the machine's have, too
        copies += [*SETTINGS.glob("apt/sources.list"), *SETTINGS.glob("apt/sources.list.d/debian.*")]
    for file in copies:
        if "Post-Invoke" not in file.read_text(errors="replace"):
            target = base / file.relative_to("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    if (trusted := SETTINGS / "ssl/certs/ca-certificates.crt").exists():
        shutil.copy(trusted, base / TRUSTED)
    (base / "etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true";\n')
    (base / ".ready").touch()


@contextlib.contextmanager
def copy(base, place):
    """A fresh copy of the tree, with what a system has mounted, for as long as the block runs."""
    leave(place)
    subprocess.run(["rm", "-rf", "--one-file-system", str(place)], check=True)  # never through what is mounted
    subprocess.run(["cp", "-a", str(base), str(place)], check=True)
    for name in ("resolv.conf", "hosts"):
        if (SETTINGS / name).exists():
            shutil.copy(SETTINGS / name, place / "etc" / name)
    try:
        for name in MOUNTED:
            subprocess.run(["mount", "--rbind", f"/{name}", str(place / name)], check=True)
            subprocess.run(["mount", "--make-rslave", str(place / name)], check=True)
        yield place
    finally:
        leave(place)


def leave(place):
    """Nothing of the machine's stays mounted in the copy, which is then safe to delete."""
    for name in MOUNTED:
        if (place / name).is_mount():
            subprocess.run(["umount", "-R", "-l", str(place / name)], check=True)


def run(place, script, environment, limit):
    """Runs a bash script, a path inside of the copy; its exit status, -1 after `limit` seconds."""
    if (place / TRUSTED).exists():
        environment = {"PIP_CERT": f"/{TRUSTED}", **environment}
    command = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "NO_COLOR=1",
               "DEBIAN_FRONTEND=noninteractive", *(f"{name}={value}" for name, value in environment.items()),
               "chroot", str(place), "/bin/bash", script]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=limit, check=False).returncode
    except subprocess.TimeoutExpired:
        return -1

"""A full disk: what was acknowledged stays, the rest is refused, and when there is room again it goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from web.processes import Process
from web.test_kill import Reader, Typist, ends_well, ledger


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes in a file."""
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None or shutil.which("mount") is None:
        pytest.skip("A FULL DISK IS NOT TESTED HERE: that needs root, mkfs.ext4 and loop mounts")
    image, folder = tmp_path / "disk.img", tmp_path / "disk"
    folder.mkdir()
    with open(image, "wb") as file:
        file.truncate(8 << 20)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
    mounted = subprocess.run(["mount", "-o", "loop", str(image), str(folder)], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"A FULL DISK IS NOT TESTED HERE: no loop mount: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    process = Process(str(small_disk / "foedus.db"))
    player = process.start().person("Anna")
    table, seat = ledger(player)
    filler = small_disk / "filler"
    typist, reader = Typist(player, table, seat), Reader(player, table, seat)
    try:
        typist.further(5)
        with open(filler, "wb") as file:
            while True:
                try:
                    file.write(bytes(4096))
                    file.flush()
                except OSError:
                    break
        end = time.monotonic() + 30
        while not typist.put_off and time.monotonic() < end:
            time.sleep(0.02)
        assert typist.put_off, "the disk was not full"
        assert player.send("GET", f"/api/tables/{table}/view?seat={seat}").is_success
        filler.unlink()
        typist.further(5)
    finally:
        typist.stop.set()
        typist.thread.join(20)
    try:
        ends_well(player, table, seat, typist, reader)
    finally:
        reader.stop = True
        process.stop()
        player.close()
        reader.thread.join(20)

"""Archives in Zstandard as other tools write them: in one frame without checksum, or with a dictionary before the records."""

from __future__ import annotations

import base64
import struct
from pathlib import Path

import pytest

from tests.archive.test_damaged_answers import zstandard
from tests.archive.test_warc import Read, record

# Ten records of `record`, compressed as one by the library of Zstandard: the frame ends with its data.
ONE_FRAME = base64.b64decode(
    "KLUv/WBgKzUHANKMLB6Qff9/MTF3dUWEJRtwhHrgPeBEgEBa7y5ZfB1jKDNvPMPx7MpzG8/OyWwmc/z4xc842jM/gRnJH+6/+k9ZuigMzQm+ryyTgAAI"
    "EkPRPfxg6avGn+wHU1IvuzTF33nieJ7dL/0vTQgI1u3Hk+xWT3R79/P/UPcJ04bvQbTjjqIbRedFxo2B8wExCkN3/7vI4f0TVbWXqMroHk3Dh5qex3xa"
    "mmfqUd39yWYDEBQE3xD2bAERAO1njsywV7Dgk2YBX7XKgrPGhIZNP7WOXUBedYOMIRQ1JP+Rn1cgY1BZxJm1VukC"
)
# A dictionary made from words between <p> and </p>.
DICTIONARY = base64.b64decode(
    "N6Qw7MN5IgYgENhKkg4MwzAMw4AWIKVMUmZlP4PsRgghhHgJA7K11gYjAAAgIBPbAkCCAwAABKDJCIIAAAAAAAAAwA6AGAAAAAAAAAAAAAAAAAAAAAAA"
    "AMQAAAAAAADwAACkFyAQCAYDgmBw8PREYGYAAAAAAAAAAQAAAAQAAAAIAAAAdGV4dDxwPjU1OTA3NTk3NDwvcD5mZmNiYmRmYWViZGdhZSBmYSBiYSBm"
    "YyBmY2IgZGd0ZXh0PHA+ODMzNzQ3Mjc3PC9wPmdlYWNhZWVmY2NlICBjZmYgYWEgY2ZjIGRlZmNhYrinIHRleHQ8cD4yNTE5NjUzNDM8L3A+ZQ=="
)


@pytest.mark.parametrize(
    "data",
    [
        ONE_FRAME,
        struct.pack("<II", 0x184D2A5D, len(DICTIONARY)) + DICTIONARY + 10 * zstandard(record()),
    ],
    ids=["one frame", "dictionary"],
)
def test_all_pages_are_read_and_no_damage_is_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.warc.zst"
    path.write_bytes(data)
    read = Read(path)
    assert (len(read.bodies), dict(read.reasons)) == (10, {})

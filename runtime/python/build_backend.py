# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pip calls to make a wheel of this folder (PEP 517 and 660): files in an archive, for which
nothing has to be fetched or installed, setuptools included."""

import base64
import hashlib
import io
import pathlib
import tarfile
import tomllib
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent
PROJECT = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
RELEASE = f"{PROJECT['name']}-{PROJECT['version']}"
INFO = f"{RELEASE}.dist-info"
METADATA = "\n".join([
    "Metadata-Version: 2.1",
    f"Name: {PROJECT['name']}",
    f"Version: {PROJECT['version']}",
    f"Summary: {PROJECT['description']}",
    f"License: {PROJECT['license']['text']}",
    f"Requires-Python: {PROJECT['requires-python']}",
    *(f"Requires-Dist: {name}" for name in PROJECT["dependencies"]),
]) + "\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _sources() -> list[pathlib.Path]:
    package = FOLDER / PROJECT["name"]
    return sorted([*package.glob("*.py"), package / "py.typed"])


def _write_wheel(folder: str, files: dict[str, bytes]) -> str:
    """A wheel of these files, with a list of their checksums; its name is the result."""
    files = files | {f"{INFO}/METADATA": METADATA.encode(), f"{INFO}/WHEEL": WHEEL.encode()}
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{INFO}/RECORD"] = (record + f"{INFO}/RECORD,,\n").encode()
    wheel = f"{RELEASE}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return _write_wheel(wheel_directory, {path.relative_to(FOLDER).as_posix(): path.read_bytes()
                                          for path in _sources()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    return _write_wheel(wheel_directory, {f"{PROJECT['name']}.pth": f"{FOLDER}\n".encode()})


def build_sdist(sdist_directory, config_settings=None) -> str:
    name = f"{RELEASE}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory, name), "w:gz") as archive:
        for path in [*_sources(), FOLDER / "pyproject.toml", pathlib.Path(__file__).resolve()]:
            archive.add(path, f"{RELEASE}/{path.relative_to(FOLDER).as_posix()}")
        information = tarfile.TarInfo(f"{RELEASE}/PKG-INFO")
        information.size = len(METADATA.encode())
        archive.addfile(information, io.BytesIO(METADATA.encode()))
    return name

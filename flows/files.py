"""Flow files, as commands, pages and the API take them: single files, whole folders, archives of them."""

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Final

from flows.doctor.findings import Finding
from flows.doctor.triggers import TRIGGER_NODE_TYPE, check_trigger
from flows.loader import Document, load
from flows.publishing import FOLDER
from flows.text import MAX_BYTES, DocumentError, read

SUFFIXES: Final = (".yaml", ".yml", ".json")
_SCENARIOS: Final = ".scenarios"
MOST_FILES: Final = 1_000
MOST_UNPACKED: Final = 50_000_000
"""Files and bytes of one archive: a small one can unpack to anything."""


class UnreadableFile(Exception):
    """A file that cannot be read or holds no flow; the text says which and why."""


@dataclass(frozen=True, slots=True)
class FlowFile:
    """One file with the flow in it. ``path`` is where the flow lives; folders below the one given become part of it."""

    file: Path
    text: str
    document: Document
    folder: str
    name: str

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}"


@dataclass(frozen=True, slots=True)
class TriggerFile:
    """One file with a trigger of raisin's. It is reported and left where it is."""

    file: Path
    findings: list[Finding]


Found = FlowFile | TriggerFile | UnreadableFile


def read_files(paths: Iterable[Path]) -> Iterator[Found]:
    """Every flow of these files and folders. In a folder, scenarios and what is no flow are passed over."""
    for given in paths:
        if given.is_dir():
            for file in sorted(each for each in given.rglob("*") if each.is_file() and may_be_flow(each)):
                yield from _from_disk(file, given, is_found=True)
        else:
            yield from _from_disk(given, given.parent, is_found=False)


def read_texts(named: Iterable[tuple[str, bytes]]) -> Iterator[Found]:
    """Every flow of files that were sent, each by its path within the folder they come from."""
    for name, content in named:
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts:
            yield UnreadableFile(f"{name}: This is no path within a folder.")
        else:
            yield from _from_bytes(Path(place), place.parent, content, is_found=False)


def unpacked(archive: bytes) -> list[tuple[str, bytes]]:
    """The flow files of a ZIP archive with their paths in it. Raises :class:`UnreadableFile`."""
    try:
        with zipfile.ZipFile(BytesIO(archive)) as held:
            wanted = [each for each in held.infolist() if not each.is_dir() and may_be_flow(Path(each.filename))]
            if len(wanted) > MOST_FILES or sum(each.file_size for each in wanted) > MOST_UNPACKED:
                raise UnreadableFile("The archive holds too much. Bring its folders in one by one.")
            return [(each.filename, held.read(each)) for each in sorted(wanted, key=lambda each: each.filename)]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise UnreadableFile(f"The archive cannot be read: {error}") from error


def may_be_flow(file: Path) -> bool:
    """Whether a file of a folder may hold a flow, by its name."""
    return file.suffix in SUFFIXES and not file.stem.endswith(_SCENARIOS)


def _from_disk(file: Path, root: Path, *, is_found: bool) -> Iterator[Found]:
    try:
        if file.stat().st_size > MAX_BYTES:
            yield UnreadableFile(f"{file}: The file has more than {MAX_BYTES:,} bytes.")
            return
        content = file.read_bytes()
    except OSError as error:
        yield UnreadableFile(f"{file}: {error.strerror}.")
    else:
        yield from _from_bytes(
            file, PurePosixPath(file.parent.relative_to(root).as_posix()), content, is_found=is_found
        )


def _from_bytes(file: Path, below: PurePosixPath, content: bytes, *, is_found: bool) -> Iterator[Found]:
    """``below`` is the folder of the flow below the workspace's own. What was only found need not be a flow."""
    try:
        text = content.decode()
        document = load(text)
    except DocumentError as error:
        trigger = _trigger(file, text) if error.code == "not_a_flow" else None
        if trigger is not None:
            yield trigger
        elif not (is_found and error.code in ("not_a_flow", "several_documents")):
            yield UnreadableFile(f"{file}: {error}")
    except UnicodeDecodeError:
        yield UnreadableFile(f"{file}: This is no text in UTF-8.")
    else:
        folder = FOLDER if str(below) == "." else f"{FOLDER}/{below}"
        stem = file.name.removesuffix(file.suffix).removesuffix(".node")
        yield FlowFile(file, text, document, folder, document.name or stem)


def _trigger(file: Path, text: str) -> TriggerFile | None:
    parsed = read(text)
    is_trigger = isinstance(parsed.value, dict) and parsed.value.get("node_type") == TRIGGER_NODE_TYPE
    return TriggerFile(file, check_trigger(parsed.value, parsed.lines)) if is_trigger else None

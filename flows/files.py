"""Flow files on disk, as the commands take them: single files and whole folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from flows.loader import Document, load
from flows.publishing import FOLDER
from flows.text import MAX_BYTES, DocumentError

SUFFIXES: Final = (".yaml", ".yml", ".json")
_SCENARIOS: Final = ".scenarios"


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


def read_files(paths: Iterable[Path]) -> Iterator[FlowFile | UnreadableFile]:
    """Every flow of these files and folders. In a folder, scenarios and what is no flow are passed over."""
    for given in paths:
        if given.is_dir():
            for file in sorted(each for each in given.rglob("*") if _may_be_flow(each)):
                yield from _read(file, given, is_found=True)
        else:
            yield from _read(given, given.parent, is_found=False)


def _may_be_flow(file: Path) -> bool:
    is_scenario = file.stem.endswith(_SCENARIOS)
    return file.is_file() and file.suffix in SUFFIXES and not is_scenario


def _read(file: Path, root: Path, *, is_found: bool) -> Iterator[FlowFile | UnreadableFile]:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise DocumentError(f"The file has more than {MAX_BYTES:,} bytes.", code="too_large")
        text = file.read_bytes().decode()
        document = load(text)
    except DocumentError as error:
        if not (is_found and error.code in ("not_a_flow", "several_documents")):
            yield UnreadableFile(f"{file}: {error}")
    except UnicodeDecodeError:
        yield UnreadableFile(f"{file}: This is no text in UTF-8.")
    except OSError as error:
        yield UnreadableFile(f"{file}: {error.strerror}.")
    else:
        below = PurePosixPath(file.parent.relative_to(root).as_posix())
        folder = FOLDER if str(below) == "." else f"{FOLDER}/{below}"
        stem = file.name.removesuffix(file.suffix).removesuffix(".node")
        yield FlowFile(file, text, document, folder, document.name or stem)

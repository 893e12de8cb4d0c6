"""Build static/icons.svg, the one icon set of all pages, from the npm package lucide-static.

Usage: python scripts/build_icons.py [FOLDER]

FOLDER is an unpacked lucide-static package; without it, npm fetches the pinned release into a temporary folder.
Which icons go in is listed in scripts/icons.txt. The sprite and the licence are committed: nobody who runs Sultana
needs npm.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

RELEASE = "lucide-static@1.62.0"
ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def fetched() -> Iterator[Path]:
    """The unpacked package, as long as the block lasts."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", RELEASE], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            package.extractall(folder, filter="data")
        yield Path(folder) / "package"


def names() -> list[str]:
    lines = (ROOT / "scripts/icons.txt").read_text().splitlines()
    return sorted({line.strip() for line in lines if line.strip() and not line.startswith("#")})


def symbol(package: Path, name: str) -> str:
    """One icon as a <symbol>. Stroke and fill stay out: they come from the page's CSS."""
    file = package / "icons" / f"{name}.svg"
    if not file.exists():
        sys.exit(f"scripts/icons.txt: {RELEASE} has no icon named {name!r}")
    drawing = ElementTree.parse(file).getroot()
    shapes = "".join(ElementTree.tostring(shape, encoding="unicode").strip() for shape in drawing)
    shapes = re.sub(r' xmlns(:\w+)?="[^"]*"', "", shapes).replace("ns0:", "").replace(" />", "/>")
    return f'<symbol id="{name}" viewBox="{drawing.attrib["viewBox"]}">{shapes}</symbol>'


def build(package: Path) -> None:
    symbols = "\n".join(symbol(package, name) for name in names())
    sprite = f'<svg xmlns="http://www.w3.org/2000/svg">\n{symbols}\n</svg>\n'
    (ROOT / "static/icons.svg").write_text(sprite)
    (ROOT / "static/icons.LICENSE").write_text((package / "LICENSE").read_text())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        build(Path(sys.argv[1]))
    else:
        with fetched() as unpacked:
            build(unpacked)

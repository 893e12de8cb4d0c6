"""Take the pictures of README and docs from the running product: ``python scripts/take_pictures.py [FOLDER]``.

Starts the product on a new database with the demo, does what README tells, and photographs what a person sees. Needs Chromium.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "sultana-demo"  # noqa: S105 - the demo's, printed at its first start
DESK, PHONE = (1280, 860), (375, 780)
CHROMIUM = ["--no-sandbox", "--disable-background-networking"]


@contextmanager
def running_product() -> Iterator[str]:
    """The product with its demo, on a database that is gone afterwards; gives its address."""
    with tempfile.TemporaryDirectory(prefix="sultana-pictures-", ignore_cleanup_errors=True) as place:
        port = _free_port()
        environment = {**os.environ, "SULTANA_VAR_DIR": place}
        for command in (["migrate", "--verbosity", "0"], ["demo", "--first-start"]):
            subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=True)
        up = [sys.executable, "manage.py", "up", "--port", str(port)]
        process = subprocess.Popen(up, cwd=ROOT, env=environment)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_ready(address, process)
            yield address
        finally:
            process.terminate()
            process.wait(30)


def take(address: str, browser: Browser, folder: Path) -> None:
    """All pictures, in the order of README's story."""
    ben = _signed_in(browser, address, "ben", DESK)
    ben.goto(f"{address}/flows/order-fulfilment/-/design")
    ben.get_by_text("Charge ‹total›").first.wait_for()
    ben.screenshot(path=folder / "designer-light.png")
    _order(ben, address, "O-7", total=900)
    ben.get_by_text("Somebody has to answer.").wait_for()
    _order(ben, address, "O-8-DECLINED", total=90)
    ben.get_by_text("Rolled back").first.wait_for()
    ben.get_by_label("Close this message").click()
    ben.screenshot(path=folder / "run-light.png")
    ben.goto(f"{address}/flows/order-fulfilment/-/if-it-fails/hand_over")
    ben.screenshot(path=folder / "if-it-fails-light.png")
    manager = _signed_in(browser, address, "manager", PHONE)
    manager.goto(f"{address}/inbox/")
    manager.get_by_role("link", name="Check order O-7").click()
    manager.get_by_role("button", name="Clear the order").wait_for()
    manager.screenshot(path=folder / "task-phone.png")


def _signed_in(browser: Browser, address: str, name: str, size: tuple[int, int]) -> Page:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
    page.goto(f"{address}/sign-in")
    page.locator("input[name=username]").fill(name)
    page.locator("input[type=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/flows/" if name == "ben" else lambda url: "sign-in" not in url)
    return page


def _order(page: Page, address: str, order: str, *, total: int) -> None:
    page.goto(f"{address}/flows/order-fulfilment/-/run")
    for name, value in {"order_id": order, "customer": "lena", "total": str(total), "lines.0.sku": "lamp"}.items():
        page.locator(f"[name='input.{name}']").first.fill(value)
    page.get_by_role("button", name="Start").first.click()
    page.wait_for_url("**/runs/**")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_ready(address: str, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        try:
            httpx.get(f"{address}/sign-in", timeout=5)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise SystemExit("The product did not start; what it said is above.")


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("Chromium is not installed: apt-get install chromium")
    with running_product() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM)
        take(address, browser, folder)
        browser.close()


if __name__ == "__main__":
    main()

// <span data-countdown="2030-01-07T10:00:00Z" data-over="any moment now">: the last hour is counted down, second by second.

const HOUR = 3600;

function tick() {
  for (const place of document.querySelectorAll("[data-countdown]")) {
    const words = place.querySelector("[data-relative]");
    const left = Math.round((Date.parse(place.dataset.countdown) - Date.now()) / 1000);
    if (!words || left > HOUR) continue;
    const fresh = left <= 0 ? place.dataset.over : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    if (words.textContent !== fresh) words.textContent = fresh;
  }
}

setInterval(tick, 1000);
tick();

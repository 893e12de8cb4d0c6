// Relative times that stay true while the page is open; the same words as designer/words.py.

import { language, word } from "./words.js";

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });

export function relative(moment, now) {
  const seconds = (moment - now) / 1000;
  const size = Math.abs(seconds);
  if (size < 45) return seconds <= 0 ? word("now") : word("soon");
  if (size >= 7 * DAY) return null; // the date the server wrote stays
  const [unit, length] = size < HOUR ? ["minute", MINUTE] : size < DAY ? ["hour", HOUR] : ["day", DAY];
  return format.format(Math.sign(seconds) * Math.max(1, Math.round(size / length)), unit);
}

export function refreshTimes(root = document) {
  for (const words of root.querySelectorAll("time > [data-relative]")) {
    const fresh = relative(Date.parse(words.parentElement.dateTime), Date.now());
    if (fresh && fresh !== words.textContent) words.textContent = fresh;
  }
}

setInterval(refreshTimes, 20_000, document);

import { beforeAll, expect, test } from "vitest";
import { dueSaid, dueWords } from "../src/app/due";
import { setWords } from "../src/app/start";

const NOW = Date.parse("2030-01-07T10:00:00Z");
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

beforeAll(() =>
  setWords({
    icons: "",
    language: "en",
    words: {
      retry_of: "retry {n} of {m}", due_in: "in {time}", due_ago: "due {time} ago", due_now: "due now", due_at: "until {when}",
      short_second: "{n} s", short_minute: "{n} min", short_hour: "{n} h", short_day: "{n} d",
    },
  }),
);

test("what is to come is counted down in whole seconds, a begun one counting", () => {
  expect(dueWords({ due: at(12) }, NOW)).toBe("in 12 s");
  expect(dueWords({ due: at(11.2) }, NOW)).toBe("in 12 s");
  expect(dueWords({ due: at(250) }, NOW)).toBe("in 4 min 10 s");
  expect(dueWords({ due: at(2 * 86_400 + 3 * 3600 + 59) }, NOW)).toBe("in 2 d 3 h");
});

test("what is over says for how long, from a minute on in minutes", () => {
  expect(dueWords({ due: at(0) }, NOW)).toBe("due now");
  expect(dueWords({ due: at(-5.5) }, NOW)).toBe("due 5 s ago");
  expect(dueWords({ due: at(-150) }, NOW)).toBe("due 2 min ago");
});

test("a try again says which one it is, with the time where it has one", () => {
  expect(dueWords({ due: at(12), retry: [2, 5] }, NOW)).toBe("retry 2 of 5 in 12 s");
  expect(dueWords({ retry: [2, 5] }, NOW)).toBe("retry 2 of 5");
});

test("what is said to a screen reader is the same at any moment", () => {
  expect(dueSaid({ due: at(12), retry: [2, 5] })).toMatch(/^retry 2 of 5, until .*2030/);
  expect(dueSaid({})).toBe("");
});

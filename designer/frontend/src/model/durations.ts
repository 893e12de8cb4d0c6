// Durations in words and back: "2 days", "1 h 30 min"; in the unit a field of the format is written in.

const UNITS: readonly (readonly [string, number])[] = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
  ["ms", 1],
];

/** The largest unit in which `ms` is a whole number, and how many of it. */
export function inUnits(ms: number): { amount: number; unit: string } {
  if (ms === 0) return { amount: 0, unit: "second" };
  for (const [unit, size] of UNITS) if (unit !== "week" && ms % size === 0) return { amount: ms / size, unit };
  return { amount: ms, unit: "ms" };
}

export function milliseconds(amount: number, unit: string): number {
  return amount * (UNITS.find(([name]) => name === unit)?.[1] ?? 1);
}

const WRITTEN = /^\s*(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)\s*$/i;
const SHORT: Readonly<Record<string, string>> = { m: "minute", s: "second", h: "hour", d: "day", w: "week" };

/** "2 days", "30m" or a number of milliseconds; null for what is no duration, such as a template. */
export function parsed(text: string): number | null {
  const found = WRITTEN.exec(text);
  if (!found) return /^\d+$/.test(text.trim()) ? Number(text) : null;
  const unit = found[2]!.toLowerCase();
  const name = unit.startsWith("ms") || unit.startsWith("milli") ? "ms" : SHORT[unit.charAt(0)]!;
  return milliseconds(Number(found[1]), name);
}

const LETTERS: Readonly<Record<string, string>> = { week: "w", day: "d", hour: "h", minute: "m", second: "s", ms: "ms" };

/** As a wait is written: `2d`, `30m`. */
export function short(ms: number): string {
  const { amount, unit } = inUnits(ms);
  return `${amount}${LETTERS[unit]}`;
}

export const PRESETS: Readonly<Record<string, { max_retries: number; base_delay_ms: number; max_delay_ms: number }>> = {
  none: { max_retries: 0, base_delay_ms: 0, max_delay_ms: 0 },
  quick: { max_retries: 3, base_delay_ms: 1000, max_delay_ms: 10_000 },
  standard: { max_retries: 5, base_delay_ms: 2000, max_delay_ms: 60_000 },
  aggressive: { max_retries: 10, base_delay_ms: 5000, max_delay_ms: 120_000 },
  llm: { max_retries: 5, base_delay_ms: 10_000, max_delay_ms: 120_000 },
};

/** The delays before each retry: base, doubled each time, at most the cap. */
export function delaysOf(retry: { max_retries?: number; base_delay_ms?: number; max_delay_ms?: number }): number[] {
  const base = retry.base_delay_ms ?? 10_000;
  const cap = retry.max_delay_ms ?? 120_000;
  return Array.from({ length: Math.min(retry.max_retries ?? 0, 20) }, (_each, at) => Math.min(base * 2 ** at, cap));
}

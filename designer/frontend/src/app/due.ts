// How a step that waits says until when, and one that is tried again which try that is.

import type { Mark } from "./session";
import { duration, moment, t } from "./start";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

type Told = Pick<Mark, "due" | "retry">;

/** What is read at the moment `now` (milliseconds): "retry 2 of 5 in 12 seconds". */
export function dueWords(mark: Told, now: number): string {
  return [retryWords(mark), mark.due && timeWords(Date.parse(mark.due) - now)].filter(Boolean).join(" ");
}

/** The same without a clock that ticks, for screen readers. */
export function dueSaid(mark: Told): string {
  return [retryWords(mark), mark.due && t("due_at", { when: moment(mark.due) })].filter(Boolean).join(", ");
}

function retryWords({ retry }: Told): string {
  return retry ? t("retry_of", { n: retry[0], m: retry[1] }) : "";
}

function timeWords(left: number): string {
  if (left > 0) return t("due_in", { time: duration(Math.ceil(left / SECOND) * SECOND, { isShort: true }) });
  if (left > -SECOND) return t("due_now");
  const unit = left > -MINUTE ? SECOND : MINUTE;
  return t("due_ago", { time: duration(Math.floor(-left / unit) * unit, { isShort: true }) });
}

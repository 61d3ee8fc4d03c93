/** Numbers and times as people read them. */
export { bytesOf, durationOf, plural, tokensOf } from "../../kit/amounts.ts";

export function costOf(usd: number): string {
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

// Made once: a formatter costs more than a row of the conversation.
const clock = new Intl.DateTimeFormat([], { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });
const whole = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "medium" });

/** Of the clock on the wall where the browser is. */
export function clockOf(ts: number): string {
  return clock.format(ts);
}

export function momentOf(ts: number): string {
  return whole.format(ts);
}

/** The clock for today, the day for what is older. */
export function whenOf(ts: number): string {
  const date = new Date(ts);
  if (date.toDateString() === new Date().toDateString()) return clockOf(ts);
  return day.format(date);
}

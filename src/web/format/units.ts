/** Numbers and times for people. */
export { formatBytes, formatDuration, plural, formatTokens } from "../../kit/text/format.ts";

export function formatCost(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

// Created once: a formatter costs more than a row of the conversation.
const clock = new Intl.DateTimeFormat([], { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });
const whole = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "medium" });

/** In the browser's time zone. */
export function formatClock(ts: number): string {
  return clock.format(ts);
}

export function formatDateTime(ts: number): string {
  return whole.format(ts);
}

/** The time for today, the date for older ones. */
export function formatWhen(ts: number): string {
  const date = new Date(ts);
  if (date.toDateString() === new Date().toDateString()) return formatClock(ts);
  return day.format(date);
}

/** Age of something, in one figure. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const MONTH_MS = 30 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

/** As `6 min`, `1 h`, `yesterday`, `2 weeks`, for lists. */
export function shortAge(ms: number): string {
  const count = (unit: number, word: string) => {
    const number = Math.floor(ms / unit);
    return `${number} ${word}${number === 1 ? "" : "s"}`;
  };
  if (ms < MINUTE_MS) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  if (ms < 2 * DAY_MS) return "yesterday";
  if (ms < 2 * WEEK_MS) return count(DAY_MS, "day");
  if (ms < 2 * MONTH_MS) return count(WEEK_MS, "week");
  return ms < YEAR_MS ? count(MONTH_MS, "month") : count(YEAR_MS, "year");
}

/** As `6 min ago`, for sentences. */
export function timeAgo(ms: number): string {
  const age = shortAge(ms);
  return age === "now" || age === "yesterday" ? age : `${age} ago`;
}

/** Age of something, in one figure. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const MONTH_MS = 30 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

export function shortAge(ms: number): string {
  if (ms < MINUTE_MS) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h ago`;
  if (ms < 2 * WEEK_MS) return `${Math.floor(ms / DAY_MS)}d ago`;
  if (ms < 2 * MONTH_MS) return `${Math.floor(ms / WEEK_MS)}w ago`;
  if (ms < YEAR_MS) return `${Math.floor(ms / MONTH_MS)}mo ago`;
  return `${Math.floor(ms / YEAR_MS)}y ago`;
}

/** As `6 min`, `1 h`, `yesterday`, `2 weeks`, for the right end of a row. */
export function listAge(ms: number): string {
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

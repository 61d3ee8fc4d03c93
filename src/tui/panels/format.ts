/** Numbers and times for people. */
export { formatBytes, formatCount, plural, formatTokens } from "../../kit/text/format.ts";

/** In the local time zone. */
export function timeOf(ts: number): string {
  const date = new Date(ts);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

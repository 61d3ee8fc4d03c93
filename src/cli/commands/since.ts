/** Parses a past time: an age such as 2d, or a date. */
import { InvalidArgumentError } from "commander";

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;
const AGO = /^(\d{1,5})([mhdw])$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Dates are local time. */
export function toSince(text: string, now: number = Date.now()): number {
  const [, count, unit] = AGO.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  const ts = Date.parse(DAY.test(text) ? `${text}T00:00` : text);
  if (Number.isFinite(ts) && /^\d{4}-/.test(text)) return Math.max(0, ts);
  throw new InvalidArgumentError("Give a time such as 30m, 12h, 2d, 3w, 2026-11-15 or 2026-11-15T10:00.");
}

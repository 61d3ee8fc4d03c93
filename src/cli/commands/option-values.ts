/** Parsers of option values. */
import { InvalidArgumentError } from "commander";

/** For repeatable options. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export function toNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim().replace(/^@/, ""));
  if (names.some((name) => name === "")) throw new InvalidArgumentError("Use comma-separated names, such as a,b.");
  return names;
}

/** Longer timers fire immediately in Node. */
const TIMEOUT_SECONDS_MAX = 2_000_000;

export function toSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0 && seconds <= TIMEOUT_SECONDS_MAX)) {
    throw new InvalidArgumentError(`Give a positive number of seconds, at most ${TIMEOUT_SECONDS_MAX}.`);
  }
  return seconds;
}

const DURATION = /^(\d{1,9}(?:\.\d{1,6})?)([smh]?)$/;
const IN_MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60 };

/** Minutes, or a number with a unit. */
export function toMinutes(text: string): number {
  const [, count = "", unit = ""] = DURATION.exec(text.trim()) ?? [];
  const minutes = Number(count) * (IN_MINUTES[unit] ?? 1);
  if (!(minutes > 0 && minutes * 60 <= TIMEOUT_SECONDS_MAX)) {
    throw new InvalidArgumentError(
      `Give minutes, or a time such as 90s, 10m or 2h, at most ${TIMEOUT_SECONDS_MAX} seconds.`,
    );
  }
  return minutes;
}

export function toDollars(text: string): number {
  const amount = Number(text);
  if (!/^\d{0,9}(?:\.\d{1,6})?$/.test(text) || !(amount > 0)) {
    throw new InvalidArgumentError("Give an amount of US dollars, such as 5 or 0.25.");
  }
  return amount;
}

export function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError("Give a number from 0 to 65535.");
  return port;
}

const DAYS_MAX = 3_650;

export function toDays(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > DAYS_MAX) {
    throw new InvalidArgumentError(`Give a number of days from 1 to ${DAYS_MAX}.`);
  }
  return Number(text);
}

const ROUNDS_MAX = 100;

export function toRounds(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > ROUNDS_MAX) {
    throw new InvalidArgumentError(`Give a number of rounds from 0 to ${ROUNDS_MAX}.`);
  }
  return Number(text);
}

export function toCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("Give a number, 1 or more.");
  return Number(text);
}

const SPEED_MAX = 1_000;

export function toSpeed(text: string): number {
  const speed = Number(text);
  if (text.trim() === "" || !(speed >= 0 && speed <= SPEED_MAX)) {
    throw new InvalidArgumentError(`Give a number from 0 to ${SPEED_MAX}, such as 4 or 0.5.`);
  }
  return speed;
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;
const AGO = /^(\d{1,5})([mhdw])$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A past time: an age such as 2d, or a date in local time. */
export function toSince(text: string, now: number = Date.now()): number {
  const [, count, unit] = AGO.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  const ts = Date.parse(DAY.test(text) ? `${text}T00:00` : text);
  if (Number.isFinite(ts) && /^\d{4}-/.test(text)) return Math.max(0, ts);
  throw new InvalidArgumentError("Give a time such as 30m, 12h, 2d, 3w, 2026-11-15 or 2026-11-15T10:00.");
}

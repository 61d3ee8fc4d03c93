/** Times, sizes, money and changes as every view writes them. */
import { formatCount } from "../../kit/text/format.ts";
import { readDiff } from "../../kit/text/read-diff.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Of completed work: "0.4 s", "3.2 s", "12 s", "3 min", "2 h". */
export function formatWorkTime(ms: number): string {
  if (ms < 9.95 * SECOND) return `${(Math.max(0, ms) / SECOND).toFixed(1).replace(/\.0$/, "")} s`;
  return formatRunningTime(ms);
}

/** Of running work, without tenths: "3 s", "3 min". */
export function formatRunningTime(ms: number): string {
  if (ms < 59.5 * SECOND) return `${Math.round(Math.max(0, ms) / SECOND)} s`;
  return ms < 59.5 * MINUTE ? `${Math.round(ms / MINUTE)} min` : `${Math.round(ms / HOUR)} h`;
}

/** Of turns and countdowns: "0:31", "12:05", "1:02:05". */
export function formatTurnTime(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / SECOND);
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = two(seconds % 60);
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${two(minutes)}:${tail}`;
}

/** Of a turn that is over: "0.4 s", "0:31". */
export function formatTook(ms: number): string {
  return ms < 0.95 * SECOND ? formatWorkTime(ms) : formatTurnTime(Math.max(ms, SECOND));
}

/** "64 kB", "9.1 MB". */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1e6).toFixed(1).replace(/\.0$/, "")} MB`;
}

/** "$0.21"; less than a cent keeps its first figures. */
export function formatMoney(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export interface LineChanges {
  readonly added: number;
  readonly removed: number;
}

/** "+4 −2"; a side without lines is left out unless both are. */
export function formatChanges({ added, removed }: LineChanges): string {
  const sides = [
    ...(added > 0 || removed === 0 ? [`+${formatCount(added)}`] : []),
    ...(removed > 0 ? [`−${formatCount(removed)}`] : []),
  ];
  return sides.join(" ");
}

/** Lines that a unified diff adds and removes; the two that name the file are neither. */
export function countChanges(diff: string): LineChanges {
  const lines = readDiff(diff);
  const count = (wanted: "added" | "removed") => lines.filter(({ kind }) => kind === wanted).length;
  return { added: count("added"), removed: count("removed") };
}

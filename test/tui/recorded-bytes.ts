/** What a program wrote to its terminal, looked at as bytes: frames, what stands between them, and clears. */
import type { SeenTerminal } from "./terminal.ts";

export function rawSince(seen: Pick<SeenTerminal, "recording">, from: number): string {
  return seen.recording
    .slice(from)
    .map(({ what }) => (typeof what === "string" ? what : ""))
    .join("");
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
const FRAME = /\u001b\[\?2026h[^]*?\u001b\[\?2026l/g;

export function framesIn(raw: string): string[] {
  return raw.match(FRAME) ?? [];
}

/** What may be written outside a frame while the program runs: it paints nothing. */
const UNPAINTED =
  // oxlint-disable-next-line no-control-regex -- the same.
  /\u001b\](?:0|9|52|777);[^\u0007\u001b]*(?:\u0007|\u001b\\)|\u0007|\u001b\[\?(?:25[hl]|2004h|1004h)|\u001b\[>4;[02]m|\u001b\]11;\?\u0007|\u001b\[>7u|\u001b\[\?u|\u001b\[c|\u001b\[22;0t/g;

/** Bytes outside synchronised frames that could be seen. */
export function bytesOutsideFrames(raw: string): string {
  return raw.replaceAll(FRAME, "").replaceAll(UNPAINTED, "");
}

/** Clears of the screen or of a part of it, each with what was written just before. */
export function clearsIn(raw: string): string[] {
  // oxlint-disable-next-line no-control-regex -- the same.
  return [...raw.matchAll(/\u001b\[[0-3]?J/g)].map(({ index }) =>
    JSON.stringify(raw.slice(Math.max(0, index - 20), index + 4)),
  );
}

/** The rows that were written to, counted from 1. */
export function rowsWritten(raw: string): number[] {
  // oxlint-disable-next-line no-control-regex -- the same.
  return [...raw.matchAll(/\u001b\[(\d+);1H/g)].map(([, row]) => Number(row));
}

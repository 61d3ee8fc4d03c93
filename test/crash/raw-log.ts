/**
 * Reads a log's bytes with nothing of ours: lines, JSON, checksum, seq. What it finds wrong, it says in words.
 * Written apart from `src/log/` on purpose, so that a fault there is not a fault here.
 */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";

export interface RawEvent {
  readonly seq: number;
  readonly epoch: number;
  readonly type: string;
  readonly turnId?: string;
  readonly [key: string]: unknown;
}

export interface RawLog {
  readonly events: readonly RawEvent[];
  readonly faults: readonly string[];
  /** Bytes after the last newline. */
  readonly tail: string;
}

export function readRawLog(path: string): RawLog {
  const lines = readFileSync(path, "utf8").split("\n");
  const tail = lines.pop() ?? "";
  const events: RawEvent[] = [];
  const faults: string[] = [];
  for (const [index, line] of lines.entries()) {
    const cut = line.lastIndexOf(',"crc":"');
    const sum = crc32(line.slice(0, cut)).toString(16).padStart(8, "0");
    if (cut < 0 || line.slice(cut) !== `,"crc":"${sum}"}`) {
      faults.push(`line ${index + 1} has no good checksum: ${line.slice(0, 80)}`);
      continue;
    }
    const { crc: _, ...event } = JSON.parse(line) as RawEvent;
    if (event.seq !== index + 1) faults.push(`line ${index + 1} has seq ${event.seq}`);
    const before = events.at(-1)?.epoch ?? 0;
    if (event.epoch < before) faults.push(`line ${index + 1} has epoch ${event.epoch} after ${before}`);
    events.push(event);
  }
  return { events, faults, tail };
}

/** Turns without their one end, and tool calls without their one result. */
export function unsettled(events: readonly RawEvent[]): string[] {
  const faults: string[] = [];
  const count = (type: string, key: string, id: unknown) =>
    events.filter((event) => event.type === type && event[key] === id).length;
  for (const { turnId } of events.filter((event) => event.type === "turn_start")) {
    const ends = count("turn_end", "turnId", turnId);
    if (ends !== 1) faults.push(`turn ${String(turnId)} has ${ends} ends`);
  }
  for (const { toolCallId } of events.filter((event) => event.type === "tool_call_start")) {
    const results = count("tool_result", "toolCallId", toolCallId);
    if (results !== 1) faults.push(`tool call ${String(toolCallId)} has ${results} results`);
  }
  return faults;
}

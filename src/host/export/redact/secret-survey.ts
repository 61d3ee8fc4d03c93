/**
 * First pass over a session: learns its secrets, and finds those that are split across deltas. A second pass over the
 * same events redacts them.
 */
import type { SessionEvent } from "../../../protocol/index.ts";
import { deltaKey } from "./event-fields.ts";
import { createRangeStream, type RangeStream } from "./range-stream.ts";
import type { Range } from "./ranges.ts";
import type { Redactor } from "./redactor.ts";

export interface Survey {
  /** Learns the secrets of the session. */
  learn(event: SessionEvent): void;
  /** Called after everything was learned: finds ranges in streamed texts. */
  scan(event: SessionEvent): void;
  /** By `deltaKey`; texts without ranges are left out. */
  end(): ReadonlyMap<string, readonly Range[]>;
}

export function createSurvey(redactor: Redactor): Survey {
  const streamed = new Map<string, readonly Range[]>();
  const open = new Map<string, Map<string, RangeStream>>();

  function settle(turnId: string): void {
    for (const [key, stream] of open.get(turnId) ?? []) {
      const ranges = stream.end();
      if (ranges.length > 0) streamed.set(key, ranges);
    }
    open.delete(turnId);
  }

  return {
    learn(event) {
      // Deltas are part of a text or a result that follows complete.
      if (deltaKey(event) === undefined) eachText(event, (text) => redactor.learn(text));
    },
    scan(event) {
      if (event.type === "turn_start" && !open.has(event.turnId)) open.set(event.turnId, new Map());
      if (event.type === "turn_end") return settle(event.turnId);
      const key = deltaKey(event);
      if (key === undefined || !("text" in event) || typeof event.text !== "string") return;
      const streams = open.get(event.turnId ?? "");
      if (streams === undefined) return;
      const stream = streams.get(key) ?? createRangeStream((text) => redactor.find(text));
      streams.set(key, stream);
      stream.push(event.text);
    },
    end() {
      for (const turnId of open.keys()) settle(turnId);
      return streamed;
    },
  };
}

/** Every text, with the name of its field where it has one. */
export function eachText(value: unknown, visit: (text: string) => void): void {
  if (typeof value === "string") visit(value);
  else if (Array.isArray(value)) for (const one of value) eachText(one, visit);
  else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      if (typeof one === "string") visit(`${key}: ${one}`);
      else eachText(one, visit);
    }
  }
}

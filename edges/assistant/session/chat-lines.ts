/** The events of an assistant session's `events.jsonl`. */
import { DAMAGED, type SourceLine } from "../../../src/host/index.ts";
import { timeOf, fieldsOf, textOf, type Fields } from "../../../src/kit/fields.ts";

export interface ChatLine {
  readonly number: number;
  readonly id: string;
  readonly ts: number;
  readonly type: string;
  readonly turnId: string | undefined;
  readonly payload: Fields;
}

/** Audio is skipped. */
const LEFT_OUT = new Set(["audio_chunk", "audio_done", "tool_input_chunk"]);

export function selectLine(value: unknown): unknown {
  const type = textOf(fieldsOf(value)?.["type"]);
  if (type === undefined || fieldsOf(fieldsOf(value)?.["payload"]) === undefined) return DAMAGED;
  return LEFT_OUT.has(type) ? undefined : value;
}

export function chatLines(lines: readonly SourceLine[]): ChatLine[] {
  let last = 0;
  return lines.flatMap(({ number, value }) => {
    const fields = fieldsOf(value);
    const type = textOf(fields?.["type"]);
    const payload = fieldsOf(fields?.["payload"]);
    if (fields === undefined || type === undefined || payload === undefined) return [];
    last = timeOf(fields["timestamp"]) ?? last;
    const id = textOf(fields["id"]) ?? `#${number}`;
    return [{ number, id, ts: last, type, turnId: textOf(fields["turnId"]), payload }];
  });
}

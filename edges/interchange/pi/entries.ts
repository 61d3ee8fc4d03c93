/** The entries of a Pi session file: a tree since its second version, a plain row of lines before. */
import { DAMAGED, type SourceLine, type Leaf } from "../../../src/host/index.ts";
import { timeOf, fieldsOf, textOf, type Fields } from "../../../src/kit/fields.ts";

export interface PiEntry extends Leaf {
  readonly type: string;
  readonly fields: Fields;
  readonly ts: number;
}

export interface PiHeader {
  readonly id: string;
  readonly cwd: string | undefined;
  readonly ts: number | undefined;
}

/** Undefined unless the line is the header of a Pi session. */
export function headerOf(value: unknown): PiHeader | undefined {
  const fields = fieldsOf(value);
  const id = textOf(fields?.["id"]);
  if (fields?.["type"] !== "session" || id === undefined) return undefined;
  return { id, cwd: textOf(fields["cwd"]), ts: timeOf(fields["timestamp"]) };
}

/** Prompts and tool declarations, repeated in every file, are not part of the conversation. */
export function selectEntry(value: unknown): unknown {
  const entry = fieldsOf(value);
  const message = fieldsOf(entry?.["message"]);
  if (entry === undefined || textOf(entry["type"]) === undefined) return DAMAGED;
  if (entry["type"] === "message" && message === undefined) return DAMAGED;
  if (message?.["role"] === "system") return { ...entry, message: { role: "system" } };
  const { systemMessage: _, ...rest } = entry;
  return rest;
}

export function entriesOf(lines: readonly SourceLine[]): PiEntry[] {
  let last = 0;
  let before: string | undefined;
  return lines.flatMap(({ number, value }) => {
    const fields = fieldsOf(value);
    const type = textOf(fields?.["type"]);
    if (fields === undefined || type === undefined || type === "session") return [];
    last = timeOf(fields["timestamp"]) ?? timeOf(fieldsOf(fields["message"])?.["timestamp"]) ?? last;
    const id = textOf(fields["id"]) ?? `#${number}`;
    const parentId = "parentId" in fields ? textOf(fields["parentId"]) : before;
    before = id;
    return [{ number, id, parentId, type, fields, ts: last }];
  });
}

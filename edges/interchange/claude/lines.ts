/** The lines of a Claude Code session file: those of the conversation, and how they are linked. */
import { DAMAGED, type SourceLine, type Leaf } from "../../../src/host/index.ts";
import { timeOf, fieldsOf, recordsOf, textOf, type Fields } from "../../../src/kit/fields.ts";

/** Fields of a tool result with whole files, which are not needed twice. */
const HEAVY_RESULT_FIELDS = new Set(["originalFile", "file", "oldTodos"]);
/** Metadata lines. */
const TITLES = new Set(["summary", "custom-title", "ai-title"]);

/** The part of a line that is kept in memory; undefined for lines outside the conversation. */
export function selectLine(value: unknown): unknown {
  const line = fieldsOf(value);
  if (line === undefined) return DAMAGED;
  const type = textOf(line["type"]) ?? "";
  if (TITLES.has(type)) return line;
  const hasId = textOf(line["uuid"]) !== undefined;
  if (isMessage(type) && (!hasId || fieldsOf(line["message"]) === undefined)) return DAMAGED;
  if (!hasId) return undefined;
  if (isMessage(type) || type === "system") return withoutWeight(line);
  const attachment = fieldsOf(line["attachment"]);
  if (attachment?.["type"] === "queued_command") return line;
  // Without content, but later lines may name it as their parent.
  const { uuid, parentUuid, isSidechain, timestamp } = line;
  return { type, uuid, parentUuid, isSidechain, timestamp };
}

function isMessage(type: string): boolean {
  return type === "user" || type === "assistant";
}

function withoutWeight(line: Fields): Fields {
  const result = fieldsOf(line["toolUseResult"]);
  if (result === undefined) return line;
  const light = Object.entries(result).filter(([key]) => !HEAVY_RESULT_FIELDS.has(key));
  return { ...line, toolUseResult: Object.fromEntries(light) };
}

export interface ClaudeNode extends Leaf {
  readonly type: string;
  readonly line: Fields;
  readonly ts: number;
  readonly isSidechain: boolean;
}

/** In file order; a line without a time has that of the previous one. */
export function nodesOf(lines: readonly SourceLine[]): ClaudeNode[] {
  let last = 0;
  return lines.flatMap(({ number, value }) => {
    const line = fieldsOf(value);
    const id = textOf(line?.["uuid"]);
    if (line === undefined || id === undefined) return [];
    last = timeOf(line["timestamp"]) ?? last;
    // After a compaction the chain restarts and only references its predecessor.
    const parentId = textOf(line["parentUuid"]) ?? textOf(line["logicalParentUuid"]);
    const type = textOf(line["type"]) ?? "";
    return [{ number, id, parentId, type, line, ts: last, isSidechain: line["isSidechain"] === true }];
  });
}

export function blocksOf({ line }: ClaudeNode): readonly Fields[] {
  const content = fieldsOf(line["message"])?.["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);
}

export function resultIdsOf(node: ClaudeNode): string[] {
  return blocksOf(node).flatMap((block) =>
    block["type"] === "tool_result" ? (textOf(block["tool_use_id"]) ?? []) : [],
  );
}

export function answerIdOf({ type, line }: ClaudeNode): string | undefined {
  return type === "assistant" ? textOf(fieldsOf(line["message"])?.["id"]) : undefined;
}

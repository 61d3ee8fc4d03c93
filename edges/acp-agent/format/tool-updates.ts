/** Tool calls as editors show them: started, updated and ended, with diffs and locations. */
import type { ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import type { Json } from "../../../src/protocol/index.ts";
import type { Block, ToolBlock } from "../../../src/transcript/index.ts";
import { fileDiffs } from "./unified-diff.ts";

/** One call as shown; the same shape starts and updates it. */
export interface CallState {
  readonly toolCallId: string;
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly status: ToolCallStatus;
  readonly content: ToolCallContent[];
  readonly locations: { path: string }[];
  readonly rawInput: Json;
  readonly rawOutput?: Json;
}

const KINDS: Readonly<Record<NonNullable<ToolBlock["toolKind"]>, ToolKind>> = {
  read: "read",
  search: "search",
  edit: "edit",
  execute: "execute",
  ask: "other",
  agent: "think",
  other: "other",
};
const PATH_KEYS = ["path", "file", "file_path", "filePath"] as const;

interface CallFacts {
  readonly cwd: string;
  /** The turn has ended, so no update will follow. */
  readonly isOver: boolean;
  /** Id for a block that has none; unique in the session. */
  readonly blockId: string;
}

export function callOf(block: Block, { cwd, isOver, blockId }: CallFacts): CallState | undefined {
  switch (block.kind) {
    case "tool":
      return fromTool(block, cwd, isOver);
    case "exchange":
      return block.toolCallId === undefined ? fromExchange(block, isOver) : undefined;
    case "subagent":
      return {
        ...plainCall(block.subagentTurnId, `${block.name}: ${block.task}`, "subagent", "think"),
        status: statusOf(block.outcome === undefined ? undefined : block.outcome === "completed", isOver),
        content: textOf(block.text),
        rawInput: { name: block.name, task: block.task },
      };
    case "changes":
      return {
        ...plainCall(blockId, "Changed files", "changes", "edit"),
        status: "completed",
        content: block.files.flatMap((file) => diffContent(file.diff ?? "", cwd)),
        locations: block.files.map((file) => ({ path: absolute(file.path, cwd) })),
      };
    default:
      return undefined;
  }
}

function fromTool(block: ToolBlock, cwd: string, isOver: boolean): CallState {
  const { toolCallId, name, title, toolKind, args, state, result, error, output, diff, detail } = block;
  const isSettled = state !== "pending";
  const text = (isSettled ? (result ?? error?.message) : undefined) ?? (output === "" ? detail : output);
  const isOk = isSettled ? state !== "error" && state !== "interrupted" : undefined;
  return {
    ...plainCall(toolCallId, title ?? name, name, KINDS[toolKind ?? "other"]),
    status: statusOf(isOk, isOver),
    content: [...textOf(text), ...diffContent(diff ?? "", cwd)],
    locations: pathsIn(args).map((path) => ({ path: absolute(path, cwd) })),
    rawInput: args,
    ...(isSettled ? { rawOutput: { result: result ?? null, error: error?.code ?? null } } : {}),
  };
}

function fromExchange(block: Extract<Block, { kind: "exchange" }>, isOver: boolean): CallState {
  const { agentExchangeId, to, text, wait, answer } = block;
  return {
    ...plainCall(agentExchangeId, `asks ${to}`, "agents_message", "think"),
    status: statusOf(answer?.ok, isOver),
    content: textOf(answer?.text),
    rawInput: { to, text, wait },
  };
}

function plainCall(toolCallId: string, title: string, name: string, kind: ToolKind): CallState {
  return { toolCallId, title, name, kind, status: "in_progress", content: [], locations: [], rawInput: {} };
}

function statusOf(isOk: boolean | undefined, isOver: boolean): ToolCallStatus {
  if (isOk === undefined) return isOver ? "failed" : "in_progress";
  return isOk ? "completed" : "failed";
}

function textOf(text: string | undefined): ToolCallContent[] {
  return text === undefined || text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}

export function diffContent(diff: string, cwd: string): ToolCallContent[] {
  return fileDiffs(diff).map(({ path, oldText, newText }) => ({
    type: "diff",
    path: absolute(path, cwd),
    oldText,
    newText,
  }));
}

/** Changes for an update; undefined when there are none. */
export function callChanges(before: CallState, now: CallState): ToolCallUpdate | undefined {
  const changed = (Object.keys(now) as (keyof CallState)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]),
  );
  if (changed.length === 0) return undefined;
  return { toolCallId: now.toolCallId, ...Object.fromEntries(changed.map((key) => [key, now[key]])) };
}

function pathsIn(args: Json): string[] {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return [];
  return PATH_KEYS.flatMap((key) => {
    const value = args[key];
    return typeof value === "string" && value !== "" && !/[\n\r\0]/.test(value) ? [value] : [];
  });
}

/** The protocol's paths are absolute. */
function absolute(path: string, cwd: string): string {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return path;
  return `${cwd.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}

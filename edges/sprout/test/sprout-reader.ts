/**
 * A reader of sprout's session files, written from the description of the format alone: it lists, replays and merges.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

const Part = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("text"), text: z.string().min(1) }),
  z.strictObject({
    kind: z.literal("thinking"),
    thinking: z.strictObject({ text: z.string(), signature: z.string().optional() }),
  }),
  z.strictObject({
    kind: z.literal("tool_call"),
    tool_call: z.strictObject({
      id: z.string().min(1),
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      arguments: z.union([z.record(z.string(), z.json()), z.string()]),
    }),
  }),
  z.strictObject({
    kind: z.literal("tool_result"),
    tool_result: z.strictObject({ tool_call_id: z.string(), content: z.string(), is_error: z.boolean() }),
  }),
]);

export const Message = z.strictObject({
  role: z.enum(["user", "assistant", "tool"]),
  content: z.array(Part).min(1),
  tool_call_id: z.string().optional(),
});
export type Message = z.infer<typeof Message>;

const AssistantMessage = Message.extend({ role: z.literal("assistant") });
const ToolMessage = Message.extend({ role: z.literal("tool"), tool_call_id: z.string() });
const count = z.int().nonnegative();
const usage = z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count });

const data = {
  session_start: z.strictObject({ goal: z.string(), session_id: z.string(), model: z.string() }),
  perceive: z.strictObject({ goal: z.string().min(1) }),
  plan_start: z.strictObject({ turn: z.int().positive() }),
  llm_start: z.strictObject({
    model: z.string(),
    provider: z.string(),
    turn: z.int().positive(),
    message_count: count,
  }),
  llm_end: z.strictObject({
    model: z.string(),
    provider: z.string(),
    input_tokens: count,
    output_tokens: count,
    cache_read_tokens: count,
    cache_write_tokens: count,
    latency_ms: count,
    finish_reason: z.string(),
  }),
  plan_end: z.union([
    z.strictObject({
      turn: z.int().positive(),
      finish_reason: z.string(),
      usage,
      text: z.string(),
      reasoning: z.string().min(1).optional(),
      assistant_message: AssistantMessage.optional(),
      context_tokens: z.number().nonnegative(),
      context_window_size: z.number().nonnegative(),
    }),
    z.strictObject({ turn: z.int().positive(), finish_reason: z.string() }),
  ]),
  primitive_start: z.strictObject({ name: z.string(), display_name: z.string(), args: z.record(z.string(), z.json()) }),
  primitive_end: z.strictObject({
    name: z.string(),
    display_name: z.string(),
    success: z.boolean(),
    stumbled: z.boolean(),
    output: z.string(),
    error: z.string().optional(),
    tool_result_message: ToolMessage,
  }),
  act_start: z.strictObject({ agent_name: z.string(), goal: z.string(), child_id: z.string() }),
  act_end: z.strictObject({
    agent_name: z.string(),
    success: z.boolean(),
    turns: count,
    timed_out: z.boolean(),
    error: z.string().optional(),
    child_id: z.string(),
    tool_result_message: ToolMessage,
  }),
  steering: z.strictObject({ text: z.string().min(1) }),
  warning: z.strictObject({ message: z.string() }),
  error: z.strictObject({ error: z.string() }),
  interrupted: z.strictObject({ message: z.string(), turns: count }),
  compaction: z.strictObject({
    summary: z.string().min(1),
    beforeCount: z.number(),
    afterCount: z.number(),
    logPath: z.string().optional(),
  }),
  session_end: z.strictObject({
    session_id: z.string(),
    success: z.boolean(),
    stumbles: count,
    turns: count,
    timed_out: z.boolean(),
    output: z.string(),
  }),
} as const;

type Kind = keyof typeof data;
export type LineOf<K extends Kind = Kind> = {
  [Each in K]: { kind: Each; timestamp: number; agent_id: string; depth: number; data: z.infer<(typeof data)[Each]> };
}[K];

const Line = z.strictObject({
  kind: z.enum(Object.keys(data) as [Kind, ...Kind[]]),
  timestamp: z.int(),
  agent_id: z.string().min(1),
  depth: count,
  data: z.record(z.string(), z.unknown()),
});

/** Throws at the first line that does not fit the format. */
export function parseLog(text: string): LineOf[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line is not whole");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const parsed = Line.parse(JSON.parse(line));
      return Object.assign(parsed, { data: data[parsed.kind].parse(parsed.data) }) as LineOf;
    });
}

function user(text: string): Message {
  return { role: "user", content: [{ kind: "text", text }] };
}

/** Depth of the log's first event: 0 for the root. */
export function replay(lines: readonly LineOf[]): Message[] {
  let history: Message[] = [];
  const depth = lines[0]?.depth;
  for (const line of lines.filter((one) => one.depth === depth)) {
    if (line.kind === "perceive") history.push(user(line.data.goal));
    if (line.kind === "steering") history.push(user(line.data.text));
    if (line.kind === "plan_end" && "assistant_message" in line.data && line.data.assistant_message !== undefined) {
      history.push(line.data.assistant_message);
    }
    if (line.kind === "primitive_end" || line.kind === "act_end") history.push(line.data.tool_result_message);
    if (line.kind === "compaction") history = [user(line.data.summary)];
  }
  return history;
}

/** Reasons why a model server would reject this history. */
export function faultsOf(history: readonly Message[]): string[] {
  const faults: string[] = [];
  if (history[0] !== undefined && history[0].role !== "user") faults.push("the first message is not the user's");
  let open = new Set<string>();
  for (const message of history) {
    for (const part of message.content) {
      if (part.kind === "tool_result") {
        const { tool_call_id: id } = part.tool_result;
        if (!open.delete(id)) faults.push(`result ${id} without its call right before it`);
        if (message.tool_call_id !== id) faults.push(`result ${id} is not named by its message`);
      }
    }
    if (message.role === "tool") continue;
    for (const id of open) faults.push(`call ${id} without its result`);
    const calls = message.content.flatMap((part) => (part.kind === "tool_call" ? [part.tool_call.id] : []));
    open = new Set(calls);
    if (open.size < calls.length) faults.push("two calls with one id in a message");
  }
  for (const id of open) faults.push(`call ${id} without its result`);
  return faults;
}

const Meta = z.strictObject({
  sessionId: z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/),
  agentSpec: z.literal("root"),
  model: z.string().min(1),
  selection: z.strictObject({ kind: z.literal("inherit") }),
  status: z.enum(["idle", "running", "interrupted"]),
  turns: count,
  contextTokens: z.number().nonnegative(),
  contextWindowSize: z.number().nonnegative(),
  createdAt: z.iso.datetime({ precision: 3 }),
  updatedAt: z.iso.datetime({ precision: 3 }),
});
export type Meta = z.infer<typeof Meta>;

/** With tabs and a final newline, like the original. */
export function parseMeta(text: string): Meta {
  const meta = Meta.parse(JSON.parse(text));
  if (text !== `${JSON.stringify(meta, null, "\t")}\n`) throw new Error("not written as sprout writes it");
  return meta;
}

export interface ListedSession extends Meta {
  readonly firstPrompt: string | undefined;
  readonly lastMessage: string | undefined;
}

export function listSessions(directory: string): ListedSession[] {
  const names = readdirSync(path.join(directory, "sessions")).filter((name) => name.endsWith(".meta.json"));
  return names.sort().map((name) => {
    const meta = parseMeta(readFileSync(path.join(directory, "sessions", name), "utf8"));
    const root = parseLog(readFileSync(path.join(directory, "logs", `${meta.sessionId}.jsonl`), "utf8"));
    const first = root.find((line): line is LineOf<"perceive"> => line.kind === "perceive" && line.depth === 0);
    const texts = root.flatMap((line) => (line.kind === "plan_end" && "text" in line.data ? [line.data.text] : []));
    return Object.assign(meta, { firstPrompt: first?.data.goal, lastMessage: texts.at(-1) });
  });
}

/** A log and its children, by path of child ids. */
export function readTree(directory: string, sessionId: string): Map<string, LineOf[]> {
  const found = new Map<string, LineOf[]>();
  const visit = (file: string, name: string): void => {
    found.set(name, parseLog(readFileSync(file, "utf8")));
    const below = path.join(file.slice(0, -".jsonl".length), "subagents");
    for (const child of existsSync(below) ? readdirSync(below) : []) {
      if (child.endsWith(".jsonl")) visit(path.join(below, child), `${name}/${child.slice(0, -".jsonl".length)}`);
    }
  };
  visit(path.join(directory, "logs", `${sessionId}.jsonl`), "");
  return found;
}

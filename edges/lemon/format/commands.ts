/** Parses one line of a client: a JSON object with a type; anything else is a prompt. */
import * as z from "zod";
import type { Json } from "../../../src/protocol/index.ts";

const sessionId = z.string().nullish();
const text = z.string().nullish();

const schemas = [
  z.object({ type: z.literal("prompt"), text: z.string(), session_id: sessionId }),
  z.object({ type: z.literal("abort"), session_id: sessionId }),
  z.object({ type: z.literal("reset"), session_id: sessionId }),
  z.object({ type: z.literal("save"), session_id: sessionId }),
  z.object({ type: z.literal("stats"), session_id: sessionId }),
  z.object({ type: z.literal("ping") }),
  z.object({ type: z.literal("debug") }),
  z.object({ type: z.literal("quit") }),
  z.object({ type: z.literal("list_sessions") }),
  z.object({ type: z.literal("list_models") }),
  z.object({ type: z.literal("list_running_sessions") }),
  z.object({
    type: z.literal("start_session"),
    cwd: text,
    model: text,
    system_prompt: text,
    session_file: text,
    parent_session: text,
  }),
  z.object({ type: z.literal("close_session"), session_id: sessionId }),
  z.object({ type: z.literal("set_active_session"), session_id: sessionId }),
  z.object({ type: z.literal("get_config") }),
  z.object({ type: z.literal("set_config"), key: z.string(), value: z.boolean() }),
  z.object({ type: z.literal("goal"), action: z.string(), objective: text, session_id: sessionId }),
] as const;

const WireCommand = z.discriminatedUnion("type", schemas);
export type WireCommand = z.infer<typeof WireCommand>;
export type StartSession = Extract<WireCommand, { type: "start_session" }>;

export type ParsedLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "command"; readonly command: WireCommand }
  | { readonly kind: "response"; readonly frame: Readonly<Record<string, Json>> }
  | { readonly kind: "wrong"; readonly message: string };

export function readLine(line: string): ParsedLine {
  const trimmed = line.trim();
  if (trimmed === "") return { kind: "nothing" };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    // Not JSON: typed by a person, or a script without knowledge of the format.
    return { kind: "command", command: { type: "prompt", text: trimmed } };
  }
  if (typeof value !== "object" || value === null) return { kind: "wrong", message: "unknown command" };
  const frame = value as Readonly<Record<string, Json>>;
  if (frame["type"] === "ui_response") return { kind: "response", frame };
  const { data, error } = WireCommand.safeParse(value);
  if (data !== undefined) return { kind: "command", command: data };
  return { kind: "wrong", message: messageFor(frame["type"], error) };
}

const types = new Set<unknown>(schemas.map((schema) => schema.shape.type.value));

/** An invalid known command says what is wrong; all others are unknown. */
function messageFor(type: unknown, error: z.ZodError): string {
  if (!types.has(type)) return "unknown command";
  const [issue] = error.issues;
  return `unknown command: ${String(type)}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it has the wrong form"}`;
}

/** The call of an approval request as JSON, and commands so that none of them is mistaken for it. */
import type { Json } from "../../protocol/index.ts";

export type CallFields = Readonly<Record<string, Json>>;

const CALL_CHARS_MAX = 256 * 1024;

/** Null for what is no JSON object, as most commands are not. */
export function parseFields(call: string): CallFields | null {
  if (!call.startsWith("{") || call.length > CALL_CHARS_MAX) return null;
  try {
    return asFields(JSON.parse(call) as Json);
  } catch {
    // A command that begins with a brace.
    return null;
  }
}

export function asFields(value: Json | undefined): CallFields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

/**
 * A command as the call of a request: itself, or inside of JSON when it is JSON. Otherwise what the model wrote as a
 * command would be judged by the fields that it shows, while the shell runs what is substituted in it.
 */
export function commandCall(command: string): string {
  return parseFields(command) === null ? command : JSON.stringify({ command });
}

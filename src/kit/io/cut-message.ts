/**
 * Salvages kind and id of a JSON-RPC message that exceeded the line limit, from its first and last bytes, so that the
 * sender still gets an answer.
 */
export type CutMessage =
  | { readonly kind: "request" | "answer"; readonly id: string | number }
  | { readonly kind: "unknown"; readonly id: null };

const UNKNOWN: CutMessage = { kind: "unknown", id: null };
const BEGINNING = /^\s*\{/;
/** Top-level fields with scalar values. */
const FIELD = /\s*"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,15})\s*,/y;
const RESULT = /\s*"(?:result|error)"\s*:/y;
/** The final brace closes the message, so the fields before it are top-level. */
const LAST_FIELDS =
  /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,15})\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$/;

export function readCutMessage(head: string, tail: string): CutMessage {
  const fields = new Map<string, unknown>();
  let at = BEGINNING.exec(head)?.[0].length ?? head.length;
  for (let field = match(FIELD, head, at); field !== null; field = match(FIELD, head, at)) {
    at += field[0].length;
    fields.set(field[1] ?? "", plain(field[2] ?? ""));
  }
  const id = fields.get("id") ?? plain(LAST_FIELDS.exec(tail)?.[1] ?? "");
  if (typeof id !== "string" && typeof id !== "number") return UNKNOWN;
  if (typeof fields.get("method") === "string") return { kind: "request", id };
  return match(RESULT, head, at) === null ? UNKNOWN : { kind: "answer", id };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function plain(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No match, or an escape that JSON does not allow.
    return undefined;
  }
}

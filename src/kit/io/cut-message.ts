/**
 * What can be known of a message of JSON-RPC of which only the beginning and the end were kept, because it was too long:
 * whether somebody waits for an answer to it, and under which id. Pure.
 */
export type CutMessage =
  | { readonly kind: "request" | "answer"; readonly id: string | number }
  | { readonly kind: "unknown"; readonly id: null };

const UNKNOWN: CutMessage = { kind: "unknown", id: null };
const BEGINNING = /^\s*\{/;
/** The fields of the message itself, as long as they are plain. */
const FIELD = /\s*"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,15})\s*,/y;
const RESULT = /\s*"(?:result|error)"\s*:/y;
/** The brace that ends the line ends the message: what stands before it is no deeper than that. */
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
    // There was none, or an escape in it that JSON does not know.
    return undefined;
  }
}

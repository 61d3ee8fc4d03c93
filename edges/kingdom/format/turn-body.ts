/** Outcome markers in the body of a message, as kingdom's programs expect them. */
import type { Outcome } from "../../../src/protocol/index.ts";

export interface TurnBody {
  readonly text: string;
  readonly outcome: Outcome;
  /** Error message, if any. */
  readonly error?: string | undefined;
}

const CUT_MARK = "*[Interrupted — response may be incomplete]*";
const INTERRUPTED_MARK = "*Interrupted*";
const EMPTY = "*Empty response — no text or error returned.*";
const TIMEOUT = "Timeout after";

/** `timeoutSeconds` is the limit of a timed-out turn. */
export function encodeTurnBody(turn: TurnBody, timeoutSeconds: number): string {
  const text = turn.text.trim();
  switch (turn.outcome) {
    case "completed":
      return text === "" ? EMPTY : text;
    case "interrupted":
      return text === "" ? INTERRUPTED_MARK : `${text}\n\n${CUT_MARK}`;
    case "timed_out":
      return text === "" ? errorMark(`${TIMEOUT} ${timeoutSeconds}s`) : text;
    default:
      return text === "" ? errorMark(turn.error ?? "unknown") : `${text}\n\n${errorMark(turn.error ?? "unknown")}`;
  }
}

/** `status` comes from the front matter of newer programs and overrides the marker. */
export function decodeTurnBody(body: string, status?: string): TurnBody {
  const text = body.trim();
  const error = /^\*Error: ([\s\S]*?)\*?$/.exec(text)?.[1];
  if (error !== undefined) return { text: "", outcome: error.startsWith(TIMEOUT) ? "timed_out" : "errored", error };
  if (text.startsWith("*Empty response")) return { text: "", outcome: "errored", error: "The answer was empty." };
  if (text === INTERRUPTED_MARK) return { text: "", outcome: "interrupted" };
  if (text.includes("*[Interrupted")) {
    return { text: text.replace(/\s*\*\[Interrupted[^\]]*\]\*\s*$/, ""), outcome: "interrupted" };
  }
  if (status === "timeout") return { text, outcome: "timed_out" };
  if (status === "error") return { text, outcome: "errored" };
  if (status === "interrupted") return { text, outcome: "interrupted" };
  return { text, outcome: "completed" };
}

/** One line: a marker split across lines is not recognised. */
function errorMark(what: string): string {
  return `*Error: ${what.replace(/\s+/g, " ").trim()}*`;
}

/** Maps a thrown value to the error of a turn. */
import { RoundtableError } from "../protocol/index.ts";
import type { TurnError } from "./port.ts";

const DETAIL_CHARS_MAX = 2_000;

export interface ErroredEnd {
  outcome: "errored";
  reason: string;
  error: TurnError;
}

/** A RoundtableError is an expected failure; anything else is a bug in the member. */
export function describeTurnError(member: string, thrown: unknown): ErroredEnd {
  if (thrown instanceof RoundtableError) {
    const hint = thrown.hint === undefined ? {} : { hint: thrown.hint };
    return { outcome: "errored", reason: thrown.code, error: { code: thrown.code, message: thrown.message, ...hint } };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  const detail = stack === undefined ? {} : { detail: stack.slice(0, DETAIL_CHARS_MAX) };
  return {
    outcome: "errored",
    reason: "crashed",
    error: {
      code: "crashed",
      message: `Internal error in ${member}: ${message}`,
      hint: "Try again. If it keeps happening, report it with the details.",
      ...detail,
    },
  };
}

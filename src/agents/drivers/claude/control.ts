/** Lines that we write in Claude Code's control protocol. */
import type { Fields } from "../../../kit/fields.ts";
import type { Awaited, ClaudeState } from "./state.ts";

export interface Asking {
  readonly state: ClaudeState;
  readonly line: string;
}

/** Control request of ours; its answer is matched by its id. */
export function askProgram(state: ClaudeState, request: Fields, awaited: Awaited): Asking {
  const lastRequest = state.lastRequest + 1;
  const id = `roundtable-${lastRequest}`;
  return {
    state: { ...state, lastRequest, awaited: new Map(state.awaited).set(id, awaited) },
    line: toLine({ type: "control_request", request_id: id, request }),
  };
}

export function answerProgram(requestId: string, response: Fields): string {
  return toLine({ type: "control_response", response: { subtype: "success", request_id: requestId, response } });
}

/** Without an answer the program would wait forever. */
export function refuseProgram(requestId: string, error: string): string {
  return toLine({ type: "control_response", response: { subtype: "error", request_id: requestId, error } });
}

/**
 * Message that is delivered as written. Without the mark a text that begins with a slash would run a command of the
 * program, whoever wrote it.
 */
export function userLine(content: string | readonly Fields[], uuid: string, more: Fields = {}): string {
  const message = { role: "user", content };
  return toLine({ type: "user", message, parent_tool_use_id: null, uuid, text_not_typed: true, ...more });
}

/** Command of the program itself; may contain no text but the user's own. */
export function commandLine(command: string, uuid: string): string {
  return toLine({ type: "user", message: { role: "user", content: command }, parent_tool_use_id: null, uuid });
}

function toLine(value: Fields): string {
  return `${JSON.stringify(value)}\n`;
}

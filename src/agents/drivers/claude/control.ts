/** Lines of Claude Code's control protocol, as we write them. */
import type { Fields } from "../../record-fields.ts";
import type { Awaited, ClaudeState } from "./state.ts";

export interface Asking {
  readonly state: ClaudeState;
  readonly line: string;
}

/** A control request of ours; its answer is recognised by its id. */
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

/** A request that is left without an answer keeps the program waiting for ever. */
export function refuseProgram(requestId: string, error: string): string {
  return toLine({ type: "control_response", response: { subtype: "error", request_id: requestId, error } });
}

/**
 * The text is delivered as written. Without that mark a text that begins with a slash would run a command of the
 * program, whoever at the table wrote it.
 */
export function userLine(content: string | readonly Fields[], uuid: string, more: Fields = {}): string {
  const message = { role: "user", content };
  return toLine({ type: "user", message, parent_tool_use_id: null, uuid, text_not_typed: true, ...more });
}

/** A command of the program itself; nobody's words but the user's own may be in it. */
export function commandLine(command: string, uuid: string): string {
  return toLine({ type: "user", message: { role: "user", content: command }, parent_tool_use_id: null, uuid });
}

function toLine(value: Fields): string {
  return `${JSON.stringify(value)}\n`;
}

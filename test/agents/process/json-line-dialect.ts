/** The small protocol that the fake agents speak: one JSON object a line. Pure. */
import type { Dialect, DialectEvent, Step } from "../../../src/agents/process/dialect.ts";

/** The turn that the program works on. */
export type JsonLineState = string | null;

const step = (state: JsonLineState, events: readonly DialectEvent[], ...write: unknown[]): Step<JsonLineState> => ({
  state,
  events,
  write: write.map((value) => `${JSON.stringify(value)}\n`),
});

/** For programs that know no interrupt of their own. */
export const signalsOnlyDialect: Dialect<JsonLineState> = {
  begin: () => step(null, []),
  parse: (state, line) => step(state, understand(state, line)),
  encodeTurn: (_state, { turnId, text }) => step(turnId, [], { do: "turn", id: turnId, text }),
  encodeSteer: (state, { messageId, text }) => step(state, [], { do: "steer", id: messageId, text }),
  encodeAnswer: (state, id, { result, error }) => step(state, [], { do: "answer", id, result, error }),
};

export const jsonLineDialect: Dialect<JsonLineState> = {
  ...signalsOnlyDialect,
  encodeInterrupt: (state) => step(state, [], { do: "interrupt" }),
};

function understand(state: JsonLineState, line: string): DialectEvent[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Not of this protocol; the agent shows it.
    return [{ type: "unreadable" }];
  }
  if (typeof value !== "object" || value === null) return [{ type: "unreadable" }];
  if ("turn" in value && value.turn !== state)
    return [{ type: "unexpected", what: `turn ${String(value.turn)} is over` }];
  return understandObject(value);
}

function understandObject(value: object): DialectEvent[] {
  if ("say" in value) return [{ type: "text_delta", text: String(value.say) }];
  if ("done" in value)
    return [{ type: "turn_over", outcome: value.done === "interrupted" ? "interrupted" : "completed" }];
  if ("ask" in value && "id" in value) {
    const request = { method: "confirm", title: String(value.ask), message: "" } as const;
    return [{ type: "request", callId: String(value.id), request }];
  }
  if ("tool" in value && "id" in value) {
    return [{ type: "tool_call_start", nativeId: String(value.id), name: String(value.tool), args: {} }];
  }
  if ("result" in value && "id" in value) {
    return [{ type: "tool_result", nativeId: String(value.id), ok: true, result: String(value.result) }];
  }
  if ("session" in value) return [{ type: "member_session", nativeSessionId: String(value.session) }];
  if ("steered" in value) return [{ type: "steered", messageId: String(value.steered) }];
  if ("background" in value) return [{ type: "background" }];
  return [{ type: "unexpected", what: `a message with ${Object.keys(value).join(", ")}` }];
}

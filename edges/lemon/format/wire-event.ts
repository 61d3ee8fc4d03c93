/** Session events of this wire. An event without fields has no `data`. */
export interface WireEvent {
  readonly type:
    | "agent_start"
    | "agent_end"
    | "turn_start"
    | "turn_end"
    | "message_start"
    | "message_update"
    | "message_end"
    | "tool_execution_start"
    | "tool_execution_update"
    | "tool_execution_end"
    | "error"
    | "quit";
  readonly data?: readonly unknown[];
}

/** One line to the client: always an object with a `type`. */
export interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

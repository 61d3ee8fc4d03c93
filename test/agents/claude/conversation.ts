/** A conversation with a program that the test plays, through the dialect; every line is parsed twice, to the same end. */
import { expect } from "vitest";
import type { AnswerResult, SteerInput, TurnInput } from "../../../src/agents/index.ts";
import type { HookRules } from "../../../src/agents/drivers/claude/hooks.ts";
import { createClaudeDialect } from "../../../src/agents/drivers/claude/parse.ts";
import type { ClaudeState } from "../../../src/agents/drivers/claude/state.ts";
import type { DialectEvent, Step } from "../../../src/agents/process/dialect.ts";

export type Fields = Record<string, unknown>;

export interface ConversationOptions extends Partial<HookRules> {
  readonly resumes?: string | undefined;
  readonly isSandboxed?: boolean;
}

export class Conversation {
  events: DialectEvent[] = [];
  written: Fields[] = [];
  #state: ClaudeState;
  #uuids = 0;
  readonly #dialect;

  constructor({ resumes, isSandboxed = false, ...rules }: ConversationOptions = {}) {
    const newUuid = (): string => `uuid-${(this.#uuids += 1)}`;
    const speaker = { newUuid, model: undefined, isModelLaunched: false };
    this.#dialect = createClaudeDialect({ ...speaker, isWritable: true, cwd: "/p", ...rules });
    const begun = this.#dialect.begin({ nativeSessionId: resumes, isSandboxed });
    this.#state = begun.state;
    this.#apply(begun);
  }

  receive(...records: Fields[]): this {
    for (const record of records) {
      const line = JSON.stringify(record);
      const before = JSON.stringify(this.#state);
      const once = this.#dialect.parse(this.#state, line);
      expect(this.#dialect.parse(this.#state, line)).toEqual(once);
      expect(JSON.stringify(this.#state)).toBe(before);
      this.#apply(once);
    }
    return this;
  }

  receiveRaw(line: string): this {
    this.#apply(this.#dialect.parse(this.#state, line));
    return this;
  }

  turn(more: Partial<TurnInput> = {}): this {
    const input: TurnInput = { kind: "turn", turnId: "t", text: "hello", attachments: [], ...more };
    this.#apply(this.#dialect.encodeTurn(this.#state, input));
    return this;
  }

  steer(input: Omit<SteerInput, "kind">): this {
    this.#apply(this.#dialect.encodeSteer?.(this.#state, { kind: "steer", ...input }) ?? { state: this.#state });
    return this;
  }

  interrupt(): this {
    this.#apply(this.#dialect.encodeInterrupt?.(this.#state) ?? { state: this.#state });
    return this;
  }

  answer(callId: string, answer: AnswerResult): this {
    this.#apply(this.#dialect.encodeAnswer?.(this.#state, callId, answer) ?? { state: this.#state });
    return this;
  }

  /** What came since the last look. */
  drain(): { events: DialectEvent[]; written: Fields[] } {
    const seen = { events: this.events, written: this.written };
    this.events = [];
    this.written = [];
    return seen;
  }

  #apply(step: Step<ClaudeState>): void {
    this.#state = step.state;
    this.events.push(...(step.events ?? []));
    this.written.push(...(step.write ?? []).map((line) => JSON.parse(line) as Fields));
  }
}

/** Before every turn the program calls the hook for its prompt. */
export const promptHook: Fields = {
  type: "control_request",
  request_id: "prompt-hook",
  request: { subtype: "hook_callback", callback_id: "prompt" },
};

export function startedTurn(options?: ConversationOptions): Conversation {
  const conversation = new Conversation(options).turn().receive(promptHook);
  conversation.drain();
  return conversation;
}

export const stream = (event: Fields, more: Fields = {}): Fields => ({
  type: "stream_event",
  event,
  parent_tool_use_id: null,
  ...more,
});
export const textStart = (index = 0): Fields =>
  stream({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
export const textDelta = (text: string): Fields =>
  stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
export const assistant = (content: Fields[], more: Fields = {}): Fields => ({
  type: "assistant",
  message: { model: "m", content },
  parent_tool_use_id: null,
  ...more,
});
export const result = (more: Fields = {}): Fields => ({
  type: "result",
  subtype: "success",
  is_error: false,
  terminal_reason: "completed",
  result: "",
  usage: {},
  ...more,
});
export const lifecycle = (uuid: string, state: string): Fields => ({
  type: "command_lifecycle",
  command_uuid: uuid,
  state,
});
export const mcp = (message: Fields): Fields => ({
  type: "control_request",
  request_id: "r",
  request: { subtype: "mcp_message", server_name: "roundtable", message: { jsonrpc: "2.0", ...message } },
});
export const types = (events: readonly DialectEvent[]): string[] => events.map((event) => event.type);
export const over = {
  outcome: "completed",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

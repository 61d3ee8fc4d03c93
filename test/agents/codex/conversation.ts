/** A conversation with the dialect of Codex alone: no program, no session. */
import { createCodexDialect } from "../../../src/agents/drivers/codex/parse.ts";
import type { CodexState, CodexStep } from "../../../src/agents/drivers/codex/state.ts";
import type { DialectEvent } from "../../../src/agents/process/dialect.ts";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { Segments } from "../../../src/session/turn/segments.ts";
import { createFakeClock } from "../../session/fake-clock.ts";

export const dialect = createCodexDialect({
  member: "ann",
  cwd: "/p",
  isWritable: true,
  idPrefix: "a.",
  marker: "mark",
});

/** Keeps the state, what came up and what was said, of one conversation. */
export class Conversation {
  state: CodexState;
  readonly events: DialectEvent[] = [];
  readonly sent: Record<string, unknown>[] = [];

  constructor(nativeSessionId?: string) {
    this.state = dialect.begin({ nativeSessionId }).state;
  }

  step(step: CodexStep | undefined): this {
    if (step === undefined) return this;
    this.state = step.state;
    this.events.push(...(step.events ?? []));
    const sent = (step.write ?? []).map((line) => JSON.parse(line) as Record<string, unknown>);
    // Asked once with every thread, beside everything else.
    this.sent.push(...sent.filter(({ method }) => method !== "model/list"));
    return this;
  }

  receive(message: object): this {
    return this.step(dialect.parse(this.state, JSON.stringify(message)));
  }

  notify(method: string, params: object): this {
    return this.receive({ method, params: { threadId: "t", turnId: "n", ...params } });
  }

  send(text = "hello", turnId = "turn-1"): this {
    return this.step(dialect.encodeTurn(this.state, { kind: "turn", turnId, text, attachments: [] }));
  }

  steer(messageId: string): this {
    return this.step(dialect.encodeSteer?.(this.state, { kind: "steer", messageId, text: "more" }));
  }

  interrupt(): this {
    return this.step(dialect.encodeInterrupt?.(this.state));
  }

  methods(): unknown[] {
    return this.sent.map(({ method }) => method);
  }

  ends(): DialectEvent[] {
    return this.events.filter(({ type }) => type === "turn_over");
  }
}

/** In the middle of a turn, with what led there forgotten. */
export function running(): Conversation {
  const conversation = new Conversation().send();
  conversation
    .receive({ id: "a.1", result: { thread: { id: "t" } } })
    .receive({ id: "a.2", result: { turn: { id: "n" } } });
  conversation.events.length = 0;
  conversation.sent.length = 0;
  return conversation;
}

/** What stands of it in a session: every text and thought that was not taken back, thoughts in brackets. */
export function standing({ events }: Conversation): string[] {
  const drafts: EventDraft[] = [];
  const segments = new Segments({ turnId: "t", member: "ann" }, createFakeClock(), (draft) => drafts.push(draft));
  for (const event of events) {
    if (event.type === "text_delta") segments.delta("text", event.text);
    else if (event.type === "thinking_delta") segments.delta("thinking", event.text);
    else if (event.type === "text_done") segments.done("text", event.text);
    else if (event.type === "thinking_done") segments.done("thinking", event.text);
    else if (event.type === "text_retracted") segments.retract(event.reason);
    else if (event.type === "tool_call_start") segments.close();
  }
  segments.close({ interrupted: true });
  const gone = new Set(drafts.flatMap((draft) => (draft.type === "text_retracted" ? [draft.segmentId] : [])));
  return drafts.flatMap((draft) => {
    if (draft.type === "thinking_done") return [`(${draft.text})`];
    return draft.type === "text_done" && !gone.has(draft.segmentId) ? [draft.text] : [];
  });
}

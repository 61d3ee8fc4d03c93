/** Seats one agent in a test: keeps what comes up, and lets the test wait for it. */
import type { Agent, AgentEvent } from "../../src/agents/index.ts";

export type EventOfType<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

export interface AgentProbe {
  readonly agent: Agent;
  readonly events: AgentEvent[];
  /** The first event of the type, from `from` on, now or when it comes. */
  next<Type extends AgentEvent["type"]>(type: Type, from?: number): Promise<EventOfType<Type>>;
  ask(text: string, turnId?: string): void;
  /** Sends a turn and waits for its end. */
  run(text: string, turnId?: string): Promise<EventOfType<"turn_done">>;
  all<Type extends AgentEvent["type"]>(type: Type): EventOfType<Type>[];
  /** Everything said, joined. */
  text(): string;
}

export async function startAgent(
  agent: Agent,
  onEvent: (event: AgentEvent) => void = () => undefined,
): Promise<AgentProbe> {
  const events: AgentEvent[] = [];
  let waiting: (() => void)[] = [];
  const isOfType =
    <Type extends AgentEvent["type"]>(type: Type) =>
    (event: AgentEvent): event is EventOfType<Type> =>
      event.type === type;
  await agent.start((event) => {
    events.push(event);
    onEvent(event);
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  });
  const probe: AgentProbe = {
    agent,
    events,
    async next(type, from = 0) {
      for (;;) {
        const match = events.slice(from).find(isOfType(type));
        if (match !== undefined) return match;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    ask: (text, turnId = "turn-1") => agent.send({ kind: "turn", turnId, text, attachments: [] }),
    async run(text, turnId) {
      const from = events.length;
      probe.ask(text, turnId);
      return probe.next("turn_done", from);
    },
    all: (type) => events.filter(isOfType(type)),
    text: () =>
      events
        .filter(isOfType("text_delta"))
        .map((event) => event.text)
        .join(""),
  };
  return probe;
}

/**
 * Lets everything that is already due happen: promises, timers and immediates. Of the last two either may come first, so
 * both are waited for.
 */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setImmediate(resolve));
}

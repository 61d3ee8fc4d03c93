/** Exchanges as recorded in the log, for limits that survive a restart and for settling questions that a restart cut. */
import * as z from "zod";
import type { EventOf, Json, SessionEvent } from "../../../protocol/index.ts";

/** Counts of older messages are dropped; nothing asks on behalf of so old a message. */
const ROOTS_REMEMBERED_MAX = 100;

const Counts = z.object({ asked: z.number(), turns: z.number() });
const OpenExchange = z.object({ agentExchangeId: z.string(), member: z.string(), to: z.string() });
const OpenTurn = z.object({ rootMessageId: z.string().optional(), asked: z.number() });

export const ExchangeMemoryJson = z.object({
  open: z.array(OpenExchange),
  turns: z.array(z.tuple([z.string(), OpenTurn])),
  roots: z.array(z.tuple([z.string(), Counts])),
  pairs: z.array(z.tuple([z.string(), z.number()])),
  stops: z.array(z.tuple([z.string(), z.number()])),
});

/** What one user message has led to: questions, and turns with cause "exchange". */
export type ExchangeCounts = Readonly<z.infer<typeof Counts>>;

export class ExchangeMemory {
  readonly #open: Map<string, z.infer<typeof OpenExchange>>;
  readonly #turns: Map<string, z.infer<typeof OpenTurn>>;
  readonly #roots: Map<string, ExchangeCounts>;
  readonly #pairs: Map<string, number>;
  readonly #stops: Map<string, number>;

  constructor(saved?: z.infer<typeof ExchangeMemoryJson>) {
    this.#open = new Map(saved?.open.map((one) => [one.agentExchangeId, one]));
    this.#turns = new Map(saved?.turns);
    this.#roots = new Map(saved?.roots);
    this.#pairs = new Map(saved?.pairs);
    this.#stops = new Map(saved?.stops);
  }

  apply(event: SessionEvent): void {
    switch (event.type) {
      case "user_message":
        this.#pairs.clear();
        return;
      case "turn_start":
        this.#startTurn(event);
        return;
      case "turn_end":
        this.#turns.delete(event.turnId);
        if (event.outcome === "interrupted") this.#stops.set(event.member, event.seq);
        return;
      case "agent_message":
        this.#ask(event);
        return;
      case "agent_callback_result":
        this.#open.delete(event.agentExchangeId);
        return;
      default:
    }
  }

  /** Unanswered questions, oldest first. */
  open(): readonly z.infer<typeof OpenExchange>[] {
    return [...this.#open.values()];
  }

  countsOf(rootMessageId: string): ExchangeCounts {
    return this.#roots.get(rootMessageId) ?? { asked: 0, turns: 0 };
  }

  questionsInTurn(turnId: string): number {
    return this.#turns.get(turnId)?.asked ?? 0;
  }

  /** Questions between the two since the user last wrote. */
  questionsBetween(one: string, other: string): number {
    return this.#pairs.get(pairOf(one, other)) ?? 0;
  }

  /** Seq of the member's last interrupted turn; 0 for none. */
  stoppedSeq(member: string): number {
    return this.#stops.get(member) ?? 0;
  }

  toJson(): Json {
    return structuredClone({
      open: [...this.#open.values()],
      turns: [...this.#turns],
      roots: [...this.#roots],
      pairs: [...this.#pairs],
      stops: [...this.#stops],
    }) as unknown as Json;
  }

  #startTurn({ turnId, rootMessageId, cause, copiedFrom }: EventOf<"turn_start">): void {
    if (copiedFrom !== undefined) return;
    this.#turns.set(turnId, { ...(rootMessageId === undefined ? {} : { rootMessageId }), asked: 0 });
    if (cause === "exchange") this.#count(rootMessageId, "turns");
  }

  #ask({ agentExchangeId, member, to, turnId }: EventOf<"agent_message">): void {
    this.#open.set(agentExchangeId, { agentExchangeId, member, to });
    const pair = pairOf(member, to);
    this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1);
    const turn = turnId === undefined ? undefined : this.#turns.get(turnId);
    if (turn !== undefined) turn.asked += 1;
    this.#count(turn?.rootMessageId, "asked");
  }

  #count(rootMessageId: string | undefined, what: keyof ExchangeCounts): void {
    if (rootMessageId === undefined) return;
    const before = this.countsOf(rootMessageId);
    this.#roots.delete(rootMessageId);
    this.#roots.set(rootMessageId, { ...before, [what]: before[what] + 1 });
    const [oldest] = this.#roots.keys();
    if (this.#roots.size > ROOTS_REMEMBERED_MAX && oldest !== undefined) this.#roots.delete(oldest);
  }
}

function pairOf(one: string, other: string): string {
  return [one, other].sort().join(" ");
}

/**
 * Subagents of a turn: each has its own turn in the log, under the member that started it. A subagent's turn ends
 * exactly once, before its parent's; its requests and calls are answered through the member's agent. Its parent is a
 * fact of the log, its name only a label.
 */
import type { SubagentEvent } from "../../agents/index.ts";
import { newId } from "../../kit/ids.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { beginningOf } from "../../kit/text/encoded-size.ts";
import { fitEvents } from "../fit-event.ts";
import { SUBAGENT_DEPTH_MAX, SUBAGENT_TEXT_BYTES_MAX, SUBAGENTS_OPEN_MAX, TURN_OUTPUT_CHARS_MAX } from "../limits.ts";
import type { SessionState } from "../state.ts";
import { Turn, type TurnEndFacts, type TurnDeps } from "./turn.ts";

export type OwnTurnDeps = Omit<TurnDeps, "onSubagent" | "endSubagents">;

type Start = Extract<SubagentEvent, { type: "subagent_start" }>;
type Done = Extract<SubagentEvent, { type: "subagent_done" }>;

const NAME_CHARS_MAX = 80;

export function withSubagents(state: SessionState, own: OwnTurnDeps): TurnDeps {
  return new Subagents(state, own).deps;
}

class Subagents {
  readonly deps: TurnDeps;
  readonly #state: SessionState;
  readonly #own: OwnTurnDeps;
  /** By parent turn, then by the agent's own id. */
  readonly #children = new WeakMap<Turn, Map<string, Turn>>();
  readonly #senders = new WeakMap<Turn, { parent: Turn; subagentId: string }>();

  constructor(state: SessionState, own: OwnTurnDeps) {
    this.#state = state;
    this.#own = own;
    this.deps = {
      ...own,
      onOverflow: (turn) => this.#cutOff(turn),
      onSubagent: (parent, event, toolCallId) => this.#handle(parent, event, toolCallId),
      endSubagents: (parent, facts) => this.#endAll(parent, facts),
    };
  }

  #handle(parent: Turn, event: SubagentEvent, toolCallId: string | undefined): void {
    if (event.type === "subagent_start") return this.#begin(parent, event, toolCallId);
    const child = this.#children.get(parent)?.get(event.subagentId);
    // Not shown (warned at its start) or already over.
    if (child === undefined) return;
    if (event.type === "subagent_event") child.record(event.event);
    else this.#end(parent, event.subagentId, child, endFacts(event), event.text);
  }

  #begin(parent: Turn, start: Start, toolCallId: string | undefined): void {
    const siblings = this.#children.get(parent) ?? new Map<string, Turn>();
    this.#children.set(parent, siblings);
    const depth = depthOf(this.#state, parent) + 1;
    const why = whyNot(siblings, start, depth);
    const name = start.name.slice(0, NAME_CHARS_MAX);
    if (why !== undefined) {
      const message = `Subagent "${name}" is not shown: ${why}.`;
      this.#own.ledger.append(fitEvents({ type: "warning", ...stampOf(parent), code: "subagent", message }));
      return;
    }
    const turnId = newId();
    this.#own.ledger.append(beginning(parent, start, { turnId, name, depth, toolCallId }));
    const { member, rootMessageId, clientId } = parent.identity;
    const identity = { turnId, member, messageIds: [], rootMessageId, round: undefined, clientId };
    const child = new Turn(identity, this.deps);
    siblings.set(start.subagentId, child);
    this.#senders.set(child, { parent, subagentId: start.subagentId });
  }

  #end(parent: Turn, subagentId: string, child: Turn, facts: TurnEndFacts, text?: string): void {
    this.#children.get(parent)?.delete(subagentId);
    child.settle(facts);
    this.#own.ledger.append(
      fitEvents({
        type: "subagent_result",
        ...stampOf(parent),
        subagentTurnId: child.identity.turnId,
        outcome: facts.outcome,
        ...(text === undefined ? {} : { text: beginningOf(text, SUBAGENT_TEXT_BYTES_MAX) }),
      }),
    );
  }

  #endAll(parent: Turn, facts: TurnEndFacts): void {
    const outcome = facts.outcome === "completed" ? "interrupted" : facts.outcome;
    for (const [subagentId, child] of this.#children.get(parent) ?? []) {
      this.#end(parent, subagentId, child, { outcome, reason: facts.reason ?? "parent_ended" });
    }
  }

  #cutOff(turn: Turn): void {
    const sender = this.#senders.get(turn);
    if (sender === undefined) return this.#own.onOverflow(turn);
    const message = `The subagent exceeded ${TURN_OUTPUT_CHARS_MAX} characters; its further output is dropped.`;
    const error = { code: "output_limit", message };
    this.#end(sender.parent, sender.subagentId, turn, { outcome: "errored", reason: error.code, error });
  }
}

function whyNot(siblings: ReadonlyMap<string, Turn>, { subagentId }: Start, depth: number): string | undefined {
  if (siblings.has(subagentId)) return "its id is already in use";
  if (siblings.size >= SUBAGENTS_OPEN_MAX) return `${SUBAGENTS_OPEN_MAX} are already running`;
  return depth > SUBAGENT_DEPTH_MAX ? `it would be more than ${SUBAGENT_DEPTH_MAX} deep` : undefined;
}

interface Beginning {
  readonly turnId: string;
  readonly name: string;
  readonly depth: number;
  readonly toolCallId: string | undefined;
}

function beginning(parent: Turn, { task, model }: Start, { turnId, name, depth, toolCallId }: Beginning): EventDraft[] {
  const { turnId: parentTurnId, member, rootMessageId } = parent.identity;
  const call = toolCallId === undefined ? {} : { toolCallId };
  const taskText = beginningOf(task, SUBAGENT_TEXT_BYTES_MAX);
  return [
    { type: "subagent_spawned", ...stampOf(parent), subagentTurnId: turnId, name, task: taskText, depth, ...call },
    {
      type: "turn_start",
      turnId,
      member,
      cause: "subagent",
      messageIds: [],
      rootMessageId,
      parentTurnId,
      ...call,
      depth,
      ...(model === undefined ? {} : { model }),
    },
  ];
}

function depthOf(state: SessionState, { identity }: Turn): number {
  const { openTurns } = state.ledger.transcript.head;
  return Object.hasOwn(openTurns, identity.turnId) ? (openTurns[identity.turnId]?.depth ?? 0) : 0;
}

function stampOf({ identity }: Turn): { turnId: string; member: string } {
  return { turnId: identity.turnId, member: identity.member };
}

function endFacts({ outcome, reason, error, usage }: Done): TurnEndFacts {
  return {
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    ...(usage === undefined ? {} : { usage }),
  };
}

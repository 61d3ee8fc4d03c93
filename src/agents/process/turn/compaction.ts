/**
 * Requested compaction, run as a turn of its own: same program, limits and ways to end, but output of the program is no
 * answer.
 * Guarantee: exactly one `compacted` or `compact_failed` is emitted, when the program accepts turns again.
 */
import type { AgentEvent, AnswerResult, CompactedEvent } from "../../port.ts";
import type { Dialect, Step } from "../dialect.ts";
import { errored } from "../turn-errors.ts";
import type { ProcessLimits } from "../limits.ts";
import { OpenTurn } from "./open-turn.ts";

export interface CompactionOptions {
  readonly member: string;
  readonly focus: string | undefined;
  readonly limits: ProcessLimits;
  readonly up: (event: AgentEvent) => void;
  readonly answer: (callId: string, result: AnswerResult) => void;
}

/** Events that are valid outside of a turn. */
export const BETWEEN_TURNS: ReadonlySet<string> = new Set<AgentEvent["type"]>([
  "member_session",
  "member_models",
  "member_guard",
  "model_fallback",
  "context_update",
  "compacted",
  "warning",
  "ui_status",
  "ui_notify",
]);

/** Refusals before the program is involved. */
export const BUSY = errored({ code: "busy", message: "it is busy; wait until its turn has ended." });
export const NOTHING_YET = errored({ code: "nothing_to_compact", message: "it has no conversation yet." });

const UNANSWERABLE: AnswerResult = {
  result: null,
  error: "The context is being compacted; requests cannot be answered now.",
};

export function openCompaction({ member, focus, limits, up, answer }: CompactionOptions): OpenTurn {
  let compacted: CompactedEvent | undefined;
  const input = { kind: "turn", turnId: "compaction", text: focus ?? "", attachments: [] } as const;
  const turn = new OpenTurn(input, member, limits, (event) => {
    if (event.type === "compacted") compacted ??= event;
    else if (event.type === "turn_done") up(outcomeOf(compacted, event, member));
    else if (event.type === "request" || event.type === "host_call") {
      queueMicrotask(() => answer(event.callId, UNANSWERABLE));
    } else if (BETWEEN_TURNS.has(event.type)) up(event);
  });
  turn.isCompaction = true;
  return turn;
}

export function encodeCompaction<State>(dialect: Dialect<State>, state: State, { input }: OpenTurn): Step<State> {
  const focus = input.text.trim();
  if (dialect.encodeCompact !== undefined) return dialect.encodeCompact(state, focus === "" ? undefined : focus);
  const over = errored({ code: "unsupported", message: "its program cannot compact its context on request" });
  return { state, events: [{ type: "turn_over", ...over }] };
}

type TurnDone = Extract<AgentEvent, { type: "turn_done" }>;

/** Usage is reported with the end, as of any turn. */
function outcomeOf(compacted: CompactedEvent | undefined, end: TurnDone, member: string): AgentEvent {
  if (compacted === undefined) return { type: "compact_failed", message: whyNot(member, end) };
  return { ...compacted, ...(end.usage === undefined ? {} : { usage: end.usage }) };
}

function whyNot(member: string, { outcome, error }: TurnDone): string {
  if (outcome === "interrupted") return `The compaction of ${member} was stopped.`;
  const why = error?.message ?? "its program gave no reason";
  return `The context of ${member} was not compacted: ${/[.!?]$/.test(why) ? why : `${why}.`}`;
}

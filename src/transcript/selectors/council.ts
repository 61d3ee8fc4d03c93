/** State of a discussion for the scheduler and for screens: who is next, what it has cost. */
import type { LimitName, LimitScope, Limits } from "../../protocol/index.ts";
import type { Head, RoundState } from "../model.ts";
import { own } from "../record.ts";
import { membersInOrder } from "./head.ts";

/** Limits of a session are this many times those of a message, unless its settings say otherwise. */
export const SESSION_LIMIT_FACTOR = 10;

export interface RoundView extends RoundState {
  /** Members that will still speak in this round, in order. */
  readonly waiting: readonly string[];
  /** The next speaker, in this round or the first of the next one; absent when there is none. */
  readonly next?: string;
}

/** Undefined without a message to all, or after a clear. */
export function roundView(head: Head): RoundView | undefined {
  const { round } = head;
  if (round === undefined) return undefined;
  const waiting = waitingInRound(head, round);
  const next = isDiscussing(head) ? (waiting[0] ?? firstOfNext(head, round)) : undefined;
  return { ...round, waiting, ...(next === undefined ? {} : { next }) };
}

/** True while turns of the discussion run or more of them will start by themselves. */
export function isDiscussing(head: Head, rootMessageId?: string): boolean {
  if (head.council.state !== "running" || head.round === undefined) return false;
  return rootMessageId === undefined || head.round.rootMessageId === rootMessageId;
}

/** In the opening round, members that have not settled the message; later, unmuted members that have not spoken. */
export function waitingInRound(head: Head, round: RoundState): string[] {
  const names = membersInOrder(head)
    .filter((member) => !member.muted)
    .map((member) => member.name)
    .filter((name) => !round.running.includes(name) && !round.settled.includes(name));
  const deliveries = own(head.deliveries, round.rootMessageId) ?? {};
  const expected = round.number > 1 ? names : names.filter((name) => own(deliveries, name)?.state === "pending");
  const called = round.called.filter((name) => expected.includes(name));
  return [...called, ...expected.filter((name) => !called.includes(name))];
}

/** Undefined when that member has just failed: whether it can speak again is unknown. */
function firstOfNext(head: Head, round: RoundState): string | undefined {
  if (round.number >= round.of) return undefined;
  const first = membersInOrder(head).find((member) => !member.muted)?.name;
  return first === undefined || own(round.results, first) === "failed" ? undefined : first;
}

/** "round 2 of 4 · codex is next"; empty when no discussion runs and none has just ended. */
export function roundLine(head: Head): string {
  const view = roundView(head);
  if (view === undefined || view.of === 1) return "";
  const line = `round ${view.number} of ${view.of}`;
  const { state, why } = head.council;
  if (state === "paused") return `${line} · paused`;
  if (state === "settled") return `${line} · ${SETTLED_LABELS[why ?? ""] ?? "ended"}`;
  // A member that still speaks in this round is not announced as the first of the next one.
  return view.next === undefined || view.running.includes(view.next) ? line : `${line} · ${view.next} is next`;
}

const SETTLED_LABELS: Readonly<Record<string, string>> = {
  cap: "all rounds are done",
  agreed: "nobody had anything to add",
  interrupted: "stopped",
  nobody_left: "no member is left to speak",
  superseded: "another message came",
  all_failed: "every member failed",
};

export interface CapMeter {
  readonly scope: LimitScope;
  readonly limit: LimitName;
  readonly used: number;
  /** Including what the user has raised. */
  readonly max: number;
  /** Amount by which `continue` raises it. */
  readonly step: number;
  readonly isReached: boolean;
}

const LIMIT_NAMES: readonly LimitName[] = ["turns", "minutes", "tokens", "usd"];

/** Limits of the latest message to all, then of the session. With `nowMs`, running turns are included. */
export function capMeters(head: Head, nowMs?: number): CapMeter[] {
  const limits = head.settings?.limits;
  if (limits === undefined) return [];
  return (["message", "session"] as const).flatMap((scope) =>
    LIMIT_NAMES.map((limit) => {
      const step = limitOf(limits, scope, limit);
      const max = Math.max(step, head.council.raised?.[scope]?.[limit] ?? 0);
      const used = usedOf(head, scope, limit, nowMs);
      return { scope, limit, used, max, step, isReached: used >= max };
    }),
  );
}

function limitOf(limits: Limits, scope: LimitScope, limit: LimitName): number {
  return scope === "message" ? limits[limit] : (limits.session?.[limit] ?? limits[limit] * SESSION_LIMIT_FACTOR);
}

function usedOf(head: Head, scope: LimitScope, limit: LimitName, nowMs: number | undefined): number {
  const { turns, tokens, usd, activeMs, openSinceTs } = head.spent[scope];
  if (limit !== "minutes") return { turns, tokens, usd }[limit];
  const runningMs = nowMs === undefined || openSinceTs === undefined ? 0 : Math.max(0, nowMs - openSinceTs);
  return (activeMs + runningMs) / 60_000;
}

/** "12/40 turns", "3.5/30 min", "1.2M/2M tokens", "$0.42/$5". */
export function meterLine({ limit, used, max }: CapMeter): string {
  if (limit === "usd") return `$${round2(used)}/$${round2(max)}`;
  if (limit === "minutes") return `${Math.floor(used * 10) / 10}/${round2(max)} min`;
  return `${short(used)}/${short(max)} ${limit}`;
}

function round2(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function short(value: number): string {
  if (value < 10_000) return String(Math.round(value));
  return value < 1_000_000 ? `${Math.round(value / 100) / 10}k` : `${Math.round(value / 10_000) / 100}M`;
}

/** Facts of the head for views and lists. */

import type { SessionSummary } from "../../protocol/index.ts";
import type { Head, MemberState, OpenRequest, Transcript } from "../model.ts";
import type { TurnMessage } from "../messages.ts";
import { findLive } from "../pages.ts";
import { own } from "../record.ts";

/** Members in the session: those in `settings.order` first, in that order, then the others as they joined. */
export function membersInOrder(head: Head): MemberState[] {
  const order = head.settings?.order ?? [];
  const rank = ({ name }: MemberState) => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.values(head.members)
    .filter((member) => member.seated)
    .sort((a, b) => rank(a) - rank(b));
}

/** The request to answer next: the oldest. */
export function openRequest(head: Head): OpenRequest | undefined {
  return head.requests[0];
}

export function isRunning(head: Head): boolean {
  return Object.keys(head.openTurns).length > 0;
}

/** What running turns have cost so far; the totals have it when they end. */
export function openCostUsd(head: Head): number {
  return Object.values(head.openTurns).reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
}

export interface ContextMeter {
  readonly used: number;
  readonly window: number;
  /** 0 … 1. */
  readonly fraction: number;
  /** Tokens until the member compacts; 0 when it is due, absent when it does not say. */
  readonly untilCompaction?: number;
  /** False when the figures are an estimate. */
  readonly measured: boolean;
}

export function contextMeter(head: Head, name: string): ContextMeter | undefined {
  const context = own(head.members, name)?.context;
  if (context === undefined) return undefined;
  const { used, window, compactAt, measured } = context;
  return {
    used,
    window,
    fraction: Math.min(1, used / window),
    ...(compactAt === undefined ? {} : { untilCompaction: Math.max(0, compactAt - used) }),
    measured,
  };
}

/** Interrupted: nothing runs, and the newest turn of a member was cut. */
export function summaryOf(transcript: Transcript): SessionSummary {
  const { head } = transcript;
  const members = membersInOrder(head);
  const answering = members.filter(({ state }) => state === "running").map(({ name }) => name);
  return {
    sessionId: head.sessionId,
    title: head.title,
    cwd: head.cwd,
    members: members.map(({ name }) => name),
    messages: head.userCount + head.turnCount,
    turns: head.turnCount,
    createdTs: head.createdTs,
    updatedTs: head.updatedTs,
    archived: head.archived,
    status: statusOf(transcript),
    seq: head.seq,
    ...(answering.length === 0 ? {} : { answering }),
    ...(head.requests.length === 0 ? {} : { waiting: head.requests.length }),
    ...(head.settings?.mirror == null ? {} : { mirrored: true }),
  };
}

function statusOf(transcript: Transcript): SessionSummary["status"] {
  if (isRunning(transcript.head)) return "running";
  const newest = findLive(
    transcript,
    (message): message is TurnMessage => message.kind === "turn" && message.depth === 0,
  );
  return newest?.end?.outcome === "interrupted" ? "interrupted" : "idle";
}

/** Nothing runs, and nothing will start by itself. A paused discussion waits for the user. */
export function isQuiet(head: Head): boolean {
  if (isRunning(head)) return false;
  if (head.council.state === "paused") return true;
  return head.council.state !== "running" && !membersInOrder(head).some((member) => member.state !== "idle");
}

/** Members of the session. A member that left stays known, with its totals; one that returns starts over. */

import type { EventOf } from "../../protocol/index.ts";
import { NO_TOTALS } from "../empty.ts";
import { type Head, type MemberState, type Transcript, COMPACTIONS_SHOWN_MAX, type CompactionState } from "../model.ts";
import { addNotice, addToTurn } from "./notices.ts";
import { patchHead, withHead } from "../pages.ts";
import { omit, own, plain, present } from "../record.ts";
import { countCompaction } from "./usage.ts";

/** Members that join before the first user message cause no notice. */
export function joinMember(transcript: Transcript, event: EventOf<"member_joined">): Transcript {
  const { head } = transcript;
  const member: MemberState = {
    name: event.member,
    spec: plain(event.spec),
    capabilities: plain(event.capabilities),
    seated: true,
    muted: false,
    ...present({ model: event.spec.model, effort: event.spec.effort }),
    state: "idle",
    totals: own(head.members, event.member)?.totals ?? NO_TOTALS,
    seenSeq: 0,
  };
  const members = { ...head.members, [event.member]: member };
  const joined = patchHead(transcript, settleActivity({ ...head, members }, event.member));
  return head.userCount === 0 ? joined : addNotice(joined, event);
}

export function leaveMember(transcript: Transcript, event: EventOf<"member_left">): Transcript {
  const left = changeMember(transcript, event.member, (member) => ({
    ...omit(member, "nativeSessionId", "context", "models", "guard", "compactions", "isUndone", "compacting"),
    seated: false,
    muted: false,
  }));
  return addNotice(left, event);
}

export function muteMember(transcript: Transcript, event: EventOf<"member_muted" | "member_unmuted">): Transcript {
  const muted = event.type === "member_muted";
  return addNotice(
    changeMember(transcript, event.member, (member) => ({ ...member, muted })),
    event,
  );
}

export function setNativeSession(transcript: Transcript, event: EventOf<"member_session">): Transcript {
  const { nativeSessionId } = event;
  return changeMember(transcript, event.member, (member) => ({ ...member, nativeSessionId }));
}

/** Limit of models per member in the fold, whatever the log has. */
const MODELS_MAX = 200;

export function setModels(transcript: Transcript, event: EventOf<"member_models">): Transcript {
  const models = plain(event.models.slice(0, MODELS_MAX));
  return changeMember(transcript, event.member, (member) => ({ ...member, models }));
}

export function setGuard(transcript: Transcript, event: EventOf<"member_guard">): Transcript {
  const guard = { kind: event.guard, ...present({ detail: event.detail }) };
  return changeMember(transcript, event.member, (member) => ({ ...member, guard }));
}

export function switchModel(transcript: Transcript, event: EventOf<"model_switched">): Transcript {
  const { model } = event;
  return addNotice(
    changeMember(transcript, event.member, (member) => ({ ...member, model })),
    event,
  );
}

export function switchEffort(transcript: Transcript, event: EventOf<"effort_switched">): Transcript {
  const { effort } = event;
  const change = (member: MemberState): MemberState => ({ ...omit(member, "effort"), ...present({ effort }) });
  return addNotice(changeMember(transcript, event.member, change), event);
}

/** Model and effort of a member; undefined when neither was chosen. */
export function formatModel({
  model,
  spec,
  effort,
}: Pick<MemberState, "model" | "spec" | "effort">): string | undefined {
  const named = model ?? spec.model;
  if (effort === undefined) return named;
  return named === undefined ? `${effort} effort` : `${named}, ${effort} effort`;
}

export function setContext(transcript: Transcript, event: EventOf<"context_update">): Transcript {
  const { used, window, compactAt, measured } = event;
  const context = { used, window, ...present({ compactAt }), measured };
  return changeMember(transcript, event.member, (member) => ({ ...member, context }));
}

function changeMember(transcript: Transcript, name: string, change: (member: MemberState) => MemberState): Transcript {
  const { members } = transcript.head;
  const member = own(members, name);
  return member === undefined ? transcript : patchHead(transcript, { members: { ...members, [name]: change(member) } });
}

/**
 * Derives a member's state from its open turns and pending messages. Its turn is the outermost one, so that a subagent
 * with its name never hides it.
 */
export function settleActivity(head: Head, name: string): Head {
  const member = own(head.members, name);
  if (member === undefined) return head;
  let turn;
  for (const one of Object.values(head.openTurns)) {
    if (one.member === name && (turn === undefined || one.depth < turn.depth)) turn = one;
  }
  const isPending = Object.values(head.deliveries).some((message) => own(message, name)?.state === "pending");
  const settled: MemberState = {
    ...omit(member, "turnId"),
    state: turn !== undefined ? "running" : isPending ? "waiting" : "idle",
    ...(turn === undefined ? {} : { turnId: turn.turnId }),
  };
  return { ...head, members: { ...head.members, [name]: settled } };
}

export function compactMember(transcript: Transcript, event: EventOf<"compaction">): Transcript {
  const compaction: CompactionState = {
    id: event.id,
    seq: event.seq,
    firstKeptSeq: event.firstKeptSeq,
    before: event.before,
    after: event.after,
    native: event.native === true,
    ...present({ folded: event.folded }),
    kept: [...(event.pinned ?? []).map(({ turnId }) => turnId), ...(event.quoted ?? [])],
  };
  const compacted = changeMember(transcript, event.member, (member) => ({
    ...omit(member, "compacting", "isUndone"),
    compactions: [...(member.compactions ?? []), compaction].slice(-COMPACTIONS_SHOWN_MAX),
  }));
  return addToTurn(withHead(compacted, countCompaction(compacted.head, event)), event);
}

/** An unknown id, such as one from before a fork, stands for the last compaction. */
export function undoCompaction(transcript: Transcript, event: EventOf<"compaction_undone">): Transcript {
  const undone = changeMember(transcript, event.member, (member) => {
    const compactions = member.compactions ?? [];
    const index = compactions.findLastIndex(({ id }) => id === event.compactionId);
    return { ...member, compactions: compactions.slice(0, index === -1 ? -1 : index), isUndone: true };
  });
  return addNotice(undone, event);
}

export function startCompaction(transcript: Transcript, event: EventOf<"compaction_started">): Transcript {
  const compacting = { sinceTs: event.ts, ...present({ focus: event.focus }) };
  return changeMember(transcript, event.member, (member) => ({ ...member, compacting }));
}

export function failCompaction(transcript: Transcript, event: EventOf<"compaction_failed">): Transcript {
  return addNotice(
    changeMember(transcript, event.member, (member) => omit(member, "compacting")),
    event,
  );
}

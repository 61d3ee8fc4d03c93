/** What was folded away of a member's context, and what was taken back. */
import type { EventOf } from "../../protocol/index.ts";
import { changeMember } from "./members.ts";
import { COMPACTIONS_SHOWN_MAX, type CompactionState, type Transcript } from "../model.ts";
import { addToTurn, addNotice } from "./notices.ts";
import { withHead } from "../pages.ts";
import { omit, present } from "../record.ts";
import { countCompaction } from "./usage.ts";

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

/** One that is not known here, such as one of the session this one was copied from, is the last. */
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

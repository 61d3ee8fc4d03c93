/** Facts about the whole session. */
import type { EventOf } from "../../protocol/index.ts";
import { forgetDiscussion, forgetRaised } from "./council.ts";
import { PINNED_MAX, type Head, type MemberState, type Transcript } from "../model.ts";
import { addNotice } from "./notices.ts";
import { patchHead, withHead } from "../pages.ts";
import { omit, present } from "../record.ts";

/** The first one opens the session. A source of the session becomes a notice, and so does a second event. */
export function createSession(transcript: Transcript, event: EventOf<"session_created">): Transcript {
  if (transcript.head.settings !== undefined) return addNotice(transcript, event);
  const { title, cwd, ts } = event;
  const settings = present(event.settings) as Head["settings"] & object;
  const created = patchHead(transcript, { title, cwd, createdTs: ts, settings });
  return event.forkedFrom === undefined && event.imported === undefined ? created : addNotice(created, event);
}

export function renameSession(transcript: Transcript, event: EventOf<"session_renamed">): Transcript {
  return patchHead(transcript, { title: event.title });
}

export function archiveSession(transcript: Transcript, event: EventOf<"session_archived">): Transcript {
  return patchHead(transcript, { archived: event.archived });
}

/** Without settings to change (lost by damage) the change becomes a notice. */
export function changeSettings(transcript: Transcript, event: EventOf<"settings_changed">): Transcript {
  const { settings } = transcript.head;
  if (settings === undefined) return addNotice(transcript, event);
  // Changing the number of rounds counts as choosing it.
  const chosen = event.settings.auto_rounds === undefined ? settings : omit(settings, "rounds_need_model");
  const changed = { ...transcript.head, settings: { ...chosen, ...present(event.settings) } };
  return withHead(transcript, forgetRaised(changed, event));
}

/** Members and screens start over; the log, the totals and the queue stay. */
export function clearSession(transcript: Transcript, event: EventOf<"session_clear">): Transcript {
  const { head } = transcript;
  const members: Record<string, MemberState> = Object.fromEntries(
    Object.entries(head.members).map(([name, member]) => [
      name,
      omit(member, "nativeSessionId", "context", "compactions", "isUndone", "compacting"),
    ]),
  );
  const cleared: Head = {
    ...omit(forgetDiscussion(head), "plan"),
    members,
    pinned: [],
    ui: { status: {}, widgets: {} },
    clearedSeq: event.seq,
  };
  return addNotice(withHead(transcript, cleared), event);
}

/** A pin beyond PINNED_MAX becomes a notice; no older pin is dropped for it. */
export function pinMessage(transcript: Transcript, event: EventOf<"message_pinned">): Transcript {
  const others = transcript.head.pinned.filter((messageId) => messageId !== event.messageId);
  if (!event.pinned) return patchHead(transcript, { pinned: others });
  if (others.length >= PINNED_MAX) return addNotice(transcript, event);
  return patchHead(transcript, { pinned: [...others, event.messageId] });
}

/** Events appended to an imported session that revoke what an untrusted file must not decide. */
import { isLasting } from "../../../src/agents/index.ts";
import { openLogReader, type OpenReaderOptions } from "../../../src/log/index.ts";
import type { EventDraft, MemberSpec, SessionEvent } from "../../../src/protocol/index.ts";
import { dropFrozenPages, empty, fold, type Head } from "../../../src/transcript/index.ts";

type Safeguard = Extract<EventDraft, { type: "member_left" | "settings_changed" }>;

/** For the log on disk; known members may be started. */
export async function safeguardsFor(logOptions: OpenReaderOptions, known: readonly MemberSpec[]): Promise<Safeguard[]> {
  const reader = await openLogReader(logOptions);
  try {
    let transcript = empty(logOptions.sessionId);
    let hasLastingAnswers = false;
    for await (const events of reader.read(0)) {
      hasLastingAnswers ||= events.some(isLastingAnswer);
      transcript = dropFrozenPages(fold(transcript, events), 0);
    }
    return [...departures(transcript.head, known), ...restraints(transcript.head, hasLastingAnswers)];
  } finally {
    await reader.close();
  }
}

function isLastingAnswer(event: SessionEvent): boolean {
  return event.type === "ui_response" && isLasting(event.result);
}

function departures({ members }: Head, known: readonly MemberSpec[]): Safeguard[] {
  return Object.values(members)
    .filter(({ spec, seated }) => seated && bringsItsOwn(spec) && !known.some((one) => isSameProgram(one, spec)))
    .map(({ name }) => ({
      type: "member_left",
      member: name,
      reason: "its program or address came from an imported file",
    }));
}

function bringsItsOwn({ command, baseUrl, env }: MemberSpec): boolean {
  return command !== undefined || baseUrl !== undefined || (env ?? []).length > 0;
}

function isSameProgram(a: MemberSpec, b: MemberSpec): boolean {
  const shape = ({ kind, command, baseUrl, env }: MemberSpec) => JSON.stringify([kind, command, baseUrl, env]);
  return shape(a) === shape(b);
}

function restraints({ settings }: Head, hasLastingAnswers: boolean): Safeguard[] {
  const safeguards: Safeguard[] = [];
  if (settings?.mirror != null) safeguards.push({ type: "settings_changed", settings: { mirror: null } });
  if (hasLastingAnswers && settings?.writable === true) {
    safeguards.push({ type: "settings_changed", settings: { writable: false } });
  }
  return safeguards;
}

export function formatSafeguard(safeguard: Safeguard): string {
  if (safeguard.type === "member_left") {
    return `${safeguard.member} was removed: its program or address came from the file. /add adds it with your own configuration.`;
  }
  return "mirror" in safeguard.settings
    ? "The session is no longer written to thread files."
    : "The session is read-only now: its approvals came from the file, not from you.";
}

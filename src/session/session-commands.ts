/** Commands that only record a fact: no member is asked because of them. And the refusal of others while archived. */

import { RoundtableError, Settings, type CommandOf, type CommandType } from "../protocol/index.ts";
import { shortId } from "../kit/short-id.ts";
import { PINNED_MAX, turnById, type Message, type Page } from "../transcript/index.ts";
import { unknownMember } from "./delivery/addressing.ts";
import { checkWritable } from "./check-writable.ts";
import { draftBytes } from "./fit-event.ts";
import { dropPending } from "./delivery/delivery.ts";
import { QUEUE_BYTES_MAX } from "./limits.ts";
import { joinedMembers, settingsOf, type SessionState } from "./state.ts";

/** Clears what members and screens see and ends native sessions; log and queue stay. */
export function clearSession(state: SessionState, clientId: string): void {
  if (state.turns.size > 0) {
    throw new RoundtableError("busy", "The session cannot be cleared while a turn is running.", {
      hint: "Interrupt it first, or wait until it ends.",
    });
  }
  if (state.compactions.size > 0) {
    throw new RoundtableError("busy", "The session cannot be cleared while a context is being compacted.", {
      hint: "Interrupt it first, or wait until it is done.",
    });
  }
  state.retries.clear();
  for (const { name } of joinedMembers(state)) dropPending(state, name, "cleared");
  state.ledger.append([{ type: "session_clear", clientId }]);
  // The next turn gets a new agent. Nobody waits for the old ones; closing has its own timeout.
  for (const runtime of state.allRuntimes()) void runtime.close();
}

export function setSettings(state: SessionState, command: CommandOf<"set_settings">): void {
  const parsed = Settings.partial().safeParse(command.settings);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join(".") ?? "";
    throw new RoundtableError("bad_command", `The setting ${where} is not valid: ${issue?.message ?? "unknown"}.`);
  }
  const settings = Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
  if (Object.keys(settings).length === 0) throw new RoundtableError("bad_command", "No setting was given.");
  const joined = joinedMembers(state).map((member) => member.name);
  for (const name of parsed.data.order ?? []) {
    if (!joined.includes(name)) throw unknownMember(name, joined);
  }
  const draft = { type: "settings_changed", settings: settings as Partial<Settings> } as const;
  if (draftBytes(draft) > QUEUE_BYTES_MAX) {
    throw new RoundtableError("too_large", `The settings have more than ${QUEUE_BYTES_MAX} bytes.`);
  }
  const wasWritable = settingsOf(state).writable;
  if (parsed.data.writable === true && !wasWritable) {
    checkWritable(state.ledger.transcript.head.cwd, state.whyNotWritable);
  }
  state.ledger.append([draft]);
  // Permissions are fixed when an agent starts, so the next turn gets a new one.
  if (settingsOf(state).writable !== wasWritable)
    for (const runtime of state.allRuntimes()) runtime.replaceAtNextTurn();
}

/** A turn is pinned by turnId, a user message by messageId. */
export async function pinMessage(state: SessionState, command: CommandOf<"pin">): Promise<void> {
  const { messageId, pinned } = command;
  const isPinned = state.ledger.transcript.head.pinned.includes(messageId);
  if (!pinned && isPinned) {
    state.ledger.append([{ type: "message_pinned", messageId, pinned }]);
    return;
  }
  if (!(await isKnown(state, messageId))) {
    throw new RoundtableError("unknown_message", `There is no message "${messageId}" in this session.`);
  }
  const { pinned: already } = state.ledger.transcript.head;
  if (already.includes(messageId) === pinned) return;
  if (pinned && already.length >= PINNED_MAX) {
    throw new RoundtableError("too_large", `At most ${PINNED_MAX} messages can be pinned.`, {
      hint: "Unpin one first.",
    });
  }
  state.ledger.append([{ type: "message_pinned", messageId, pinned }]);
}

async function isKnown(state: SessionState, id: string): Promise<boolean> {
  const { transcript, memory, log } = state.ledger;
  if (memory.sends.knowsMessage(id) || Object.hasOwn(transcript.head.openTurns, id)) return true;
  if (turnById(transcript, id) !== undefined) return true;
  for (const [index, inMemory] of transcript.frozen.entries()) {
    const page = inMemory ?? ((await log.snapshots.page(index)) as Page | undefined);
    if (page?.messages.some((message) => hasId(message, id)) === true) return true;
  }
  return transcript.live.some((page) => page.messages.some((message) => hasId(message, id)));
}

function hasId(message: Message, id: string): boolean {
  return message.kind === "user" ? message.messageId === id : message.kind === "turn" && message.turnId === id;
}

export function decidePlan(state: SessionState, command: CommandOf<"plan_decision">, clientId: string): void {
  const { plan } = state.ledger.transcript.head;
  if (plan === undefined || plan.planId !== command.planId) {
    throw new RoundtableError("conflict", `Plan "${command.planId}" is not the current plan.`, {
      hint: "Decide on the newest plan.",
    });
  }
  if (!plan.needsDecision) {
    throw new RoundtableError("conflict", `Plan "${command.planId}" needs no decision, or has one already.`);
  }
  const { planId, decision, text } = command;
  state.ledger.append([{ type: "plan_decision", planId, decision, ...(text === undefined ? {} : { text }), clientId }]);
}

/** Commands that make members work: refused while the session is archived. */
const SPEAKING: ReadonlySet<CommandType> = new Set([
  "send",
  "steer",
  "queue_add",
  "queue_promote",
  "retry",
  "continue",
  "round",
  "minutes",
  "compact",
]);

export function refuseWhileArchived({ ledger }: SessionState, type: CommandType): void {
  const { archived, sessionId } = ledger.transcript.head;
  if (!archived || !SPEAKING.has(type)) return;
  throw new RoundtableError("conflict", "This session is archived.", {
    hint: `/archive brings it back, or in a shell: roundtable sessions unarchive ${shortId(sessionId)}`,
  });
}

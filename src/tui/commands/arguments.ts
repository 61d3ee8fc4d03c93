/** Argument parsing: a mismatch is a UsageError that says what would be accepted. */
import type { CommandBody } from "../../client/index.ts";
import { nearNames as nearest } from "../../kit/text/nearest-name.ts";
import { MEMBER_NAME, type MemberSpec } from "../../protocol/index.ts";
import {
  loadedMessages,
  membersInOrder,
  type MemberState,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import type { Completion } from "../input/prompt.ts";
import type { Tone } from "../theme/theme.ts";
import { type CommandScreen, UnavailableError, UsageError } from "./command.ts";

const SLIPS_MAX = 2;

export function sessionMembers(screen: CommandScreen): MemberState[] {
  return screen.transcript === undefined ? [] : membersInOrder(screen.transcript.head);
}

/** The loaded transcript; UnavailableError when there is none yet. */
export function shownTranscript(screen: CommandScreen): Transcript {
  if (screen.transcript !== undefined) return screen.transcript;
  throw new UnavailableError(
    screen.sessionId === undefined ? "Send a message first to start a session." : "The session is still loading.",
  );
}

/** A member's name, with or without the @; the UsageError suggests the nearest. */
export function memberArgument(screen: CommandScreen, given: string): string {
  const name = given.replace(/^@/, "");
  if (name === "") throw new UsageError("Which member?");
  const names = memberNames(screen);
  if (names.includes(name)) return name;
  // Not loaded yet; the host knows.
  if (names.length === 0 && screen.transcript === undefined && MEMBER_NAME.test(name)) return name;
  const near = nearNames(name, names);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : `Members: ${names.length === 0 ? "none" : names.join(", ")}.`;
  throw new UsageError(`There is no member "${name}". ${hint}`);
}

/** Also of a session before its first message. */
export function memberNames(screen: CommandScreen): string[] {
  if (screen.sessionId === undefined) return (screen.planned?.members ?? []).map(({ name }) => name);
  return sessionMembers(screen).map(({ name }) => name);
}

/** A member of a session before its first message; undefined when nothing was chosen. */
export async function pickPlannedMember(
  screen: CommandScreen,
  title: string,
  ifNone: string,
): Promise<string | undefined> {
  if (screen.planned === undefined) throw new UnavailableError("The members are not known yet.");
  // The embedded ones have no model, and think as they do.
  const members = screen.planned.members.filter(({ kind }) => kind !== "embedded");
  if (members.length === 0) throw new UnavailableError(ifNone);
  if (members.length === 1) return members[0]?.name;
  return await screen.pick(
    title,
    members.map((spec) => ({ label: spec.name, description: formatSpec(spec), value: spec.name })),
  );
}

function formatSpec({ kind, model, effort }: MemberSpec): string {
  return [kind, model, effort].filter(Boolean).join(" · ");
}

export function completeMembers(screen: CommandScreen, prefix: string, more: readonly Completion[] = []): Completion[] {
  const wanted = prefix.replace(/^@/, "");
  const members: Completion[] =
    screen.sessionId === undefined
      ? (screen.planned?.members ?? []).map((spec) => ({
          value: spec.name,
          label: spec.name,
          description: formatSpec(spec),
        }))
      : sessionMembers(screen).map(({ name, spec, muted, state }) => ({
          value: name,
          label: name,
          description: `${spec.kind} · ${muted ? "muted" : state}`,
        }));
  return [...members, ...more].filter(({ value }) => value.startsWith(wanted));
}

export function completeKeywords(keywords: Readonly<Record<string, string>>, prefix: string): Completion[] {
  return Object.entries(keywords)
    .filter(([value]) => value.startsWith(prefix))
    .map(([value, description]) => ({ value, label: value, description }));
}

export function refuseArguments(args: string): void {
  if (args.trim() !== "") throw new UsageError("This command takes no arguments.");
}

/** Suggestions for a misspelt name. Shown, never executed. */
export function nearNames(name: string, known: readonly string[]): string[] {
  return nearest(name, known, { slipsMax: SLIPS_MAX });
}

/** Loaded messages since the last reset, oldest first. */
export function shownMessages(transcript: Transcript): ShownMessage[] {
  return [...loadedMessages(transcript)].filter((message) => message.seq > transcript.head.clearedSeq);
}

/** Number of messages in pages that are not loaded. */
export function countAbsent(transcript: Transcript): number {
  let loaded = 0;
  for (const page of [...transcript.frozen, ...transcript.live]) loaded += page?.messages.length ?? 0;
  return Math.max(0, transcript.head.messageCount - loaded);
}

export function shownTurns(transcript: Transcript): TurnMessage[] {
  return shownMessages(transcript).filter((message) => message.kind === "turn");
}

/** Sends a command and shows the outcome; `done` may be empty where the log says it. True when it was accepted. */
export async function sendCommand(
  screen: CommandScreen,
  body: CommandBody,
  done = "",
  tone: Tone = "ok",
): Promise<boolean> {
  const ack = await screen.command(body);
  if (ack.ok && done !== "") screen.notify(done, tone);
  if (ack.ok) return true;
  screen.notify(ack.error.hint === undefined ? ack.error.message : `${ack.error.message} ${ack.error.hint}`, "bad");
  return false;
}

/** A change of members is a row of the log, but not before the first message. */
export function doneBeforeLog({ transcript }: CommandScreen, done: string): string {
  return (transcript?.head.userCount ?? 0) === 0 ? done : "";
}

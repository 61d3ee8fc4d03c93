/**
 * Recipients of a draft: the members it names first; while members work, those of the running message; else everyone.
 * Screens show it beside the draft and send by it, so that both agree.
 */

import type { Transcript, Head, MemberState } from "../model.ts";
import type { TurnMessage, UserMessage } from "../messages.ts";
import { findLive } from "../pages.ts";
import { membersInOrder, isRunning } from "./head.ts";
import type { QueueItem } from "../../protocol/index.ts";

export interface Recipients {
  readonly isEveryone: boolean;
  /** Empty for everyone. */
  readonly names: readonly string[];
  /** Those of them with a running turn. */
  readonly working: readonly string[];
}

const LEADING_MENTION = /^\s*@([A-Za-z][A-Za-z0-9_-]{0,31})[,:;]?(?=\s|$)/;
const EVERYONE = "all";

/** `planned`: members of a session that does not exist yet. */
export function recipientsOf(
  text: string,
  transcript: Transcript | undefined,
  planned: readonly string[] = [],
): Recipients {
  const known = transcript === undefined ? planned : membersInOrder(transcript.head).map(({ name }) => name);
  const named = leadingNames(text, known);
  const running = named.length > 0 ? undefined : runningAddressees(transcript);
  const isEveryone = named.includes(EVERYONE) || (named.length === 0 && running === undefined);
  const names = isEveryone ? [] : (running ?? named);
  const isMeant = (name: string) => isEveryone || names.includes(name);
  return { isEveryone, names, working: workingMembers(transcript).filter((name) => isMeant(name)) };
}

/** Text and addressees as the session expects them. */
export function addressed(text: string, transcript: Transcript | undefined): { text: string; to?: string[] } {
  const running = runningAddressees(transcript);
  if (transcript === undefined || running === undefined) return { text };
  const known = membersInOrder(transcript.head).map(({ name }) => name);
  if (leadingNames(text, known).length > 0) return { text };
  // An unknown name at the start is a file or a typo; the session decides when it parses the names.
  if (/^\s*@/.test(text)) return { text: `${running.map((name) => `@${name}`).join(" ")} ${text}` };
  return { text, to: [...running] };
}

/** "to ada while it works", "to everyone", "to ada and bob". */
export function formatRecipients({ isEveryone, names, working }: Recipients): string {
  const who = isEveryone ? "everyone" : names.join(", ");
  if (isEveryone || working.length < names.length) return `to ${who}`;
  return `to ${who} while ${names.length === 1 ? "it works" : "they work"}`;
}

function leadingNames(text: string, known: readonly string[]): string[] {
  const names: string[] = [];
  let rest = text;
  for (let match = LEADING_MENTION.exec(rest); match !== null; match = LEADING_MENTION.exec(rest)) {
    const [whole, given = ""] = match;
    const name = given.toLowerCase();
    if (name !== EVERYONE && !known.includes(name)) break;
    names.push(name);
    rest = rest.slice(whole.length);
  }
  return names;
}

/** Undefined when nobody works, or when the running message is for everyone. */
function runningAddressees(transcript: Transcript | undefined): readonly string[] | undefined {
  if (transcript === undefined) return undefined;
  const turns = ownTurns(transcript);
  if (turns.length === 0 || turns.some(({ round }) => round !== undefined)) return undefined;
  const messages = turns.map((turn) => rootOf(transcript, turn));
  if (messages.some((message) => message?.toAll === true)) return undefined;
  const meant = new Set(turns.flatMap(({ member }, at) => messages[at]?.to ?? [member]));
  const names = membersInOrder(transcript.head).filter(({ name, muted }) => meant.has(name) && !muted);
  return names.length === 0 ? undefined : names.map(({ name }) => name);
}

function workingMembers(transcript: Transcript | undefined): string[] {
  return transcript === undefined ? [] : [...new Set(ownTurns(transcript).map(({ member }) => member))];
}

/** Turns of members themselves, not imported. */
function ownTurns({ head }: Transcript): TurnMessage[] {
  return Object.values(head.openTurns).filter(({ depth, origin }) => depth === 0 && origin === undefined);
}

/** Undefined when its page is not in memory. */
function rootOf(transcript: Transcript, { rootMessageId }: TurnMessage): UserMessage | undefined {
  return findLive(
    transcript,
    (message): message is UserMessage => message.kind === "user" && message.messageId === rootMessageId,
  );
}

/** The user's text with its addressees, unless it was for everyone, as it would be typed. */
export function addressedText({ text, to, toAll }: Pick<UserMessage, "text" | "to" | "toAll">): string {
  return toAll || to.length === 0 ? text : `${to.map((name) => `@${name}`).join(" ")} ${text}`;
}

/**
 * Held: after an interrupt or a restart nothing is sent by itself. Items for members that could take them now wait for
 * the user.
 */
export function isHeld(head: Head, item: Pick<QueueItem, "to">): boolean {
  if (head.settings?.mode === "sequential" && isRunning(head)) return false;
  const addressees = addresseesOf(head, item.to);
  return addressees.length > 0 && addressees.every(({ state }) => state !== "running");
}

/** Members for whom a message that has left the queue is held. */
export function heldMembers(head: Head): string[] {
  if (head.settings?.mode === "sequential" && isRunning(head)) return [];
  return membersInOrder(head)
    .filter(({ state, muted, compacting }) => state === "waiting" && !muted && compacting === undefined)
    .map(({ name }) => name);
}

function addresseesOf(head: Head, to: readonly string[]): MemberState[] {
  const isMeant = (name: string) => to.includes(EVERYONE) || to.includes(name);
  return membersInOrder(head).filter(({ name, muted }) => !muted && isMeant(name));
}

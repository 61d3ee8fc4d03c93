/**
 * The system prompt of a member: preamble, prompt of the phase, its own prompts, its name, the other members and the
 * rules of discussion. Built from the user's configuration and our own text only. And the context of a turn: missed
 * messages within the window, and the system prompt when due.
 */

import { createHash } from "node:crypto";
import type { MemberState } from "../../transcript/index.ts";
import { memberOf, joinedMembers, settingsOf, type SessionState } from "../state.ts";
import { missedBy, type MissedQuery, type Missed } from "./missed-messages.ts";
import {
  BYTES_PER_TOKEN,
  MISSED_BYTES_MAX,
  MISSED_BYTES_MIN,
  WINDOW_FILL_MAX,
  WINDOW_TOKENS_DEFAULT,
} from "../limits.ts";
import type { Message } from "../delivery/mailbox.ts";

export interface SystemPrompt {
  readonly text: string;
  /** Identifies a prompt; recorded in the log with the turn that sent it. */
  readonly hash: string;
}

const WRITABLE =
  "This session is writable: you may change files and run commands in the working directory. Call the tool; it asks " +
  "the user for permission where that is needed. Accept a denial and do not work around it. Files that govern agents, git, " +
  "editors and shells (AGENTS.md, .claude, .git/hooks, .vscode, .envrc and the like) are read-only until the user allows " +
  "that change.";
const READ_ONLY =
  "This session is read-only: read what you need and advise, but do not change files or run anything with side effects; " +
  "every write is denied, for example with “Read-only file system”, and cannot be worked around.";

export function systemPromptFor(state: SessionState, name: string): SystemPrompt {
  const { preamble, prompt, writable } = settingsOf(state);
  const spec = memberOf(state, name)?.spec;
  const sections = [
    preamble,
    prompt,
    spec?.prompt,
    spec?.prompts?.council,
    writable ? WRITABLE : READ_ONLY,
    rolePrompt(name, joinedMembers(state)),
  ];
  const text = sections.filter((part) => part !== undefined && part.trim() !== "").join("\n\n");
  return { text, hash: createHash("sha256").update(text).digest("hex").slice(0, 16) };
}

/** Mutes are left out: they change often, and members need not know. */
function rolePrompt(name: string, members: readonly MemberState[]): string {
  const others = members.map((member) => member.name).filter((one) => one !== name);
  if (others.length === 0) return `You are ${name}, the only agent in this session. You work with one user.`;
  return [
    `You are ${name}, one of several agents who work with one user; the others are ${listed(others)}. Everyone reads every message.`,
    "When others have answered, say where you agree, where you disagree, and why. Do not repeat them or speak for them.",
    `After the first answers the members may discuss in rounds, one after another. "@name" in your text only refers to a member; it does not ask anyone or start a turn.`,
    `When you have nothing to add, answer only "Nothing to add."`,
  ].join(" ");
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

/** The prompt of a later round. */
export function roundText(round: number, rounds: number): string {
  return (
    `This is round ${round} of ${rounds} of the discussion, and it is your turn. Respond to the others: ` +
    `say where you agree, where you disagree and why, and what is missing. Do not repeat what was said. ` +
    `If you have nothing to add, answer only "Nothing to add."`
  );
}

export interface TurnContext {
  readonly missed: Missed;
  /** Absent when the agent has it already and it has not changed. */
  readonly systemPrompt?: SystemPrompt;
  /** Sent instead when the agent turns out to have lost its session. */
  readonly coldStart?: () => { readonly missed: Missed; readonly systemPrompt: SystemPrompt };
}

interface Question extends Omit<MissedQuery, "isWhole" | "bytesMax" | "messages"> {
  readonly messages: readonly Message[];
  readonly text?: string;
}

/** Call before the turn opens. */
export function turnContextFor(state: SessionState, question: Question): TurnContext {
  const { member } = question;
  const isWhole = !remembers(state, member);
  const systemPrompt = systemPromptFor(state, member);
  const hasManagedContext = state.runtimeOf(member).capabilities().compact === "table";
  // A managed context is rebuilt from the log; the system prompt before it must be sent again.
  const needsPrompt = isWhole || (hasManagedContext && state.runtimeOf(member).isFresh);
  const isDue = needsPrompt || state.ledger.memory.council.systemPromptHashOf(member) !== systemPrompt.hash;
  // The current transcript: messages that arrive during the turn belong to the next one.
  const { transcript } = state.ledger;
  const read = (how: { isWhole: boolean; isDue: boolean }): Missed => {
    const ownBytes =
      (how.isDue && !hasManagedContext ? Buffer.byteLength(systemPrompt.text) : 0) + promptBytes(question);
    const bytesMax = byteBudget(memberOf(state, member), { isWhole: how.isWhole, ownBytes });
    return missedBy(transcript, { ...question, isWhole: how.isWhole, bytesMax });
  };
  const coldStart = () => ({ missed: read({ isWhole: true, isDue: true }), systemPrompt });
  return { missed: read({ isWhole, isDue }), ...(isDue ? { systemPrompt } : {}), ...(isWhole ? {} : { coldStart }) };
}

/** An agent with its own context remembers when it had a turn before or resumes a native session. */
function remembers(state: SessionState, member: string): boolean {
  const runtime = state.runtimeOf(member);
  const { keepsContext, compact } = runtime.capabilities();
  if (!keepsContext) return false;
  if (compact === "table") return state.ledger.memory.contexts.of(member) !== undefined;
  return !runtime.isFresh || memberOf(state, member)?.nativeSessionId !== undefined;
}

function promptBytes({ messages, text = "" }: Question): number {
  const bytes = messages.map((message) => message.textBlob?.bytes ?? Buffer.byteLength(message.text));
  return bytes.reduce((sum, one) => sum + one, Buffer.byteLength(text));
}

/** Bytes left of WINDOW_FILL_MAX of the window, minus what the agent already holds. */
function byteBudget(member: MemberState | undefined, own: { isWhole: boolean; ownBytes: number }): number {
  const context = member?.context;
  const window = context?.window ?? member?.spec.window ?? WINDOW_TOKENS_DEFAULT;
  const held = own.isWhole ? 0 : (context?.used ?? 0);
  const bytes = Math.floor((window * WINDOW_FILL_MAX - held) * BYTES_PER_TOKEN) - own.ownBytes;
  return Math.min(MISSED_BYTES_MAX, Math.max(MISSED_BYTES_MIN, bytes));
}

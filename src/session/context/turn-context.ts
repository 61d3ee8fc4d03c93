/** How a turn is told what it needs: whether its agent remembers, how much its window holds, and its brief when due. */
import type { MemberState } from "../../transcript/index.ts";
import { missedBy, type MissedQuery, type Missed } from "./missed-messages.ts";
import {
  BYTES_PER_TOKEN,
  MISSED_BYTES_MAX,
  MISSED_BYTES_MIN,
  WINDOW_FILL_MAX,
  WINDOW_TOKENS_DEFAULT,
} from "../limits.ts";
import type { Message } from "../delivery/mailbox.ts";
import { systemPromptFor, type SystemPrompt } from "./system-prompt.ts";
import { memberOf, type SessionState } from "../state.ts";

export interface TurnContext {
  readonly missed: Missed;
  /** Absent where the agent was told before and it has not changed. */
  readonly systemPrompt?: SystemPrompt;
  /** What is told instead when the agent turns out to have forgotten its own session. */
  readonly coldStart?: () => { readonly missed: Missed; readonly systemPrompt: SystemPrompt };
}

export interface Question extends Omit<MissedQuery, "isWhole" | "bytesMax" | "messages"> {
  readonly messages: readonly Message[];
  readonly text?: string;
}

/** Must be called before the turn opens. */
export function turnContextFor(state: SessionState, question: Question): TurnContext {
  const { member } = question;
  const isWhole = !remembers(state, member);
  const systemPrompt = systemPromptFor(state, member);
  const hasManagedContext = state.runtimeOf(member).capabilities().compact === "table";
  // A context that the log holds comes back by itself; what stands before it has to be told anew.
  const needsPrompt = isWhole || (hasManagedContext && state.runtimeOf(member).isFresh);
  const isDue = needsPrompt || state.ledger.memory.council.systemPromptHashOf(member) !== systemPrompt.hash;
  // The picture of now: what is said while the turn runs is told in the next one.
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

/** An agent that keeps its context has one when it heard a turn before or resumes a session of its own program. */
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

/** What is left of WINDOW_FILL_MAX of the window, in bytes. What an agent holds already counts where it keeps it. */
function byteBudget(member: MemberState | undefined, own: { isWhole: boolean; ownBytes: number }): number {
  const context = member?.context;
  const window = context?.window ?? member?.spec.window ?? WINDOW_TOKENS_DEFAULT;
  const held = own.isWhole ? 0 : (context?.used ?? 0);
  const bytes = Math.floor((window * WINDOW_FILL_MAX - held) * BYTES_PER_TOKEN) - own.ownBytes;
  return Math.min(MISSED_BYTES_MAX, Math.max(MISSED_BYTES_MIN, bytes));
}

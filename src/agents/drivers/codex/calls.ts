/** Calls to Codex: opening a thread, turns, steers, interrupts. Pure; each returns the next state and its line. */
import { dataUrl, imagesOf, unseenWarning } from "../../attached.ts";
import { hostToolSchemas } from "../../../protocol/index.ts";
import { call } from "../../json-rpc/exchange.ts";
import { recordOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import { writeCall } from "../../json-rpc/messages.ts";
import type { SteerInput, TurnInput } from "../../port.ts";
import { MARKER_VARIABLE } from "../../process/tracking/run-marker.ts";
import { turnPrompt } from "../../turn-prompt.ts";
import { andThen, withTurn, type Call, type CodexState, type CodexStep } from "./state.ts";

const SIGHT = { seesImages: true };

/** Stores the thread as one file. Codex's default, pages in a database, delays each answer; decision 21. */
export const WHOLE_HISTORY = "legacy";

/** `isPlain` uses Codex's default storage. */
export function openThread(state: CodexState, isPlain = false): CodexStep {
  const { knownThreadId } = state;
  const isResume = knownThreadId !== undefined;
  const mode = isPlain ? {} : { historyMode: WHOLE_HISTORY };
  const params = isResume
    ? { threadId: knownThreadId, ...threadSettings(state), excludeTurns: true }
    : { ...threadSettings(state), ...mode, dynamicTools: ourTools() };
  return sendCall(state, isResume ? "thread/resume" : "thread/start", params, {
    kind: "open_thread",
    isResume,
    isPlain,
  });
}

export function startTurn(state: CodexState, threadId: string, input: TurnInput): CodexStep {
  const { effort } = state.options;
  const model = input.model ?? state.options.model;
  const params = {
    threadId,
    input: [
      textInput(turnPrompt(input, undefined, SIGHT)),
      ...imagesOf(input).map((image) => ({ type: "image", url: dataUrl(image) })),
    ],
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
  };
  const step = sendCall(withTurn(state, { isSent: true }), "turn/start", params, {
    kind: "turn",
    turnId: input.turnId,
  });
  return { ...step, events: unseenWarning(input, SIGHT) };
}

/**
 * Codex answers at once and compacts in a turn of its own. It accepts no instructions on what to keep.
 */
export function compactThread(state: CodexState, threadId: string): CodexStep {
  const sent = withTurn(state, { isSent: true });
  return sendCall(sent, "thread/compact/start", { threadId }, { kind: "compact", turnId: ourTurn(state) });
}

/** Not numbered: nobody waits for the answer. */
export function listModels(state: CodexState): CodexStep {
  const { exchange } = state;
  const id = `${exchange.prefix}models`;
  const calls = new Map(exchange.calls).set(id, { kind: "models" });
  const line = writeCall(id, "model/list", { limit: MODELS_MAX });
  return { state: { ...state, exchange: { ...exchange, calls } }, write: [line] };
}

/** Longest list of models; the rest is dropped. */
const MODELS_MAX = 200;

export function steerTurn(state: CodexState, nativeTurnId: string, { messageId, text }: SteerInput): CodexStep {
  const params = { threadId: state.threadId, expectedTurnId: nativeTurnId, input: [textInput(text)] };
  return sendCall(state, "turn/steer", params, { kind: "steer", turnId: ourTurn(state), messageId });
}

/** Note of ours for the model; nobody waits for the answer. */
export function injectIntoTurn(
  state: CodexState,
  { threadId, turnId }: { threadId: string | undefined; turnId: string | undefined },
  text: string,
): CodexStep {
  if (threadId === undefined || turnId === undefined) return { state };
  return sendCall(
    state,
    "turn/steer",
    { threadId, expectedTurnId: turnId, input: [textInput(text)] },
    { kind: "aside" },
  );
}

export function interruptTurn(state: CodexState, nativeTurnId: string): CodexStep {
  return sendCall(
    state,
    "turn/interrupt",
    { threadId: state.threadId, turnId: nativeTurnId },
    { kind: "interrupt", turnId: ourTurn(state), isAfterStart: state.turn?.isBegun === true },
  );
}

/** An interrupt also stops subagents; Codex itself would let them continue. */
export function interruptSubagents(state: CodexState): CodexStep {
  const turns = [...state.subagentTurns].map(([threadId, turnId]) => ({ threadId, turnId }));
  return turns.reduce<CodexStep>(
    (step, turn) => andThen(step, (next) => sendCall(next, "turn/interrupt", turn, { kind: "aside" })),
    { state: { ...state, subagentTurns: new Map() } },
  );
}

/** An interrupted command continues as a background terminal; this ends it. */
export function cleanTerminals(state: CodexState): CodexStep {
  return sendCall(
    state,
    "thread/backgroundTerminals/clean",
    { threadId: state.threadId },
    { kind: "clean", turnId: ourTurn(state) },
  );
}

/**
 * Codex's own sandbox is off only inside ours. Writable threads and those in our sandbox ask about everything: rules
 * are checked before a command runs. A read-only thread outside our sandbox asks nothing and Codex's own sandbox
 * refuses, since a command that was allowed there is retried outside of it.
 */
function threadSettings({ options, facts }: CodexState): object {
  const { cwd, isWritable, model, marker } = options;
  const { isSandboxed, config } = facts;
  const instructions = [options.instructions, facts.notes].filter((text) => text !== undefined);
  return {
    cwd,
    ...(model === undefined ? {} : { model }),
    approvalPolicy: isWritable || isSandboxed ? "untrusted" : "never",
    approvalsReviewer: "user",
    sandbox: isSandboxed ? "danger-full-access" : isWritable ? "workspace-write" : "read-only",
    ...(instructions.length === 0 ? {} : { developerInstructions: instructions.join("\n\n") }),
    config: {
      ...config,
      [`shell_environment_policy.set.${MARKER_VARIABLE}`]: marker,
      "features.default_mode_request_user_input": true,
      suppress_unstable_features_warning: true,
    },
  };
}

/**
 * Settings that Codex did not accept, as an administrator may have decided; undefined when the thread can work as
 * requested.
 */
export function unmetSetting({ options, facts }: CodexState, result: Fields): string | undefined {
  const policy = result["approvalPolicy"] ?? "untrusted";
  const hasToAsk = options.isWritable || facts.isSandboxed;
  if (hasToAsk && policy !== "untrusted") return "it does not ask before each command";
  const sandbox = textOf(recordOf(result, "sandbox"), "type") ?? "readOnly";
  const isClosed = options.isWritable || facts.isSandboxed || sandbox === "readOnly";
  return isClosed ? undefined : "its own sandbox is not read-only";
}

function ourTurn({ turn }: CodexState): string {
  return turn?.input.turnId ?? "";
}

function ourTools(): object[] {
  return hostToolSchemas().map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
}

function textInput(text: string): object {
  return { type: "text", text, text_elements: [] };
}

function sendCall(state: CodexState, method: string, params: object, remember: Call): CodexStep {
  const { exchange, line } = call(state.exchange, method, params, remember);
  return { state: { ...state, exchange }, write: [line] };
}

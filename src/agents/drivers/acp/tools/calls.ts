/**
 * Tool calls of an ACP agent as events.
 * Guarantee: a tool starts once and ends once, whichever message names it first; output that the agent repeats as a
 * whole is emitted once.
 */
import type { DialectEvent } from "../../../process/dialect.ts";
import { commandOutcome, completesFailures, isAbsentTool, isOwnDenial, toolNameOf } from "../agent-quirks.ts";
import { addChanges, argumentChanges, contentChanges, type ChangeWithDiff } from "./changes.ts";
import { recordAt, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { withTurn, type AcpState, type AcpStep } from "../state.ts";
import {
  diffOf,
  firstFacts,
  nameIn,
  OUTPUT_CHARS_MAX,
  resultText,
  runningText,
  terminalDelta,
  toolArgs,
  toolKind,
  type ToolFacts,
} from "./facts.ts";

/** Any message about a tool call; the first one starts it. `isNew`: not about a call that is over. */
export function handleToolCall(state: AcpState, call: Fields, isNew = isBeginning(call)): AcpStep {
  const toolCallId = textOf(call, "toolCallId");
  const { turn } = state;
  if (turn === undefined || toolCallId === undefined) return { state };
  const before = turn.tools.get(toolCallId);
  if (before?.isDone === true && !(isNew && before.isAnnounced)) return afterEnd(state, toolCallId, before, call);
  const known = before?.isDone === true ? undefined : before;
  const events: DialectEvent[] = [];
  const updated =
    known === undefined
      ? begin(toolCallId, call, toolNameOf(state, call), events)
      : news(toolCallId, known, call, events);
  const facts = { ...updated, isAnnounced: updated.isAnnounced || isNew };
  const status = textOf(call, "status");
  const isDone = status === "completed" || status === "failed";
  if (!isDone) return { state: withTool(state, toolCallId, facts), events };
  const stop = turn.isCancelled ? "tool_interrupted" : stopOf(state, call, facts);
  events.push(finish(state, toolCallId, call, { facts, stop }));
  const isSuccess = status === "completed" && (stop === undefined || stop === "tool_interrupted");
  const changes = isSuccess ? addChanges(turn.changes, doneChanges(call, facts)) : turn.changes;
  return { state: withTurn(withTool(state, toolCallId, ended(facts, { isSuccess })), { changes }), events };
}

/** Some providers restart the ids of calls with each answer, so a call may reuse the id of one that is over. */
function isBeginning(call: Fields): boolean {
  const status = textOf(call, "status") ?? "pending";
  return textOf(call, "sessionUpdate") === "tool_call" && (status === "pending" || status === "in_progress");
}

/** opencode sends a diff only with approval requests; the arguments tell the same. */
function doneChanges(call: Fields, { changes, kind, args }: ToolFacts): readonly ChangeWithDiff[] {
  if (changes.length > 0 || kind !== "edit") return changes;
  return argumentChanges(args, { isNew: recordAt(call, "rawOutput", "metadata")["exists"] === false });
}

/** Only the name of a finished call is stored: a turn may have many, with much output. */
function ended(facts: ToolFacts, { isSuccess }: { isSuccess: boolean }): ToolFacts {
  return { ...facts, isDone: true, isSuccess, args: {}, output: "", changes: [] };
}

/** Agents report a denied tool late or never; one that ran although denied must be reported. */
function afterEnd(state: AcpState, toolCallId: string, known: ToolFacts, call: Fields): AcpStep {
  if (!known.isDenied || known.isSuccess || textOf(call, "status") !== "completed") return { state };
  const message = `The call "${known.title}" was denied, but the agent reports it as done.`;
  return {
    state: withTool(state, toolCallId, { ...known, isSuccess: true }),
    events: [{ type: "warning", code: "ran_refused", message }],
  };
}

/** A denial ends the call; the agent's own report of it is for its model. */
export function denyTool(state: AcpState, toolCallId: string, why: string): AcpStep {
  const known = state.turn?.tools.get(toolCallId);
  if (known === undefined || known.isDone) return { state };
  const error = { code: "tool_denied", message: why } as const;
  return {
    state: withTool(state, toolCallId, { ...ended(known, { isSuccess: false }), isDenied: true }),
    events: [{ type: "tool_result", nativeId: toolCallId, ok: false, error }],
  };
}

export function withTool(state: AcpState, toolCallId: string, facts: ToolFacts): AcpState {
  if (state.turn === undefined) return state;
  return withTurn(state, { hasContent: true, tools: new Map(state.turn.tools).set(toolCallId, facts) });
}

function begin(nativeId: string, call: Fields, written: string | undefined, events: DialectEvent[]): ToolFacts {
  const facts = firstFacts(call, written);
  const title = facts.title === "" ? {} : { title: facts.title };
  events.push({
    type: "tool_call_start",
    nativeId,
    name: facts.name,
    args: facts.args,
    kind: facts.kind,
    ...title,
  });
  const text = terminalDelta(call);
  if (text !== "") events.push({ type: "tool_output_delta", nativeId, text });
  return { ...facts, ...grow(facts, text) };
}

function news(nativeId: string, known: ToolFacts, call: Fields, events: DialectEvent[]): ToolFacts {
  const title = textOf(call, "title") ?? known.title;
  const changes = contentChanges(call);
  const args = toolArgs(call) ?? known.args;
  const isNewArgs = JSON.stringify(args) !== JSON.stringify(known.args);
  const changed = { ...(title === known.title ? {} : { title }), ...(isNewArgs ? { args } : {}) };
  if (Object.keys(changed).length > 0) events.push({ type: "tool_call_update", nativeId, ...changed });
  const text = newOutput(known, call);
  if (text !== "") events.push({ type: "tool_output_delta", nativeId, text });
  return {
    ...known,
    ...grow(known, text),
    name: nameIn(call, known),
    title,
    args,
    kind: toolKind(call) ?? known.kind,
    changes: changes.length === 0 ? known.changes : changes,
  };
}

/** New output only: each message of a running tool repeats all of it. */
function newOutput(known: ToolFacts, call: Fields): string {
  const delta = terminalDelta(call);
  if (delta !== "") return delta;
  if (!isOfRunning(call) || known.isOutputCut) return "";
  const whole = runningText(call);
  return whole.startsWith(known.output) ? whole.slice(known.output.length) : "";
}

/**
 * Without a status the call is unchanged, and only what changed is sent: besides the input, the content is about the
 * call.
 */
function isOfRunning(call: Fields): boolean {
  const status = textOf(call, "status");
  return status === undefined ? call["rawInput"] === undefined : status === "in_progress";
}

function grow(known: ToolFacts, text: string): Pick<ToolFacts, "output" | "isOutputCut"> {
  const output = known.output + text;
  if (output.length <= OUTPUT_CHARS_MAX) return { output, isOutputCut: known.isOutputCut };
  return { output: output.slice(0, OUTPUT_CHARS_MAX), isOutputCut: true };
}

/** What prevented the call, whatever status the agent reports; undefined when nothing did. */
function stopOf(state: AcpState, call: Fields, facts: ToolFacts): Stop | undefined {
  const text = resultText(call, facts);
  if (isOwnDenial(state, text) && textOf(call, "status") === "failed") return "tool_denied";
  // Its read-only mode removes the tools that act.
  if (isAbsentTool(state, text)) return state.guard === "own_mode" ? "tool_denied" : "tool_error";
  return undefined;
}

type Stop = "tool_interrupted" | "tool_denied" | "tool_error";

function finish(state: AcpState, nativeId: string, call: Fields, { facts, stop }: Ending): DialectEvent {
  const { text: result, exitCode } = commandOutcome(state, call, resultText(call, facts));
  const shown = diffOf(facts);
  const diff = shown === undefined ? {} : { diff: shown };
  const message = result === "" ? "the agent gave no reason" : result;
  // Some agents report stopped calls as completed.
  if (stop !== undefined) return { type: "tool_result", nativeId, ok: false, error: { code: stop, message } };
  if (exitCode !== undefined && exitCode > 0) {
    const error = { code: "tool_error", message: `exit code ${exitCode}` } as const;
    return { type: "tool_result", nativeId, ok: false, error, result };
  }
  if (textOf(call, "status") !== "completed") {
    return { type: "tool_result", nativeId, ok: false, error: { code: "tool_error", message } };
  }
  const isUnknown = facts.kind === "execute" && exitCode === undefined && (result === "" || completesFailures(state));
  return { type: "tool_result", nativeId, ok: true, result, ...(isUnknown ? { isOutcomeKnown: false } : {}), ...diff };
}

interface Ending {
  readonly facts: ToolFacts;
  readonly stop: Stop | undefined;
}

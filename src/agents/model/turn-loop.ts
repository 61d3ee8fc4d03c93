/**
 * One turn of the built-in agent: asks the model, runs the tools it calls and returns the results, until it has
 * answered.
 * Rejects with a ModelError, or with the signal's reason once the turn is stopped.
 */
import { imagesOf, shownAttachments, unseenWarning } from "../attached.ts";
import type { ContextEntry, Json } from "../../protocol/index.ts";
import { turnPrompt } from "../turn-prompt.ts";
import { askModel } from "./requests/ask-model.ts";
import { compactWhenDue } from "./context/compact.ts";
import type { DroppedCounts } from "./context/conversation.ts";
import { clipped } from "./context/handover-text.ts";
import { chooseModel, loadModels, presentModel, useNamedModels, windowOf } from "./known-models.ts";
import type { AgentState } from "./agent-state.ts";
import { readingOf, reportUsage, restoreHistory } from "./context/meter.ts";
import { ModelError } from "./requests/model-error.ts";
import { forgetMore, makeRoom, reportForgotten } from "./context/make-room.ts";
import type { Reply } from "./requests/dialect.ts";
import type { RunningTurn } from "./running-turn.ts";
import { contextCall, sentCalls } from "./context/sent-calls.ts";
import { systemPromptFor } from "./context/system-prompt.ts";
import { metadataToReturn } from "./requests/reasoning.ts";
import { within } from "../process/wait.ts";
import { readProjectNotes } from "../tools/project-notes.ts";
import { readTool } from "./tools/read-tools.ts";
import { describeRead, type ToolRunner } from "./tools/run-tool.ts";

/** Streamed text that is not in the conversation yet. */
export interface TurnDraft {
  partial: string;
}

export async function runTurn(
  state: AgentState,
  turn: RunningTurn,
  runner: ToolRunner,
  draft: TurnDraft,
): Promise<void> {
  const { conversation, limits } = state;
  useNamedModels(state, turn);
  beginTurn(state, turn);
  // Stopped before it began: the question still becomes part of the conversation.
  turn.signal.throwIfAborted();
  warnBefore(state, turn);
  await loadProjectNotes(state, turn);
  await chooseModel(state, turn);
  loadModels(state, turn);
  for (let repliesOverBudget = 0; ;) {
    for (const { text, messageId } of turn.consumeSteers()) {
      conversation.addUser(text, messageId);
      note(state, turn, { kind: "steered", messageId, text });
    }
    const { reply, used, model } = await askWithRoom(state, turn, draft);
    const calls = sentCalls(reply, state.nextId);
    const providerMetadata = metadataToReturn(reply, model, state.quirks.of(model));
    conversation.addReply(reply.text, calls, providerMetadata);
    note(state, turn, {
      kind: "replied",
      text: reply.text,
      ...(calls.length === 0 ? {} : { calls: calls.map(contextCall) }),
      ...(providerMetadata.length === 0 ? {} : { kept: providerMetadata as Json[] }),
    });
    state.reading = reply.usage === undefined ? undefined : readingOf(state, used);
    draft.partial = "";
    reportFinish(turn, reply);
    if (reply.calls.length > 0) {
      await runCalls(state, turn, runner, { reply, ids: calls.map((call) => call.id) });
      if (runner.isOverBudget) repliesOverBudget += 1;
      if (repliesOverBudget > limits.repliesOverBudgetMax) throw toolLoop(state);
    }
    const isDone = runner.consumeFinished() || reply.calls.length === 0;
    // A message that arrived meanwhile is answered in this turn; the session counts it as delivered.
    if (isDone && !turn.hasSteers) return;
  }
}

/** A slow file system costs the turn its notes and nothing else. */
const NOTES_MS_MAX = 2_000;

async function loadProjectNotes(state: AgentState, turn: RunningTurn): Promise<void> {
  if (state.depth > 0) return;
  const mayRead = (path: string) => (state.judge(describeRead(readTool.name, path))?.verdict ?? "allow") === "allow";
  const reading = readProjectNotes(state.root, mayRead).then((notes) => void (state.notes = notes));
  await turn.unlessStopped(within(state.clock, NOTES_MS_MAX, reading));
}

/** Cap on user texts that a compaction quotes. */
const USER_TEXT_BYTES_MAX = 4_096;

function beginTurn(state: AgentState, turn: RunningTurn): void {
  const { conversation } = state;
  const { systemPrompt, history, position, ...input } = turn.input;
  if (systemPrompt !== undefined) state.systemPrompt = systemPrompt;
  if (history !== undefined) restoreHistory(state, history);
  const sight = { seesImages: state.quirks.of(presentModel(state)).takesImages };
  const text = turnPrompt(input, undefined, sight);
  const userText = input.from === undefined && input.text !== "" ? clipped(input.text, USER_TEXT_BYTES_MAX) : undefined;
  conversation.beginTurn(text, sight.seesImages ? imagesOf(input) : [], { turnId: input.turnId, position, userText });
  const images = sight.seesImages ? shownAttachments(input) : [];
  note(state, turn, {
    kind: "asked",
    text,
    ...(images.length === 0 ? {} : { images }),
    ...(userText === undefined ? {} : { words: userText }),
  });
}

/** For the log; a subagent's conversation ends with its turn. */
function note(state: AgentState, turn: RunningTurn, entry: ContextEntry): void {
  if (state.depth === 0) turn.show({ type: "context_entry", entry });
}

function warnBefore(state: AgentState, turn: RunningTurn): void {
  const { endpoint, spec } = state;
  if (endpoint.isKeyInClear && !state.hasWarnedOfClearKey) {
    state.hasWarnedOfClearKey = true;
    const message = `The key in ${endpoint.keyVariable ?? "its variable"} is sent to ${endpoint.shown} unencrypted. Use https.`;
    turn.show({ type: "warning", code: "key_in_clear", message });
  }
  const sight = { seesImages: state.quirks.of(presentModel(state)).takesImages };
  for (const warning of unseenWarning({ self: spec.name, ...turn.input }, sight)) turn.show(warning);
}

async function askWithRoom(
  state: AgentState,
  turn: RunningTurn,
  draft: TurnDraft,
): Promise<{ reply: Reply; used: number; model: string }> {
  const { quirks, toolbox, conversation } = state;
  // Dropping is undone when it did not help because the question alone is too long.
  let restore = (): void => undefined;
  const forgotten: DroppedCounts = { turnsDropped: 0, resultsDropped: 0 };
  for (;;) {
    const system = systemPromptFor(state, presentModel(state));
    if (forgotten.turnsDropped + forgotten.resultsDropped === 0) {
      await compactWhenDue(state, turn, { system });
    }
    makeRoom(state, turn, system);
    try {
      const pendingReply = askModel({
        ...state,
        turn,
        request: (model) => ({
          model,
          quirks: quirks.of(model),
          messages: conversation.messages(systemPromptFor(state, model), { withImages: quirks.of(model).takesImages }),
          tools: quirks.of(model).takesTools ? toolbox.schemas() : [],
          wantsUsage: quirks.takesStreamOptions,
          effort: state.spec.effort,
        }),
        onText: (whole) => void (draft.partial = whole),
      });
      const { reply, model } = await turn.unlessStopped(pendingReply);
      reportForgotten(state, turn, forgotten, `what ${model} takes`);
      const used = reportUsage(state, turn, { reply, window: windowOf(state, model), system });
      return { reply, used, model };
    } catch (thrown) {
      const isTooLong = thrown instanceof ModelError && thrown.kind === "context_length";
      // Partial text is retracted, since the retry repeats it.
      const retract = () => retractPartial(turn, draft, thrown);
      if (isTooLong && (await compactWhenDue(state, turn, { system, onRefused: retract }))) continue;
      if (forgotten.turnsDropped + forgotten.resultsDropped === 0) restore = conversation.snapshot();
      if (!isTooLong || !forgetMore(conversation, forgotten)) {
        restore();
        throw thrown;
      }
      retract();
    }
  }
}

function retractPartial(turn: RunningTurn, draft: TurnDraft, thrown: unknown): void {
  if (draft.partial === "") turn.closeSegment();
  else turn.retract(thrown instanceof Error ? thrown.message : String(thrown));
  draft.partial = "";
}

/** Read-only calls run in parallel; all others run alone, in order. */
async function runCalls(
  { conversation, limits }: AgentState,
  turn: RunningTurn,
  runner: ToolRunner,
  { reply, ids }: { reply: Reply; ids: readonly string[] },
): Promise<void> {
  const results = new Map<number, string>();
  const runOne = async (at: number): Promise<void> => {
    const requested = reply.calls[at];
    if (requested !== undefined) results.set(at, await runner.run(requested, ids[at] ?? ""));
  };
  try {
    let batch: number[] = [];
    for (const [at, requested] of reply.calls.entries()) {
      const isParallel = runner.isParallel(requested);
      if (!isParallel || batch.length >= limits.toolsAtOnceMax) {
        await Promise.all(batch.map(runOne));
        batch = [];
      }
      if (isParallel) batch.push(at);
      else await runOne(at);
    }
    await Promise.all(batch.map(runOne));
  } finally {
    // Also for a stopped turn: known results are added, the rest is marked as interrupted.
    for (const [at, id] of ids.entries()) {
      const result = results.get(at);
      if (result !== undefined) conversation.addResult(id, result);
    }
  }
}

function reportFinish(turn: RunningTurn, { finish, text, calls, callsDropped }: Reply): void {
  if (finish === "content_filter") {
    const message = "The server's content filter blocked the answer.";
    throw new ModelError({ kind: "final", code: "content_filter", message, hint: "Rephrase the question." });
  }
  if (finish === "length") {
    const message = "The answer was cut off at the server's output limit. Ask the member to continue.";
    turn.show({ type: "warning", code: "length", message });
  } else if (text === "" && calls.length === 0) {
    turn.show({ type: "warning", code: "empty_answer", message: "The model gave an empty answer. Ask again." });
  }
  if (callsDropped > 0) {
    const message = `The model called too many tools at once; ${callsDropped} calls were dropped.`;
    turn.show({ type: "warning", code: "too_many_tool_calls", message });
  }
}

function toolLoop({ spec, limits }: AgentState): ModelError {
  const message = `${spec.name} kept calling tools after its ${limits.toolCallsMax} tool calls were used up, so its turn was ended.`;
  return new ModelError({
    kind: "final",
    code: "tool_loop",
    message,
    hint: "Ask for something smaller, or ask it to continue.",
  });
}

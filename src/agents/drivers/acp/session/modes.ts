/**
 * Mode of an agent. Pure.
 * Guarantees: without our sandbox a read-only session uses the agent's own read-only mode where it has one, and only
 * after the agent has confirmed it; a mode that ends approvals is used only inside our sandbox; an agent that changes
 * its mode on its own is stopped and put back.
 */
import type { DialectEvent } from "../../../process/dialect.ts";
import { errored } from "../../../process/turn-errors.ts";
import { recordOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { writeNotification } from "../../../json-rpc/messages.ts";
import { ACTS_UNASKED } from "../../../sandbox/sandbox.ts";
import { isAgent, modeInText } from "../agent-quirks.ts";
import type { AcpOptions, GuardReport } from "../options.ts";
import {
  andThen,
  NO_MODES,
  withTurn,
  type AcpState,
  type AcpStep,
  type QueuedCall,
  type Modes,
  type OfferedMode,
} from "../state.ts";

/** From the answer that opens a session: agents have modes as such or as a config option. */
function readModes(session: Fields): Modes {
  const modes = recordOf(session, "modes");
  const offered = recordsOf(modes, "availableModes").map((mode) => modeOf(mode, "id"));
  if (offered.length > 0) return { ...NO_MODES, current: textOf(modes, "currentModeId"), offered };
  const option = modeOption(session);
  if (option === undefined) return NO_MODES;
  const choices = recordsOf(option, "options")
    .flatMap((one) => (Array.isArray(one["options"]) ? recordsOf(one, "options") : [one]))
    .map((choice) => modeOf(choice, "value"));
  return { ...NO_MODES, current: textOf(option, "currentValue"), offered: choices, configId: textOf(option, "id") };
}

function modeOption(session: Fields): Fields | undefined {
  const options = recordsOf(session, "configOptions");
  return options.find((one) => one["category"] === "mode") ?? options.find((one) => one["id"] === "mode");
}

function modeOf(mode: Fields, key: "id" | "value"): OfferedMode {
  const id = textOf(mode, key) ?? "";
  return { id, name: textOf(mode, "name") ?? id };
}

/** Chooses the mode of this session; the queued call is present when the agent has to be told. */
export function chooseMode(
  state: AcpState,
  session: Fields,
  options: AcpOptions,
): { modes: Modes; queuedCalls: QueuedCall[] } {
  const modes = readModes(session);
  const wanted = wantedMode(state, modes, options);
  if (wanted === undefined || wanted === modes.current) {
    return { modes: { ...modes, wanted, isConfirmed: wanted !== undefined }, queuedCalls: [] };
  }
  const chosen = { ...modes, wanted };
  return { modes: chosen, queuedCalls: [setModeCall(chosen, wanted, state.sessionId)] };
}

function setModeCall({ configId }: Modes, modeId: string, sessionId: string | undefined): QueuedCall {
  const call = { kind: "mode", wanted: modeId } as const;
  if (configId === undefined) return { call, method: "session/set_mode", params: { sessionId, modeId } };
  return { call, method: "session/set_config_option", params: { sessionId, configId, value: modeId } };
}

/** Modes that write without asking. */
const UNGUARDED = /yolo|bypass|auto|accept|full.?access|don.?t.?ask/i;
/** By the last word of the id or name; strictest first. */
const READ_ONLY = [/(^|[^a-z])read[-_ ]?only$/i, /(^|[^a-z])ask$/i, /(^|[^a-z])plan$/i];

function wantedMode(
  state: AcpState,
  { offered, current }: Modes,
  { isWritable, mode }: AcpOptions,
): string | undefined {
  const find = (fits: (id: string) => boolean): string | undefined => offered.find(({ id }) => fits(id))?.id;
  const own = mode?.(state.isSandboxed);
  if (own !== undefined) return find((id) => id === own);
  // Its own sandbox does not work inside ours.
  if (state.isSandboxed && isAgent(state, CODEX)) return find((id) => id === "agent-full-access");
  if (!isWritable && !state.isSandboxed && !lacksReadOnlyMode(state)) {
    const readOnly = READ_ONLY.flatMap(
      (word) => offered.find(({ id, name }) => word.test(id) || word.test(name)) ?? [],
    );
    if (readOnly[0] !== undefined) return readOnly[0].id;
  }
  return UNGUARDED.test(current ?? "") ? find((id) => id === "default") : undefined;
}

const CODEX = /codex-acp$/;

/** Answer to the queued call. Config options are answered with their current values. */
export function modeSet(state: AcpState, wanted: string, result: Fields): AcpState {
  const { modes } = state;
  const reported = modes.configId === undefined ? wanted : readModes(result).current;
  const current = reported ?? wanted;
  return { ...state, modes: { ...modes, current, isConfirmed: current === modes.wanted } };
}

/**
 * Agents whose mode of such a name does not prevent changes: Gemini CLI writes Markdown files when it plans, opencode
 * runs commands, and Claude Code does in every mode what the user's settings allow; for Copilot and Qwen Code it is
 * unproven.
 */
const WITHOUT_READ_ONLY_MODE = [/^gemini-cli$/, /^opencode$/i, /claude-agent-acp$/, /^copilot$/i, /^qwen/i];

function lacksReadOnlyMode(state: AcpState): boolean {
  return WITHOUT_READ_ONLY_MODE.some((name) => isAgent(state, name));
}

/** Guard of this session. Our sandbox is reported by the process layer. */
export function reportGuard(state: AcpState, options: AcpOptions): AcpStep {
  if (state.guard !== undefined) return { state };
  if (state.isSandboxed) {
    const isAsking = !options.isWritable || (options.guard?.() ?? guardOf(state, options)).guard !== "unguarded";
    const events = isAsking ? [] : [{ type: "member_guard", guard: "sandbox", detail: ACTS_UNASKED } as const];
    return { state: { ...state, guard: "sandbox" }, events };
  }
  const reported = guardOf(state, options);
  return { state: { ...state, guard: reported.guard }, events: [{ type: "member_guard", ...reported }] };
}

function guardOf(state: AcpState, { isWritable, mode, guard }: AcpOptions): GuardReport {
  const { wanted, isConfirmed, current } = state.modes;
  const isInMode = isConfirmed && current === wanted;
  const own = guard?.();
  if (own !== undefined) {
    const isModeSet = mode?.(false) === undefined || isInMode;
    return isModeSet ? own : { guard: "unguarded", detail: "its mode could not be set" };
  }
  if (isWritable || !isInMode || lacksReadOnlyMode(state)) return { guard: "unguarded" };
  const isReadOnly = READ_ONLY.some((word) => word.test(wanted ?? "") || word.test(nameOf(state.modes)));
  return isReadOnly ? { guard: "own_mode", detail: `its mode "${nameOf(state.modes)}"` } : { guard: "unguarded" };
}

function nameOf({ wanted, offered }: Modes): string {
  return offered.find(({ id }) => id === wanted)?.name ?? wanted ?? "";
}

/** Mode in an update; undefined when it is about something else. */
export function reportedMode(state: AcpState, update: Fields): string | undefined {
  switch (textOf(update, "sessionUpdate")) {
    case "current_mode_update":
      return textOf(update, "currentModeId");
    case "config_option_update":
      return state.modes.configId === undefined ? undefined : readModes(update).current;
    case "agent_message_chunk":
    case "agent_thought_chunk":
      return modeInText(state, textOf(recordOf(update, "content"), "text") ?? "");
    default:
      return undefined;
  }
}

/** The agent reports its mode. */
export function modeChanged(state: AcpState, member: string, modeId: string): AcpStep {
  const { modes } = state;
  const isUsual = modeId === (modes.wanted ?? "default");
  const events: DialectEvent[] = [{ type: "ui_status", key: "permission_mode", text: isUsual ? null : modeId }];
  if (modeId === modes.current) return { state };
  const now: AcpState = { ...state, modes: { ...modes, current: modeId } };
  if (modes.wanted === undefined || !modes.isConfirmed || modeId === modes.wanted) return { state: now, events };
  const back = {
    ...now,
    guard: undefined,
    queuedCalls: [...now.queuedCalls, setModeCall(modes, modes.wanted, state.sessionId)],
  };
  const { turn } = state;
  if (turn === undefined || !turn.isSent) return { state: back, events };
  const over = errored({
    code: "left_mode",
    message: `${member} changed its mode from "${modes.wanted}" to "${modeId}" on its own, so its turn was stopped.`,
    hint: "Ask again; its mode is reset first.",
  });
  const write = [writeNotification("session/cancel", { sessionId: state.sessionId })];
  return andThen({ state: back, write, events }, (next) => ({ state: withTurn(next, { over, isCancelled: true }) }));
}

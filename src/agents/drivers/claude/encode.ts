/** Messages to the program: turns, steers, interrupts; and the lifecycle of each message. */
import type { SteerInput, TurnInput } from "../../port.ts";
import type { Step } from "../../process/dialect.ts";
import { imagesOf, unseenWarning } from "../../attached.ts";
import { turnPrompt } from "../../turn-prompt.ts";
import { askProgram, commandLine, userLine } from "./control.ts";
import { rawTextOf, type Fields } from "../../../kit/fields.ts";
import { newTurn, step, without, withTurn, type ClaudeState } from "./state.ts";
import { dropSteer, finish } from "./turn-end.ts";

export interface EncodeOptions {
  /** Id of a message towards the program. */
  readonly newUuid: () => string;
  /** Configured model. */
  readonly model: string | undefined;
  /** The program was started with that model; otherwise it is set before the first turn. */
  readonly isModelLaunched: boolean;
}

export function encodeTurn(state: ClaudeState, input: TurnInput, options: EncodeOptions): Step<ClaudeState> {
  const uuid = options.newUuid();
  const model = input.model ?? options.model;
  const events = unseenWarning(input, SIGHT);
  const line = userLine(contentOf(input), uuid);
  const begun = { ...state, turn: newTurn(uuid), pending: new Map(), elsewhere: new Map() };
  if (model === undefined || model === state.model) return step(begun, events, [line]);
  const asking = askProgram({ ...begun, model }, { subtype: "set_model", model }, { what: "set_model", model });
  return step(asking.state, events, [asking.line, line]);
}

/** Runs the program's own command; text during it is the program's note, not an answer. */
export function encodeCompact(
  state: ClaudeState,
  focus: string | undefined,
  options: EncodeOptions,
): Step<ClaudeState> {
  const uuid = options.newUuid();
  const turn = { ...newTurn(uuid), isCompaction: true };
  const command = focus === undefined ? "/compact" : `/compact ${focus}`;
  return step({ ...state, turn, pending: new Map(), elsewhere: new Map() }, [], [commandLine(command, uuid)]);
}

export function encodeSteer(state: ClaudeState, input: SteerInput, options: EncodeOptions): Step<ClaudeState> {
  const { turn } = state;
  if (turn === undefined || turn.isInterruptRequested) return step(state);
  const uuid = options.newUuid();
  const steers = new Map(turn.steers).set(uuid, input.messageId);
  const steered = { ...turn, steers, uuids: new Set(turn.uuids).add(uuid) };
  return step(withTurn(state, steered), [], [userLine(input.text, uuid, { priority: "next" })]);
}

export function encodeInterrupt(state: ClaudeState): Step<ClaudeState> {
  const { turn } = state;
  const stopping = turn === undefined ? state : withTurn(state, { ...turn, isInterruptRequested: true });
  const asking = askProgram(stopping, { subtype: "interrupt", cancel_queued: true }, { what: "interrupt" });
  return step(asking.state, [], [asking.line]);
}

/** Lifecycle of a message: queued, started, and then completed, cancelled or discarded. */
export function handleLifecycle(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const { turn } = state;
  const uuid = rawTextOf(record["command_uuid"]) ?? "";
  const became = rawTextOf(record["state"]) ?? "";
  if (turn === undefined) return step(state);
  if (uuid === turn.uuid) return ownMessage(state, became);
  const messageId = turn.steers.get(uuid);
  if (messageId === undefined || became === "queued") return step(state);
  if (became !== "started") return dropSteer(state, turn, uuid);
  const steers = without(turn.steers, uuid);
  return step(withTurn(state, { ...turn, steers, resting: undefined }), [{ type: "steered", messageId }]);
}

function ownMessage(state: ClaudeState, became: string): Step<ClaudeState> {
  const { turn } = state;
  if (turn === undefined) return step(state);
  if (became === "queued" || became === "started") return step(withTurn(state, { ...turn, phase: became }));
  // A started turn ends by its result; before that no other record reports its end.
  if (turn.phase === "started") return step(state);
  return finish(state, turn, { outcome: "interrupted", reason: "interrupted" });
}

const SIGHT = { seesImages: true };

/** A plain text, or blocks when there are images. */
function contentOf(input: TurnInput): string | Fields[] {
  const text = turnPrompt(input, undefined, SIGHT);
  const images = imagesOf(input).map(({ mime, base64 }) => ({
    type: "image",
    source: { type: "base64", media_type: mime, data: base64 },
  }));
  return images.length === 0 ? text : [{ type: "text", text }, ...images];
}

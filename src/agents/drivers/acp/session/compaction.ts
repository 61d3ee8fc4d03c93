/**
 * Compaction by a command of the agent. ACP has no method for it: agents list a slash command, which is sent as a
 * prompt and answered like one. Pure.
 * Guarantee: no command is sent unless the agent lists it or it is known to have it.
 */
import type { DialectEvent, TurnOver } from "../../../process/dialect.ts";
import { errored } from "../../../process/turn-errors.ts";
import { fieldsOf, recordOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import type { AcpOptions, OfferedCommand } from "../options.ts";
import { firstTurn, withTurn, type AcpState, type AcpStep, type AcpTurn } from "../state.ts";

/** Names under which agents list it. */
const NAMES: ReadonlySet<string> = new Set(["compact", "compress"]);
const COMMANDS_MAX = 500;

/** Agents list their commands when a session opens, some before they report that it is open. */
export function updateCommands(state: AcpState, update: Fields): AcpState {
  const commands = recordsOf(update, "availableCommands")
    .slice(0, COMMANDS_MAX)
    .flatMap((command): OfferedCommand[] => {
      const name = textOf(command, "name");
      return name === undefined ? [] : [{ name, acceptsInput: Object.keys(recordOf(command, "input")).length > 0 }];
    });
  return { ...state, commands };
}

/** It had enough time to list them. */
export function commandsOver(state: AcpState): AcpState {
  return state.commands === undefined ? { ...state, commands: [] } : state;
}

/** The command is chosen by `chooseCommand`, at once or when the agent has listed its commands. */
export function openCompaction(state: AcpState, focus: string | undefined): AcpState {
  const input = { kind: "turn", turnId: `compaction-${state.nextId}`, text: "", attachments: [] } as const;
  const compaction = { focus, before: state.used, isChosen: false };
  return { ...state, turn: { ...firstTurn(input, state.costUsd), compaction } };
}

/** Undefined while there is nothing to choose; the turn stays as it is. */
export function chooseCommand(state: AcpState, options: AcpOptions): AcpStep | TurnOver | undefined {
  const { turn, commands } = state;
  const compaction = turn?.compaction;
  if (turn === undefined || compaction === undefined || compaction.isChosen) return undefined;
  if (state.isLost) return refusal("its earlier session is lost, so there is nothing to compact.");
  const { compactCommand: known } = options;
  if (known === undefined && commands === undefined) return undefined;
  const command = known === undefined ? commands?.find(({ name }) => NAMES.has(name)) : known;
  if (command === undefined || command === "none") return refusal("it offers no command for that.");
  const { focus } = compaction;
  const isFocusSent = focus !== undefined && command.acceptsInput;
  const text = isFocusSent ? `/${command.name} ${focus}` : `/${command.name}`;
  const message = `${options.member} accepts no compaction instructions, so it compacts its context without them.`;
  const events: DialectEvent[] =
    focus === undefined || isFocusSent ? [] : [{ type: "warning", code: "focus_unheard", message }];
  const chosen = { input: { ...turn.input, text }, compaction: { ...compaction, isChosen: true } };
  return { state: withTurn(state, chosen), events };
}

function refusal(message: string): TurnOver {
  return errored({ code: "not_compacted", message });
}

/** Texts by which agents report that they did not compact, though the turn ends as if they had. */
const NOT_DONE =
  /\b(nothing to|not enough|too (few|small|short)|cannot|can't|could not|couldn't|unable|failed|error)\b/i;

/** Agents report only the end of the prompt, besides the tokens in their context. */
export function compactionEnd({ used }: AcpState, turn: AcpTurn, result: unknown): DialectEvent[] | TurnOver {
  const stopReason = textOf(fieldsOf(result), "stopReason") ?? "end_turn";
  if (stopReason === "cancelled") return { outcome: "interrupted", reason: "interrupted" };
  const text = (turn.hiddenError ?? turn.textHead).trim();
  if (turn.hiddenError !== undefined || stopReason === "refusal" || NOT_DONE.test(text)) {
    return refusal(text === "" ? "it gave no reason." : text);
  }
  const before = turn.compaction?.before;
  const isReported = used !== undefined && used !== before;
  return [
    {
      type: "compacted",
      native: true,
      ...(before === undefined ? {} : { before }),
      ...(isReported ? { after: used } : {}),
    },
  ];
}

/** Subagents: whom members have sent out, and what each of them did, on a page of its own. */
import { isSubagent, loadedMessagesBackward, type Transcript, type TurnMessage } from "../../../transcript/index.ts";
import { shownTranscript } from "../arguments.ts";
import { UsageError, type ScreenCommand } from "../command.ts";

/** Older ones are found by scrolling to them and marking their turn. */
const LISTED_MAX = 500;

export const subagents: ScreenCommand = {
  name: "subagents",
  usage: "/subagents [NAME]",
  summary: "shows what a subagent did, on a page of its own",
  group: "view",
  complete: (screen, prefix) =>
    screen.transcript === undefined
      ? []
      : [...new Set(listed(screen.transcript).map((turn) => turn.member))]
          .filter((name) => name.startsWith(prefix))
          .map((name) => ({ value: name, label: name })),
  async run(screen, args) {
    const transcript = shownTranscript(screen);
    const marked = screen.log.selected;
    if (args === "" && marked?.kind === "turn" && isSubagent(marked)) return screen.showSubagent(marked.turnId);
    const all = listed(transcript);
    const matches = args === "" ? all : all.filter((turn) => turn.member === args);
    const [only] = matches;
    if (only === undefined && args === "") return screen.notify("No subagents in what is loaded.");
    if (only === undefined) throw new UsageError(`No subagent "${args}" in what is loaded.`);
    const picked = matches.length === 1 ? only.turnId : await screen.pick("Subagents", choices(matches, transcript));
    if (picked !== undefined) screen.showSubagent(picked);
  },
};

/** Newest first. */
function listed(transcript: Transcript): TurnMessage[] {
  const turns: TurnMessage[] = [];
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && isSubagent(message)) turns.push(message);
    if (turns.length >= LISTED_MAX) break;
  }
  return turns;
}

function choices(turns: readonly TurnMessage[], transcript: Transcript) {
  const tasks = tasksIn(transcript);
  return turns.map((turn) => ({
    label: `${"· ".repeat(turn.depth - 1)}${turn.member}`,
    description: [turn.end?.outcome ?? "running", tasks.get(turn.turnId) ?? ""]
      .filter((word) => word !== "")
      .join(" · "),
    value: turn.turnId,
  }));
}

/** What each was sent out for stands in the turn of whoever sent it. */
function tasksIn(transcript: Transcript): Map<string, string> {
  const tasks = new Map<string, string>();
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind !== "turn") continue;
    for (const block of message.blocks) if (block.kind === "subagent") tasks.set(block.subagentTurnId, block.task);
  }
  return tasks;
}

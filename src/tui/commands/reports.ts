/** /cost, /context, /stats, /diff, /subagents. Figures are as reported by the members. */
import { plural } from "../../kit/text/format.ts";
import { type FileChange, isKnownEvent, type Outcome } from "../../protocol/index.ts";
import {
  compactionOf,
  type CompactionState,
  contextMeter,
  formatTurnTime,
  type ContextMeter,
  isSubagent,
  loadedMessagesBackward,
  type MemberState,
  type ShownMessage,
  type Totals,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { shortCount, shortMoney } from "../app/chrome/format.ts";
import { formatMeter } from "../overlays/lists/session-lists.ts";
import type { ChangeSet } from "../overlays/diff-overlay.ts";
import {
  completeMembers,
  countAbsent,
  memberArgument,
  refuseArguments,
  sessionMembers,
  shownMessages,
  shownTranscript,
  shownTurns,
} from "./arguments.ts";
import { type ScreenCommand, UsageError } from "./command.ts";

/** Older subagents can be opened by selecting their turn in the log. */
const LISTED_MAX = 500;

export const subagents: ScreenCommand = {
  name: "subagents",
  usage: "/subagents [NAME]",
  summary: "Show what a subagent did",
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
    if (only === undefined && args === "") return screen.notify("No subagents in the loaded messages.");
    if (only === undefined) throw new UsageError(`No subagent "${args}" in the loaded messages.`);
    const picked = matches.length === 1 ? only.turnId : await screen.pick("Subagents", choices(matches, transcript));
    if (picked !== undefined) screen.showSubagent(picked);
  },
};

const SESSION = "session";

export const diff: ScreenCommand = {
  name: "diff",
  usage: "/diff [NAME|session]",
  summary: "Show what changed",
  group: "view",
  complete: (screen, prefix) =>
    completeMembers(screen, prefix, [{ value: SESSION, label: SESSION, description: "everything in this session" }]),
  run(screen, args) {
    const given = args.trim();
    const transcript = shownTranscript(screen);
    const isWhole = given === SESSION;
    const member = given === "" || isWhole ? undefined : memberArgument(screen, given);
    const reports = shownMessages(transcript)
      .flatMap(reportsOf)
      .filter((report) => member === undefined || report.member === member);
    if (reports.length === 0) {
      return screen.notify(member === undefined ? "Nothing has changed yet." : `${member} has not changed anything.`);
    }
    if (screen.showChanges !== undefined) {
      const whole = { of: member ?? "everyone", when: "this session", files: mergeFiles(reports) };
      return screen.showChanges(isWhole ? [whole] : turnsOf(transcript, member));
    }
    const lines = reports.flatMap(changeLines);
    const absent = countAbsent(transcript);
    screen.showDiff("Changes", absent === 0 ? lines : [`${plural(absent, "older message")} not loaded.`, "", ...lines]);
  },
};

/** One set for each turn that changed something, oldest first. */
function turnsOf(transcript: Transcript, member: string | undefined): ChangeSet[] {
  const counts = new Map<string, number>();
  return shownMessages(transcript).flatMap((message) => {
    const reports = reportsOf(message);
    const of = message.kind === "turn" ? message.member : (reports[0]?.member ?? "");
    if (message.kind === "turn") counts.set(of, (counts.get(of) ?? 0) + 1);
    if (reports.length === 0 || (member !== undefined && of !== member)) return [];
    return [{ of, when: `turn ${counts.get(of) ?? 1}`, files: mergeFiles(reports) }];
  });
}

/** Later changes of a file follow earlier ones. */
function mergeFiles(reports: readonly Report[]): FileChange[] {
  const files = new Map<string, FileChange>();
  for (const file of reports.flatMap((report) => report.files)) {
    const before = files.get(file.path);
    files.set(file.path, before === undefined ? file : joined(before, file));
  }
  return [...files.values()];
}

function joined(before: FileChange, after: FileChange): FileChange {
  const diff = [before.diff, after.diff].filter((one) => one !== undefined && one !== "").join("\n");
  return {
    ...after,
    added: (before.added ?? 0) + (after.added ?? 0),
    removed: (before.removed ?? 0) + (after.removed ?? 0),
    ...(diff === "" ? {} : { diff }),
  };
}

export const cost: ScreenCommand = {
  name: "cost",
  aliases: ["usage"],
  usage: "/cost",
  summary: "Show tokens and cost",
  group: "view",
  run(screen, args) {
    refuseArguments(args);
    const { head } = shownTranscript(screen);
    const members = Object.values(head.members).flatMap(({ name, totals, seated }) => [
      `${name}${seated ? "" : " (left)"}`,
      `  ${formatTotals(totals)}`,
    ]);
    screen.showText("Cost", [...members, "total", `  ${formatTotals(head.totals)}`]);
  },
};

function formatTotals(totals: Totals): string {
  return [
    `${totals.turns} ${totals.turns === 1 ? "turn" : "turns"}`,
    `${shortCount(totals.inputTokens)} tokens in, ${shortCount(totals.outputTokens)} out`,
    ...(totals.cacheReadTokens > 0 ? [`${shortCount(totals.cacheReadTokens)} from cache`] : []),
    totals.costUsd === null ? "cost unknown" : shortMoney(totals.costUsd),
  ].join(" · ");
}

export const context: ScreenCommand = {
  name: "context",
  usage: "/context",
  summary: "Show how full each context is",
  group: "view",
  run(screen, args) {
    refuseArguments(args);
    const { head } = shownTranscript(screen);
    const lines = sessionMembers(screen).flatMap((member) =>
      [
        member.name,
        contextLines(contextMeter(head, member.name)),
        compactionLines(member, compactionOf(head, member.name)),
      ].flat(),
    );
    screen.showText("Context", lines.length === 0 ? ["There are no members."] : lines);
  },
};

function contextLines(meter: ContextMeter | undefined): string[] {
  if (meter === undefined) return ["  not reported"];
  const { untilCompaction: until } = meter;
  if (until === undefined) return [`  ${formatMeter(meter)}`];
  return [
    `  ${formatMeter(meter)}`,
    `  ${until === 0 ? "compaction is due" : `${shortCount(until)} until compaction`}`,
  ];
}

function compactionLines({ compacting }: MemberState, compaction: CompactionState | undefined): string[] {
  const now = compacting === undefined ? [] : ["  is being compacted now"];
  if (compaction === undefined) return now;
  const { before, after, native, folded } = compaction;
  const figures = before > 0 && after > 0 ? ` from ${shortCount(before)} to ${shortCount(after)} tokens` : "";
  const scope = native ? " by its own program" : "";
  const away = folded === undefined ? "" : `; ${plural(folded, "turn")} summarised`;
  return [`  compacted${figures}${scope}${away}`, ...now];
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  completed: "completed",
  interrupted: "stopped",
  errored: "failed",
  timed_out: "timed out",
};

export const stats: ScreenCommand = {
  name: "stats",
  usage: "/stats",
  summary: "Count messages, turns, tools and time",
  group: "view",
  run(screen, args) {
    refuseArguments(args);
    const transcript = shownTranscript(screen);
    const { head } = transcript;
    const turns = shownTurns(transcript);
    const blocks = turns.flatMap((turn) => turn.blocks);
    const absent = countAbsent(transcript);
    screen.showText("Statistics", [
      `events        ${head.seq}`,
      `messages      ${head.messageCount} (${head.userCount} from users)`,
      `turns         ${head.turnCount}`,
      ...Object.entries(OUTCOMES).map(([outcome, word]) => {
        const count = turns.filter((turn) => turn.end?.outcome === outcome).length;
        return `  ${word.padEnd(12)}${count}`;
      }),
      `tool calls    ${blocks.filter((block) => block.kind === "tool").length}`,
      `requests      ${blocks.filter((block) => block.kind === "request").length}`,
      `time in turns ${formatTurnTime(turns.reduce((sum, turn) => sum + (turn.end?.durationMs ?? 0), 0))}`,
      `shown         ${shownMessages(transcript).length} messages`,
      ...(absent === 0
        ? []
        : [`${plural(absent, "older message")} not loaded, and not counted in outcomes, tools, requests and time.`]),
    ]);
  },
};

/** File changes as reported by members, newest last. */
interface Report {
  readonly member: string;
  readonly files: readonly FileChange[];
  readonly truncatedCount: number;
}

/** Of a turn, or by itself when no turn was open. */
function reportsOf(message: ShownMessage): Report[] {
  if (message.kind === "turn") {
    const { member } = message;
    return message.blocks
      .filter((block) => block.kind === "changes")
      .map(({ files, truncatedCount }) => ({ member, files, truncatedCount }));
  }
  if (message.kind === "user" || !isKnownEvent(message.event) || message.event.type !== "change_report") return [];
  const { member = "a member", files, truncatedCount } = message.event;
  return [{ member, files, truncatedCount }];
}

function changeLines({ member, files, truncatedCount }: Report): string[] {
  return [
    `${member} changed ${files.length + truncatedCount} ${files.length + truncatedCount === 1 ? "file" : "files"}`,
    ...files.flatMap((file) => [
      `${file.status} ${file.path}${formatCounts(file)}`,
      ...(file.diff === undefined ? [] : file.diff.replace(/\n$/, "").split("\n")),
    ]),
    ...(truncatedCount === 0 ? [] : [`… and ${truncatedCount} more that were not reported`]),
    "",
  ];
}

function formatCounts({ added, removed }: { added?: number | undefined; removed?: number | undefined }): string {
  return added === undefined && removed === undefined ? "" : ` (+${added ?? 0} −${removed ?? 0})`;
}

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
    description: [turn.end === undefined ? "running" : OUTCOMES[turn.end.outcome], tasks.get(turn.turnId) ?? ""]
      .filter((word) => word !== "")
      .join(" · "),
    value: turn.turnId,
  }));
}

/** The task of a subagent is in the turn of its parent. */
function tasksIn(transcript: Transcript): Map<string, string> {
  const tasks = new Map<string, string>();
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind !== "turn") continue;
    for (const block of message.blocks) if (block.kind === "subagent") tasks.set(block.subagentTurnId, block.task);
  }
  return tasks;
}

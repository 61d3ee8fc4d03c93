/** What has been used: tokens, money, context, counts. Figures are those the members gave. */
import {
  compactionOf,
  contextMeter,
  type CompactionState,
  type ContextMeter,
  type MemberState,
  type Totals,
} from "../../../transcript/index.ts";
import { shortCount, shortMoney, shortTime } from "../../app/chrome/format-numbers.ts";
import { formatMeter } from "../../overlays/lists/members-overlay.ts";
import { refuseArguments, sessionMembers, shownTranscript } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";
import { countAbsent, shownMessages, shownTurns } from "../shown-messages.ts";

export const cost: ScreenCommand = {
  name: "cost",
  aliases: ["usage"],
  usage: "/cost",
  summary: "shows tokens and cost, by member and in total",
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
    `↑${shortCount(totals.inputTokens)} ↓${shortCount(totals.outputTokens)}`,
    ...(totals.cacheReadTokens > 0 ? [`${shortCount(totals.cacheReadTokens)} from cache`] : []),
    totals.costUsd === null ? "cost unknown" : shortMoney(totals.costUsd),
  ].join(" · ");
}

export const context: ScreenCommand = {
  name: "context",
  usage: "/context",
  summary: "shows how full each member's context is",
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
    screen.showText("Context", lines.length === 0 ? ["Nobody is seated."] : lines);
  },
};

function contextLines(meter: ContextMeter | undefined): string[] {
  if (meter === undefined) return ["  says nothing about its context"];
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
  const { before, after, firstKeptSeq, native, folded } = compaction;
  const figures = before > 0 && after > 0 ? ` from ${shortCount(before)} to ${shortCount(after)} tokens` : "";
  const scope = native ? "by its own program" : `whole from event ${firstKeptSeq} on`;
  const away = folded === undefined ? "" : `; turns folded away: ${folded}`;
  return [`  compacted${figures}, ${scope}${away}`, ...now];
}

export const stats: ScreenCommand = {
  name: "stats",
  usage: "/stats",
  summary: "counts messages, turns, tools and time",
  group: "view",
  run(screen, args) {
    refuseArguments(args);
    const transcript = shownTranscript(screen);
    const { head } = transcript;
    const turns = shownTurns(transcript);
    const blocks = turns.flatMap((turn) => turn.blocks);
    const outcomes = ["completed", "interrupted", "errored", "timed_out"] as const;
    const absent = countAbsent(transcript);
    screen.showText("Statistics", [
      `events        ${head.seq}`,
      `messages      ${head.messageCount} (${head.userCount} of users)`,
      `turns         ${head.turnCount}`,
      ...outcomes.map((outcome) => {
        const count = turns.filter((turn) => turn.end?.outcome === outcome).length;
        return `  ${outcome.replaceAll("_", " ").padEnd(12)}${count}`;
      }),
      `tool calls    ${blocks.filter((block) => block.kind === "tool").length}`,
      `requests      ${blocks.filter((block) => block.kind === "request").length}`,
      `time in turns ${shortTime(turns.reduce((sum, turn) => sum + (turn.end?.durationMs ?? 0), 0))}`,
      `shown         ${shownMessages(transcript).length} messages`,
      ...(absent === 0
        ? []
        : [`${absent} older messages are not loaded; outcomes, tools, requests and time leave them out.`]),
    ]);
  },
};

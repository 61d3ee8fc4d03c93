/** Announcements of a turn: start, each action, its text at the end, and its outcome. */
import type { Json, SeenAs } from "../../protocol/index.ts";
import {
  answeredBy,
  describeRequest,
  eventLine,
  describeFailure,
  failureDetail,
  formatExchange as originOfExchange,
  isDenied,
  isOfExchange,
  parentTurn,
  formatQuietRun,
  toolApproval,
  type Block,
  type RequestOutcome,
  type ToolBlock,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { sentence, shortened, spokenTime } from "./format-session.ts";

type Of<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

export function formatTurnStart(turn: TurnMessage, transcript: Transcript): string {
  const round = turn.round !== undefined && turn.round > 1 ? ` in round ${turn.round}` : "";
  const again = turn.replaced.length > 0 ? " again" : "";
  return sentence(`${speakerOf(turn)} ${formatActivity(turn)}${round}${again}${formatCause(turn, transcript)}`);
}

function formatActivity(turn: TurnMessage): string {
  if (turn.cause === "minutes") return "is writing the minutes";
  return isSubagent(turn) ? "is working" : "is answering";
}

function formatCause(turn: TurnMessage, transcript: Transcript): string {
  if (isOfExchange(turn)) return `, ${originOfExchange(turn, parentTurn(turn, transcript))}`;
  if (turn.origin !== undefined) return `, from ${shortened(turn.origin)}`;
  if (turn.cause === "imported") return ", imported";
  return turn.cause === "idle" ? ", by itself" : "";
}

function isSubagent(turn: TurnMessage): boolean {
  return turn.depth > 0 && !isOfExchange(turn);
}

/** Member names are validated; a subagent's name is chosen by its agent and must not start a line. */
export function speakerOf(turn: TurnMessage): string {
  return isSubagent(turn) ? `Subagent ${turn.member}` : turn.member;
}

/** One line for a block that is final; undefined otherwise, and for blocks without a line. */
export function formatBlock(turn: TurnMessage, block: Block, seenAs?: SeenAs): string | undefined {
  const isOver = turn.end !== undefined;
  const who = speakerOf(turn);
  switch (block.kind) {
    case "tool":
      return block.state === "pending" && !isOver ? undefined : `${who}: ${formatTool(block, seenAs)}`;
    case "request":
      return block.state === "open" && !isOver ? undefined : `${who} asked ${formatRequest(block, seenAs)}`;
    case "exchange":
      return block.answer === undefined && !isOver ? undefined : formatExchange(who, block);
    case "subagent":
      return block.outcome === undefined && !isOver ? undefined : formatSubagent(who, block);
    case "changes":
      return `${who} ${formatChanges(block)}`;
    case "finished":
      return sentence(`${who} sums up: ${shortened(block.summary)}`);
    case "event":
      return sentence(`${who}: ${eventLine(block.event)}`);
    default:
      // Text and plans are read at the end of the turn, thinking is not, and steering is announced when sent.
      return undefined;
  }
}

function formatTool(tool: ToolBlock, seenAs: SeenAs | undefined): string {
  const title = shortened(tool.title ?? `${tool.name} ${shortArguments(tool.args)}`);
  const approval = toolApproval(tool);
  const by = byWhom(approval, seenAs);
  if (isDenied(tool)) return sentence(`${title}, ${shortened(approval?.text ?? "denied")}${by}`);
  const allowed = approval?.kind === "allowed" ? `, ${shortened(approval.text)}${by}` : "";
  const ran = tool.durationMs !== undefined && tool.durationMs >= 1000 ? `, ${spokenTime(tool.durationMs)}` : "";
  const time = ran + allowed;
  switch (tool.state) {
    case "success":
      return `${title}, done${time}.`;
    case "finished":
      return `${title}, finished${time}; no exit code was reported.`;
    case "truncated":
      return `${title}, done${time}; its output is truncated.`;
    case "error":
      return sentence(`${title}, failed${time}: ${shortened(tool.error?.message ?? "no reason was given")}`);
    case "agent-callback":
      return `${title}, another member answered${time}.`;
    default:
      return `${title}, stopped${time}.`;
  }
}

function shortArguments(args: Json): string {
  if (args === null || typeof args !== "object") return args === null ? "" : String(args);
  return Object.values(args)
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(" ");
}

function formatRequest(block: Of<"request">, seenAs: SeenAs | undefined): string {
  const { what, outcome } = describeRequest(block);
  const came = outcome.kind === "open" ? "not answered" : outcome.text;
  return sentence(`"${shortened(what)}", ${shortened(came)}${byWhom(outcome, seenAs)}`);
}

function byWhom(outcome: RequestOutcome | undefined, seenAs: SeenAs | undefined): string {
  const by = outcome && answeredBy(outcome, seenAs);
  return by === undefined ? "" : `, ${by}`;
}

function formatExchange(who: string, { to, text, answer }: Of<"exchange">): string {
  const result = answer === undefined ? "no answer" : `${answer.ok ? "answered" : "failed"}: ${shortened(answer.text)}`;
  return sentence(`${who} asked ${to}: ${shortened(text)}; ${result}`);
}

function formatSubagent(who: string, { name, task, outcome }: Of<"subagent">): string {
  const end = outcome === undefined ? "did not end" : outcome.replaceAll("_", " ");
  return sentence(`${who}, subagent ${name}: ${shortened(task)}; ${end}`);
}

const PATHS_MAX = 10;

function formatChanges({ files, truncatedCount }: Of<"changes">): string {
  const named = files.slice(0, PATHS_MAX).map((file) => `${file.path} ${file.status}`);
  const more = files.length - named.length + truncatedCount;
  return sentence(`changed files: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`);
}

/** The last plan of the turn, one line per item. */
export function formatPlan({ blocks }: TurnMessage): string[] {
  const plan = blocks.findLast((block) => block.kind === "plan");
  const labels = { completed: "done", in_progress: "in progress", pending: "to do" } as const;
  return (plan?.items ?? []).map((item, index) => `Plan ${index + 1}, ${labels[item.status]}: ${shortened(item.text)}`);
}

/** All text of the turn, as paragraphs. */
export function spokenText({ blocks }: TurnMessage): string {
  return blocks
    .flatMap((block) => (block.kind === "text" && block.text.trim() !== "" ? [block.text.trim()] : []))
    .join("\n\n");
}

/** One line for a turn that adds nothing to a discussion; it is read in full on request. */
export function quietLine(turn: TurnMessage): string {
  return `${formatQuietRun([turn])}, ${spokenTime(turn.end?.durationMs ?? 0)}.`;
}

export function formatTurnEnd(turn: TurnMessage): string[] {
  const { end } = turn;
  if (end === undefined) return [];
  const who = speakerOf(turn);
  const time = spokenTime(end.durationMs);
  const why = end.error?.message ?? end.reason;
  const because = why === undefined || why === "" || why === end.outcome ? "" : `: ${shortened(why)}`;
  switch (end.outcome) {
    case "completed":
      return [spokenText(turn) === "" ? `${who} finished without an answer, ${time}.` : `${who} finished, ${time}.`];
    case "interrupted":
      return [sentence(`${who} was stopped, ${time}${because}`)];
    case "timed_out":
      return [`${sentence(`${who} ran out of time, ${time}${because}`)} /retry asks again.`];
    default: {
      const command = describeFailure(turn)?.command;
      const hint = end.error?.hint === undefined ? "" : ` ${sentence(shortened(end.error.hint))}`;
      const fix = command === undefined ? hint : ` To fix it, in another terminal: ${shortened(command)}`;
      const again = command === undefined ? "/retry asks again." : "then /retry asks again.";
      const printed = failureDetail(turn).map((line) => shortened(line));
      const it = printed.length === 0 ? "" : ` It printed: ${sentence(printed.join("; "))}`;
      return [`${sentence(`${who} failed${because}`)}${it}${fix} ${again}`];
    }
  }
}

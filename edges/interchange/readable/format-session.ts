/** Texts of a session, the same in every readable export. Plain text: the renderer escapes it. */
import { formatDuration } from "../../../src/kit/text/format.ts";
import { authorOf, type Json, type SeenAs } from "../../../src/protocol/index.ts";
import {
  describeRequest,
  describeTurn,
  isDenied,
  shownOutput,
  toolApproval,
  type Block,
  type Head,
  type MemberState,
  type ToolBlock,
  type TurnMessage,
  type UserMessage,
} from "../../../src/transcript/index.ts";

/** A session in its final state. */
export interface ReadableSession {
  readonly head: Head;
  /** Further header lines, such as what was redacted. */
  readonly remarks: readonly string[];
  readonly seenAs?: SeenAs | undefined;
}

/** Who wrote a message: the reader, or somebody else on a team's server. */
export function writerOf(message: Pick<UserMessage, "clientId"> | undefined, { seenAs }: ReadableSession): string {
  return authorOf(message?.clientId, seenAs) ?? "You";
}

/** A message that is too far away in the session is undefined. */
export function steeredBy(message: Pick<UserMessage, "clientId" | "text"> | undefined, session: ReadableSession) {
  return { who: writerOf(message, session), text: message?.text ?? "(a message)" };
}

/** Whether browsers can show the attachment as a picture. */
export function isImage(mime: string): boolean {
  return /^image\/(?:png|jpeg|gif|webp)$/.test(mime);
}

/** In UTC, since the file may be read anywhere. */
export function timeOf(ts: number): string {
  return Number.isFinite(ts) && Math.abs(ts) < 8.64e15
    ? new Date(ts).toISOString().replace("T", " ").slice(0, 16)
    : "at an unknown time";
}

export function titleOf({ title, sessionId }: Head): string {
  return title.trim() === "" ? `Session ${sessionId}` : title;
}

/** Name and value of each line of the first block. */
export function sessionFacts({ head }: ReadableSession): readonly (readonly [string, string])[] {
  const { totals } = head;
  const tokens = `${totals.inputTokens} in, ${totals.outputTokens} out`;
  return [
    ["Session", head.sessionId],
    ["Directory", head.cwd],
    ["Members", Object.values(head.members).map(formatMember).join(", ")],
    ["Began", `${timeOf(head.createdTs)} UTC`],
    ["Last event", `${timeOf(head.updatedTs)} UTC`],
    ["Turns", String(totals.turns)],
    ["Tokens", totals.costUsd !== null && totals.costUsd > 0 ? `${tokens}, $${totals.costUsd.toFixed(2)}` : tokens],
  ];
}

function formatMember({ name, spec, model, seated }: MemberState): string {
  const facts = [spec.kind, ...(model === undefined ? [] : [model]), ...(seated ? [] : ["left"])];
  return `${name} (${facts.join(", ")})`;
}

/** Facts behind the name of the speaker. */
export function turnFacts(turn: TurnMessage, parent: TurnMessage | undefined): string[] {
  return [
    ...(turn.model === undefined ? [] : [turn.model]),
    ...describeTurn(turn, parent).origin,
    timeOf(turn.ts),
    ...(turn.end === undefined ? [] : [formatDuration(turn.end.durationMs)]),
  ];
}

/** Undefined for a completed turn. */
export function formatEnding(turn: TurnMessage): string | undefined {
  if (turn.end === undefined) return "still running when this was exported";
  const { end } = describeTurn(turn);
  return end === undefined ? undefined : `${end.label}${end.why === "" ? "" : `: ${end.why}`}`;
}

const STATES: Readonly<Record<ToolBlock["state"], string>> = {
  pending: "not finished",
  success: "done",
  finished: "finished, no exit code reported",
  error: "failed",
  interrupted: "interrupted",
  truncated: "done, truncated",
  "agent-callback": "answered",
};

export function formatTool(tool: ToolBlock): { readonly title: string; readonly facts: readonly string[] } {
  const approval = toolApproval(tool);
  const approvalTexts = approval === undefined || approval.kind === "open" ? [] : [approval.text];
  const ran = [STATES[tool.state], ...(tool.durationMs === undefined ? [] : [formatDuration(tool.durationMs)])];
  const facts = isDenied(tool) ? approvalTexts : [...ran, ...approvalTexts];
  const title = tool.title === undefined || tool.title === tool.name ? tool.name : `${tool.name}: ${tool.title}`;
  return { title, facts };
}

export interface ToolPart {
  readonly name: "called with" | "output" | "result" | "error" | "change";
  readonly text: string;
  /** Language name for syntax highlighting. */
  readonly language: "json" | "" | "diff";
}

/** Arguments and result of a call. */
export function toolParts(tool: ToolBlock): ToolPart[] {
  const { text: output, dropped } = shownOutput(tool);
  const parts: ToolPart[] = [];
  if (!isEmpty(tool.args))
    parts.push({ name: "called with", text: JSON.stringify(tool.args, null, 2), language: "json" });
  if (output !== "") {
    const before = dropped === 0 ? "" : `… ${dropped} earlier characters omitted …\n`;
    parts.push({ name: "output", text: before + output, language: "" });
  }
  if (tool.result !== undefined && tool.result !== "") parts.push({ name: "result", text: tool.result, language: "" });
  if (tool.error !== undefined)
    parts.push({ name: "error", text: `${tool.error.code}: ${tool.error.message}`, language: "" });
  if (tool.diff !== undefined && tool.diff !== "") parts.push({ name: "change", text: tool.diff, language: "diff" });
  return parts;
}

/** Note below a truncated result. */
export function formatTruncation({ truncated }: ToolBlock): string | undefined {
  if (truncated === undefined) return undefined;
  return `Truncated: ${truncated.shownBytes} of ${truncated.totalBytes} bytes are shown.`;
}

function isEmpty(args: Json): boolean {
  return args === null || args === "" || (typeof args === "object" && Object.keys(args).length === 0);
}

type RequestBlock = Extract<Block, { kind: "request" }>;

/** A request and its answer. */
export function formatRequest(block: RequestBlock): { question: string; answer: string } {
  const { kind, what, message = "", questions, outcome } = describeRequest(block);
  const texts = kind === "question" ? [what, message, questions.map(({ text }) => text).join(" / ")] : [what];
  return { question: texts.filter((text) => text !== "").join(" "), answer: outcome.text };
}

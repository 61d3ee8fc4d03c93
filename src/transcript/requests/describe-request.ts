/**
 * A request of a member in plain fields, the same for every view: who asks, for what, why, the choices at their keys,
 * what happens when nobody answers, and what came of it. Nothing that would run is left out; only its spelling as JSON and its hash stand apart, as details.
 */
import { safeDefault, type UiRequestBody } from "../../protocol/index.ts";
import type { ArgumentField } from "./argument-fields.ts";
import { describeCall, type DescribedCall } from "./describe-call.ts";
import type { RequestAnswer, RequestOutcome, RequestState } from "../model.ts";
import { choiceOf, choicesOf, type RequestChoice } from "./choices.ts";
import { requestOutcome } from "./outcome.ts";

export interface DescribedRequest {
  readonly kind: DescribedCall["kind"] | "question";
  /** "qwen asks to run a command", "qwen asks to edit src/colors.rs". */
  readonly heading: string;
  /** In one line, without who: "$ cargo test", "edit src/colors.rs +1 −0". A command may be long; it is not cut. */
  readonly what: string;
  /** The agent's own words, where they say more than the heading. */
  readonly title?: string;
  /** Why, where the agent says so. */
  readonly reason?: string;
  readonly message?: string;
  readonly command?: { readonly line: string; readonly directory?: string };
  readonly files: readonly string[];
  readonly diff?: { readonly text: string; readonly added: number; readonly removed: number };
  /** What else the tool is given, an argument each. */
  readonly fields: readonly ArgumentField[];
  /** Each with its own choices; empty for what is answered as a whole. */
  readonly questions: readonly { readonly text: string; readonly choices: readonly Omit<RequestChoice, "keys">[] }[];
  readonly choices: readonly RequestChoice[];
  /** What becomes of it at its time limit: "denied in 4:12". */
  readonly atLimit: "denied" | "answered no" | "skipped";
  readonly outcome: RequestOutcome;
  /** For who wants to see the call exactly as it is written and hashed. */
  readonly details: readonly ArgumentField[];
}

export interface RequestRecord {
  readonly member: string;
  readonly request: UiRequestBody;
  /** Absent for one that is open. */
  readonly state?: RequestState;
  readonly answer?: RequestAnswer | undefined;
}

export function describeRequest(record: RequestRecord): DescribedRequest {
  const { member, request } = record;
  const outcome = requestOutcome(request, record.state ?? "open", record.answer);
  if (request.method === "approval") return { ...describeApproval(member, request), outcome };
  return {
    kind: "question",
    heading: `${member} asks you`,
    what: request.title,
    title: request.title,
    ...(request.method === "confirm" ? { message: request.message } : {}),
    files: [],
    fields: [],
    questions: request.method === "question" ? request.questions.map(describeQuestion) : [],
    choices: choicesOf(request),
    atLimit: safeDefault(request.method) === false ? "answered no" : "skipped",
    outcome,
    details: [],
  };
}

type Approval = Extract<UiRequestBody, { method: "approval" }>;

function describeApproval(member: string, request: Approval): Omit<DescribedRequest, "outcome"> {
  const call = describeCall(member, request);
  const { kind, verb, tool, title, reason, command, files } = call;
  const diff = request.diff === undefined || request.diff === "" ? undefined : describeDiff(request.diff);
  const counts = diff === undefined ? "" : ` +${diff.added} −${diff.removed}`;
  const named = files.length === 1 ? files[0] : `${files.length} files`;
  const heading = { command: "run a command", edit: `${verb} ${named}`, tool: `use ${tool}` }[kind];
  const what = { command: `$ ${command?.line}`, edit: `${verb} ${files.join(", ")}${counts}`, tool }[kind];
  return {
    kind,
    heading: `${member} asks to ${heading}`,
    what,
    // A command or a file says it better than what an agent calls it.
    ...(title === undefined || kind !== "tool" ? {} : { title }),
    ...(reason === undefined ? {} : { reason }),
    ...(command === undefined ? {} : { command }),
    files,
    ...(diff === undefined ? {} : { diff }),
    fields: [...call.fields, ...becauseOf(request)],
    questions: [],
    choices: choicesOf(request),
    atLimit: "denied",
    details: [
      ...(title === undefined || kind === "tool" ? [] : [{ name: "title", text: title }]),
      { name: "call", text: request.call },
      { name: "sha256", text: request.callHash },
    ],
  };
}

/** Why no rule has answered it, where one seemed to be about it. */
function becauseOf({ opts }: Approval): ArgumentField[] {
  const because = opts?.["because"];
  return typeof because === "string" ? [{ name: "asked because", text: because }] : [];
}

/** Lines that are added and removed; the two that name the file are neither. */
function describeDiff(text: string): NonNullable<DescribedRequest["diff"]> {
  const lines = text.split("\n");
  const count = (sign: string) =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(`${sign.repeat(3)} `)).length;
  return { text, added: count("+"), removed: count("-") };
}

function describeQuestion({ text, options }: Extract<UiRequestBody, { method: "question" }>["questions"][number]) {
  return { text, choices: options.map(choiceOf) };
}

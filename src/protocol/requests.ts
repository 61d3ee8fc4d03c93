/** What an agent may ask of the user, and the safe answer when there is none. */
import * as z from "zod";
import type { Json } from "./values.ts";

const Option = z.object({ label: z.string(), value: z.string(), description: z.string().optional() });

const opts = z.record(z.string(), z.json()).optional();

export const UiRequestBody = z.discriminatedUnion("method", [
  z.object({ method: z.literal("select"), title: z.string(), options: z.array(Option).min(1), opts }),
  z.object({ method: z.literal("confirm"), title: z.string(), message: z.string(), opts }),
  z.object({ method: z.literal("input"), title: z.string(), placeholder: z.string().optional(), opts }),
  z.object({ method: z.literal("editor"), title: z.string(), prefill: z.string().optional(), opts }),
  z.object({
    method: z.literal("approval"),
    title: z.string(),
    /** The exact call; the answer is bound to its hash. */
    tool: z.string(),
    call: z.string(),
    callHash: z.string(),
    diff: z.string().optional(),
    options: z.array(Option).min(1),
    opts,
  }),
  z.object({
    method: z.literal("question"),
    title: z.string(),
    questions: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          options: z.array(Option),
          multiple: z.boolean(),
          freeText: z.boolean(),
        }),
      )
      .min(1),
    opts,
  }),
]);
export type UiRequestBody = z.infer<typeof UiRequestBody>;
export type RequestMethod = UiRequestBody["method"];

/** Answers to an approval, the same for every agent; `false` also denies. */
export const ALLOW_ONCE = "allow";
export const DENY = "deny";
/** Answers that apply beyond this call. */
export const FOR_SESSION = "table_session";
export const FOR_ALWAYS = "table_always";
/** All file changes in the session's directory, for the session. Offered by earlier versions only. */
export const FOR_EDITS = "table_session_edits";

type Approval = Extract<UiRequestBody, { method: "approval" }>;

const ONCE_VALUES: ReadonlySet<string> = new Set(["once", ALLOW_ONCE, "accept"]);
const DENY_VALUES: ReadonlySet<string> = new Set([DENY, "refuse", "decline", "reject", "cancel", "abort"]);

/** The answer by which this agent runs the call once; undefined when it offers none that is known. */
export function onceValue({ options }: Approval): string | undefined {
  const once = options.find(({ value, description }) => ONCE_VALUES.has(value) || description === "allow_once");
  return once?.value;
}

/** Whether an answer to an approval is a denial, in logs of any version. */
export function isDenial({ options }: Approval, result: Json): boolean {
  if (result === false || result === null) return true;
  const option = options.find(({ value }) => value === result);
  return option !== undefined && (DENY_VALUES.has(option.value) || option.description?.startsWith("reject") === true);
}

/** Denial for what would act, cancellation for what only asks. */
export function safeDefault(method: RequestMethod): false | null {
  return method === "confirm" || method === "approval" ? false : null;
}

/** The answer of a user who closes a request: it denies an approval, and answers nothing else. */
export function cancelledAnswer(method: RequestMethod): false | null {
  return method === "approval" ? false : null;
}

/** Roundtable's own question whether a member may join a read-only session without a guard. */
export function isConsent(request: UiRequestBody): boolean {
  return request.method === "confirm" && request.opts?.["consent"] === "unguarded";
}

/** What an agent may ask of the user, and the answer that is safe when nobody gives one. */
import * as z from "zod";

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
    /** What would run, exactly; the answer is bound to its hash. */
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

/** Answers to an approval that reach further than this call: the session's own choices, beside those of the agent. */
export const FOR_SESSION = "table_session";
export const FOR_ALWAYS = "table_always";
/** Every change of files in the session's directory, for the session. */
export const FOR_EDITS = "table_session_edits";

const ONCE_VALUES: ReadonlySet<string> = new Set(["once", "allow", "accept"]);

/** The answer by which this agent lets the call run once; undefined when it offers none that is known. */
export function onceValue({ options }: Extract<UiRequestBody, { method: "approval" }>): string | undefined {
  const once = options.find(({ value, description }) => ONCE_VALUES.has(value) || description === "allow_once");
  return once?.value;
}

/** A refusal for what would act, a cancellation for what only asks. */
export function safeDefault(method: RequestMethod): false | null {
  return method === "confirm" || method === "approval" ? false : null;
}

/** Roundtable's own question whether a member may work in a read-only session though nothing guards it. */
export function isConsent(request: UiRequestBody): boolean {
  return request.method === "confirm" && request.opts?.["consent"] === "unguarded";
}

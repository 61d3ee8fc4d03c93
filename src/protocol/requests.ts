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

/** A refusal for what would act, a cancellation for what only asks. */
export function safeDefault(method: RequestMethod): false | null {
  return method === "confirm" || method === "approval" ? false : null;
}

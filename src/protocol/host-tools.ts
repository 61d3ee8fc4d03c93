/** Tools that the table itself gives to every member that can call tools; the session runs them. */
import * as z from "zod";
import { UiRequestBody } from "./requests.ts";
import { MemberName, PlanItem } from "./values.ts";

function hostTool<const Name extends string, Args extends z.ZodObject>(name: Name, description: string, args: Args) {
  return { name, description, args };
}

const [selectShape, confirmShape, inputShape, editorShape, , questionShape] = UiRequestBody.options;
const notifyType = z.enum(["info", "warn", "error", "success"]).optional();
const overlay = { timeoutSeconds: z.number().positive().optional() };

export const hostTools = [
  hostTool(
    "agents_message",
    "Asks another member at this table. With wait (the default) its answer is the result; without, its answer reaches you in a later turn. Nobody is asked in a circle, and thanks wake nobody.",
    z.object({ to: MemberName, text: z.string().min(1), wait: z.boolean().optional() }),
  ),
  hostTool("agents_list", "Who sits at this table, what each can do and whether it is busy.", z.object({})),
  hostTool(
    "user_question",
    "Asks the user one or several questions and waits for the answers.",
    z.object({ title: questionShape.shape.title, questions: questionShape.shape.questions, ...overlay }),
  ),
  hostTool(
    "plan_update",
    "Shows the user your plan, whole, every time something in it changes.",
    z.object({ items: z.array(PlanItem), explanation: z.string().optional() }),
  ),
  hostTool(
    "history_search",
    "Searches the whole log of this session, also what was folded out of your context: what was said, called and printed. Give words to look for (all of them must occur), or the seq of one entry to read it whole.",
    z
      .object({
        query: z.string().min(1).max(500).optional(),
        /** Only what this member said or did; "user" for the user. */
        by: z.string().optional(),
        seq: z.int().positive().optional(),
        limit: z.int().positive().max(20).optional(),
      })
      .refine(({ query, seq }) => query !== undefined || seq !== undefined, "give a query or a seq"),
  ),
  hostTool(
    "ui_select",
    "Lets the user choose one of several options.",
    z.object({ title: selectShape.shape.title, options: selectShape.shape.options, ...overlay }),
  ),
  hostTool(
    "ui_confirm",
    "Asks the user to say yes or no.",
    z.object({ title: confirmShape.shape.title, message: confirmShape.shape.message, ...overlay }),
  ),
  hostTool(
    "ui_input",
    "Asks the user for one line of text.",
    z.object({ title: inputShape.shape.title, placeholder: inputShape.shape.placeholder, ...overlay }),
  ),
  hostTool(
    "ui_editor",
    "Lets the user write or change a longer text.",
    z.object({ title: editorShape.shape.title, prefill: editorShape.shape.prefill, ...overlay }),
  ),
  hostTool(
    "ui_notify",
    "Shows the user a short notice.",
    z.object({ message: z.string(), type: notifyType, notify_type: notifyType.describe("The same as type.") }),
  ),
  hostTool(
    "ui_status",
    "Sets a short status field under a key; null removes it.",
    z.object({ key: z.string().min(1), text: z.string().nullable() }),
  ),
  hostTool(
    "ui_widget",
    "Shows a small block of lines beside the input under a key; null removes it.",
    z.object({
      key: z.string().min(1),
      content: z.union([z.string(), z.array(z.string()), z.null()]),
      opts: z.record(z.string(), z.json()).optional(),
    }),
  ),
  hostTool(
    "ui_working",
    "Says what you are doing while you work; null removes it.",
    z.object({ message: z.string().nullable() }),
  ),
  hostTool("ui_set_title", "Sets the title of the user's window.", z.object({ title: z.string() })),
  hostTool(
    "ui_set_editor_text",
    "Puts a text into the user's input, to be changed and sent.",
    z.object({ text: z.string() }),
  ),
] as const;

export type HostToolName = (typeof hostTools)[number]["name"];

export interface HostToolSchema {
  readonly name: HostToolName;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
}

/** As agents want to be told of tools. */
export function hostToolSchemas(): HostToolSchema[] {
  return hostTools.map(({ name, description, args }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(args, { target: "draft-2020-12", io: "input" }) as Record<string, unknown>,
  }));
}

/** Tools that Roundtable gives to every member that can call tools; the session runs them. */
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
    "Ask another member of this session. With wait (the default), the answer is the result; without it, the answer arrives in a later turn. Cyclic questions are rejected. Thank-you messages do not start a turn.",
    z.object({ to: MemberName, text: z.string().min(1), wait: z.boolean().optional() }),
  ),
  hostTool(
    "agents_list",
    "List the members of this session, their capabilities, and whether each is busy.",
    z.object({}),
  ),
  hostTool(
    "user_question",
    "Ask the user one or more questions and wait for the answers.",
    z.object({ title: questionShape.shape.title, questions: questionShape.shape.questions, ...overlay }),
  ),
  hostTool(
    "plan_update",
    "Show the user your plan. Send the complete plan after every change.",
    z.object({ items: z.array(PlanItem), explanation: z.string().optional() }),
  ),
  hostTool(
    "history_search",
    "Search the complete log of this session, including what was compacted out of your context: messages, tool calls and output. Pass words to search for (all of them must occur), or the seq of one entry to read it in full.",
    z
      .object({
        query: z.string().min(1).max(500).optional(),
        /** Restricts the search to one member; "user" for the user. */
        by: z.string().optional(),
        seq: z.int().positive().optional(),
        limit: z.int().positive().max(20).optional(),
      })
      .refine(({ query, seq }) => query !== undefined || seq !== undefined, "pass either query or seq"),
  ),
  hostTool(
    "ui_select",
    "Let the user choose one of several options.",
    z.object({ title: selectShape.shape.title, options: selectShape.shape.options, ...overlay }),
  ),
  hostTool(
    "ui_confirm",
    "Ask the user a yes/no question.",
    z.object({ title: confirmShape.shape.title, message: confirmShape.shape.message, ...overlay }),
  ),
  hostTool(
    "ui_input",
    "Ask the user for one line of text.",
    z.object({ title: inputShape.shape.title, placeholder: inputShape.shape.placeholder, ...overlay }),
  ),
  hostTool(
    "ui_editor",
    "Let the user write or edit a longer text.",
    z.object({ title: editorShape.shape.title, prefill: editorShape.shape.prefill, ...overlay }),
  ),
  hostTool(
    "ui_notify",
    "Show the user a short notice.",
    z.object({ message: z.string(), type: notifyType, notify_type: notifyType.describe("Same as type.") }),
  ),
  hostTool(
    "ui_status",
    "Set a short status field under a key; null removes it.",
    z.object({ key: z.string().min(1), text: z.string().nullable() }),
  ),
  hostTool(
    "ui_widget",
    "Show a small block of lines beside the input under a key; null removes it.",
    z.object({
      key: z.string().min(1),
      content: z.union([z.string(), z.array(z.string()), z.null()]),
      opts: z.record(z.string(), z.json()).optional(),
    }),
  ),
  hostTool(
    "ui_working",
    "Set the text that says what you are doing; null removes it.",
    z.object({ message: z.string().nullable() }),
  ),
  hostTool("ui_set_title", "Set the title of the user's window.", z.object({ title: z.string() })),
  hostTool(
    "ui_set_editor_text",
    "Put a text into the user's input for editing and sending.",
    z.object({ text: z.string() }),
  ),
] as const;

export type HostToolName = (typeof hostTools)[number]["name"];

export interface HostToolSchema {
  readonly name: HostToolName;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
}

/** Tool definitions in the form that agents expect. */
export function hostToolSchemas(): HostToolSchema[] {
  return hostTools.map(({ name, description, args }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(args, { target: "draft-2020-12", io: "input" }) as Record<string, unknown>,
  }));
}

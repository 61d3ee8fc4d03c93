/** Tools that the table runs for the member, and the one that ends its task. */
import * as z from "zod";
import { hostToolSchemas, type HostToolName, type Json } from "../../../protocol/index.ts";
import { defineTool, NO_SUBJECT, ToolError, type Tool } from "./tool.ts";

/** They wait for people and for other members; the session has its own limit for each. */
const HOST_MS_MAX = 3_600_000;

/** All that sessions of this version run, or of those the ones that are named. */
export function createHostTools(names?: readonly HostToolName[]): Tool[] {
  return hostToolSchemas()
    .filter((schema) => names === undefined || names.includes(schema.name))
    .map(({ name, description, inputSchema }) => hostTool(name, description, inputSchema));
}

function hostTool(name: HostToolName, description: string, inputSchema: Record<string, unknown>): Tool {
  const { $schema: _dialect, ...parameters } = inputSchema;
  return {
    name,
    description,
    parameters,
    kind: name.startsWith("agents_") ? "agent" : name === "user_question" || name.startsWith("ui_") ? "ask" : "other",
    gate: "free",
    isParallel: false,
    deadlineMs: HOST_MS_MAX,
    // The session checks the arguments; what is wrong with them comes back as the answer.
    read: (args) => ({
      ok: true,
      call: {
        args,
        title: name,
        plan: ({ turn }) =>
          Promise.resolve({
            subject: NO_SUBJECT,
            run: async () => ({ text: await answerOf(turn.hostCall(name, args)) }),
          }),
      },
    }),
  };
}

async function answerOf(answered: Promise<{ result: Json; error: string | null }>): Promise<string> {
  const { result, error } = await answered;
  if (error !== null) throw new ToolError("tool_error", error);
  return typeof result === "string" ? result : JSON.stringify(result);
}

export const finishTool = defineTool({
  name: "finalize_task",
  description: "Ends your turn with a summary of what was done. Call it once, when the task is complete.",
  args: z.object({ summary: z.string().min(1).max(20_000) }),
  kind: "other",
  gate: "free",
  deadlineMs: 1_000,
  title: () => "Finish the task",
  plan: ({ summary }, { turn, finish }) => ({
    subject: NO_SUBJECT,
    run: () => {
      turn.show({ type: "finalize_task", summary });
      finish();
      return Promise.resolve({ text: "The task is finished." });
    },
  }),
});

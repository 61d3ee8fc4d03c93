/**
 * What keeps a read-only session from being written to. The user's settings, and the project's, may allow a tool for
 * good, and then the program asks nobody; its hooks come before that.
 * Promise: nothing that runs or writes is let through because of settings; a command that only reads is left to the
 * program, which lets it run, asks, and is then refused like everything else it asks.
 */
import { asFields, asText, type Fields } from "../record-fields.ts";
import { READ_ONLY_REFUSAL } from "./permissions.ts";
import { isReadingCommand } from "./reading-command.ts";
import { tableTool } from "./tool-blocks.ts";

const WRITES = "read-only";
const RUNS = "read-only-run";

export const READ_ONLY_HOOKS = {
  PreToolUse: [
    { matcher: "Edit|MultiEdit|Write|NotebookEdit", hookCallbackIds: [WRITES] },
    { matcher: "Bash|mcp__.*", hookCallbackIds: [RUNS] },
  ],
};

/** An empty answer leaves the decision to the program. */
export function hookAnswer(request: Fields): Fields {
  if (request["callback_id"] === RUNS && !isRefused(asFields(request["input"]) ?? {})) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: READ_ONLY_REFUSAL,
    },
  };
}

/** The matcher may fit more than the tools it is meant for. */
function isRefused(input: Fields): boolean {
  const tool = asText(input["tool_name"]) ?? "";
  if (tool === "Bash") return !isReadingCommand(asText(asFields(input["tool_input"])?.["command"]) ?? "");
  return tool.startsWith("mcp__") && tableTool(tool) === undefined;
}

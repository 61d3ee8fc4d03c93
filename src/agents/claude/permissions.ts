/**
 * What the program may not do without being allowed: put before the user with the program's own choices of how far a
 * yes reaches, or refused where the session is read-only.
 * Promise: what is allowed is the very input that was shown, and an answer that was not offered is a refusal.
 */
import { createHash } from "node:crypto";
import type { UiRequestBody } from "../../protocol/index.ts";
import { commandCall } from "../approvals/call-fields.ts";
import type { AnswerResult } from "../port.ts";
import { asFields, asRecords, asText, asTexts, type Fields } from "../record-fields.ts";
import { proposedDiff } from "./patch.ts";

type Approval = Extract<UiRequestBody, { method: "approval" }>;

const ALLOW = "allow";
const DENY = "deny";
const SCOPE = /^scope-(\d+)$/;
/** More choices than this nobody reads. */
const SUGGESTIONS_MAX = 6;

export const READ_ONLY_REFUSAL =
  "This session is read-only: nothing may be changed or run here. Answer from what you can read, or say what you would do.";
export const NO_TURN_REFUSAL = "Nobody has asked for this: no turn is running at the table.";

/** The suggestions that can be shown as they are; a refusal that is to last is not offered. */
export function usableSuggestions(request: Fields): Fields[] {
  return asRecords(request["permission_suggestions"])
    .filter((one) => suggestionWords(one) !== undefined)
    .slice(0, SUGGESTIONS_MAX);
}

export function approvalRequest(request: Fields, suggestions: readonly Fields[]): Approval {
  const tool = asText(request["tool_name"]) ?? "unknown";
  const input = asFields(request["input"]) ?? {};
  const call = callText(tool, input);
  const diff = proposedDiff(tool, input);
  const reason = asText(request["decision_reason"]);
  return {
    method: "approval",
    title: titleOf(tool, asText(request["display_name"]) ?? tool, input),
    tool,
    call,
    callHash: createHash("sha256").update(call).digest("hex"),
    ...(diff === undefined ? {} : { diff }),
    options: [
      { label: "Allow once", value: ALLOW },
      ...suggestions.map((one, at) => ({ label: suggestionWords(one) ?? "Allow", value: `scope-${at}` })),
      { label: "Deny", value: DENY },
    ],
    ...(reason === undefined ? {} : { opts: { reason } }),
  };
}

/** What goes back to the program. */
export function permissionAnswer(input: Fields, suggestions: readonly Fields[], answer: AnswerResult): Fields {
  const { result, error } = answer;
  if (error !== null) return deny(UNANSWERED[error] ?? `This could not be put before the user: ${error}.`);
  if (result === ALLOW) return { behavior: "allow", updatedInput: input };
  const chosen = suggestions[Number(SCOPE.exec(asText(result) ?? "")?.[1] ?? -1)];
  if (chosen === undefined) return deny(REFUSED);
  return { behavior: "allow", updatedInput: input, updatedPermissions: [chosen] };
}

export function deny(message: string): Fields {
  return { behavior: "deny", message };
}

const REFUSED = "The user did not allow this. Go on without it, or ask what to do instead.";
const UNANSWERED: Readonly<Record<string, string | undefined>> = {
  expired: "Nobody answered in time, so this is not allowed.",
  cancelled: REFUSED,
};

/** A command that is nothing but its text is shown as that text; everything else is shown whole. */
function callText(tool: string, input: Fields): string {
  const command = asText(input["command"]);
  const others = Object.keys(input).filter((key) => key !== "command" && key !== "description");
  const isCommandOnly = tool === "Bash" && command !== undefined && others.length === 0;
  return isCommandOnly ? commandCall(command) : JSON.stringify(input, null, 2);
}

function titleOf(tool: string, name: string, input: Fields): string {
  const path = asText(input["file_path"]) ?? asText(input["notebook_path"]);
  if (tool === "Bash") return "Run a command";
  if (tool === "ExitPlanMode") return "Leave plan mode and begin";
  return path === undefined ? `Use ${name}` : `${name} ${path}`;
}

const MODES: Readonly<Record<string, string | undefined>> = {
  acceptEdits: "Allow, and accept all edits",
  default: "Allow, and go back to asking",
  plan: "Allow, and only plan",
};

const SCOPES: Readonly<Record<string, string | undefined>> = {
  session: "for this session",
  localSettings: "always, in this project",
  projectSettings: "always, for everyone in this project",
  userSettings: "always, everywhere",
};

function suggestionWords(suggestion: Fields): string | undefined {
  const scope = SCOPES[asText(suggestion["destination"]) ?? ""];
  if (scope === undefined) return undefined;
  switch (suggestion["type"]) {
    case "addRules": {
      const rules = asRecords(suggestion["rules"]).map(ruleWords);
      return suggestion["behavior"] === "allow" && rules.length > 0 ? `Allow ${rules.join(", ")} ${scope}` : undefined;
    }
    case "addDirectories": {
      const directories = asTexts(suggestion["directories"]);
      return directories.length > 0 ? `Allow, with access to ${directories.join(", ")} ${scope}` : undefined;
    }
    case "setMode": {
      const words = MODES[asText(suggestion["mode"]) ?? ""];
      return words === undefined ? undefined : `${words} ${scope}`;
    }
    default:
      return undefined;
  }
}

function ruleWords(rule: Fields): string {
  const content = asText(rule["ruleContent"]);
  const tool = asText(rule["toolName"]) ?? "this tool";
  return content === undefined ? tool : `${tool}(${content})`;
}

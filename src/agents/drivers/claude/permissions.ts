/**
 * Approval of calls: shown to the user, or denied in a read-only session.
 * Guarantee: exactly the input that was shown is allowed, once; the program's wider permissions are neither offered nor
 * granted, and an answer that was not offered is a denial.
 */
import { createHash } from "node:crypto";
import type { UiRequestBody } from "../../../protocol/index.ts";
import { commandCall } from "../../approvals/call-fields.ts";
import type { AnswerResult } from "../../port.ts";
import { fieldsOf, rawTextOf, type Fields } from "../../../kit/fields.ts";
import { proposedDiff } from "./patch.ts";

type Approval = Extract<UiRequestBody, { method: "approval" }>;

const ALLOW = "allow";
const DENY = "deny";

export const READ_ONLY_REFUSAL =
  "This session is read-only: files cannot be changed here. Answer from what you can read, or say what you would do.";
export const NO_TURN_REFUSAL = "No turn is running, so nothing was requested.";

/** `directory`: where the call is made, if not in the session's. */
export function approvalRequest(request: Fields, directory?: string): Approval {
  const tool = rawTextOf(request["tool_name"]) ?? "unknown";
  const input = fieldsOf(request["input"]) ?? {};
  const call = callText(tool, input, directory);
  const diff = proposedDiff(tool, input);
  const reason = rawTextOf(request["decision_reason"]) ?? HOOK_REASON;
  return {
    method: "approval",
    title: titleOf(tool, rawTextOf(request["display_name"]) ?? tool, input),
    tool,
    call,
    callHash: createHash("sha256").update(call).digest("hex"),
    ...(diff === undefined ? {} : { diff }),
    options: [
      { label: "Allow once", value: ALLOW },
      { label: "Deny", value: DENY },
    ],
    ...(reason === HOOK_REASON ? {} : { opts: { reason } }),
  };
}

/** Reason by which our own hook makes the program ask; not shown. */
export const HOOK_REASON = "Roundtable asks about every change.";

/** Answer in the program's format. */
export function permissionAnswer(input: Fields, { result, error, reason = "" }: AnswerResult): Fields {
  if (error === null && result === ALLOW) return { behavior: "allow", updatedInput: input };
  if (reason !== "") return deny(`This was not run. The user wrote: ${reason}`);
  if (error === null) return deny(DENIED);
  return deny(UNANSWERED[error] ?? `This is not allowed: ${error}.`);
}

export function deny(message: string): Fields {
  return { behavior: "deny", message };
}

const DENIED = "The user did not allow this. Go on without it, or ask what to do instead.";
const UNANSWERED: Readonly<Record<string, string | undefined>> = {
  expired: "No answer in time, so this was not allowed.",
  cancelled: DENIED,
};

/** A command with nothing but its text is shown as that text; any other call as a whole. */
export function callText(tool: string, input: Fields, directory?: string): string {
  if (directory !== undefined) return JSON.stringify({ ...input, cwd: directory }, undefined, 2);
  const command = rawTextOf(input["command"]);
  const others = Object.keys(input).filter((key) => key !== "command" && key !== "description");
  const isCommandOnly = tool === "Bash" && command !== undefined && others.length === 0;
  return isCommandOnly ? commandCall(command) : JSON.stringify(input, undefined, 2);
}

function titleOf(tool: string, name: string, input: Fields): string {
  const path = rawTextOf(input["file_path"]) ?? rawTextOf(input["notebook_path"]);
  if (tool === "Bash") return "Run a command";
  return path === undefined ? `Use ${name}` : `${name} ${path}`;
}

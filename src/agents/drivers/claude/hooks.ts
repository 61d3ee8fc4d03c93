/**
 * Our hooks in the program. They run before its settings apply, so no settings can let a call through unasked.
 * Guarantees: every tool call is judged by the user's rules first; what may change something needs approval in a
 * writable session and is denied in a read-only one, whatever the settings allow. An unknown tool may change something.
 */
import { realpathSync } from "node:fs";
import path from "node:path";
import { describeCall } from "../../approvals/describe-call.ts";
import type { Ruling } from "../../approvals/judge-call.ts";
import type { Judge } from "../../approvals/approval-source.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { fieldsOf, rawTextOf, type Fields } from "../../../kit/fields.ts";
import { answerProgram } from "./control.ts";
import { HOOK_REASON, callText, READ_ONLY_REFUSAL } from "./permissions.ts";
import { step, withDenied, type ClaudeState } from "./state.ts";
import { hostToolName } from "./tool-blocks.ts";

export interface HookRules {
  readonly isWritable: boolean;
  readonly cwd: string;
  readonly judge?: Judge | undefined;
}

const CALL = "call";
const PROMPT = "prompt";
const WORKTREE = "worktree";

/**
 * Without a matcher a hook applies to every tool. The hook for prompts proves, before the model is called, that our
 * hooks run at all. The one for worktrees replaces their creation, and creates none.
 */
export const HOOKS = {
  PreToolUse: [{ hookCallbackIds: [CALL] }],
  UserPromptSubmit: [{ hookCallbackIds: [PROMPT] }],
  WorktreeCreate: [{ hookCallbackIds: [WORKTREE] }],
};

/** Tools without direct effects; whatever they lead to is a separate call. */
const CHANGES_NOTHING = new Set(
  (
    "Read NotebookRead Glob Grep LS TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop " +
    "BashOutput KillShell ToolSearch WebFetch WebSearch Task Agent ListAgents SendMessage Skill ReportFindings " +
    "AskUserQuestion EnterPlanMode ExitPlanMode ListMcpResourcesTool ReadMcpResourceTool StructuredOutput"
  ).split(" "),
);

export function handleHook(state: ClaudeState, id: string, request: Fields, rules: HookRules): Step<ClaudeState> {
  switch (request["callback_id"]) {
    case PROMPT:
      return step({ ...state, isHooked: true }, [], [answerProgram(id, {})]);
    case WORKTREE:
      return step(state, [], [answerProgram(id, {})]);
    default: {
      const use = fieldsOf(request["input"]) ?? {};
      const toolId = rawTextOf(use["tool_use_id"]);
      const directory = elsewhere(use, rules.cwd);
      const { decided, why, events = [] } = judgeUse(state, use, rules);
      const next = decided === "deny" ? withDenied(state, toolId) : withDirectory(state, toolId, directory);
      return step(next, events, [answerProgram(id, decided === "left" ? {} : decision(decided, why ?? ""))]);
    }
  }
}

interface Judged {
  /** Left to the program, which treats it as harmless or asks. */
  readonly decided: "left" | "allow" | "ask" | "deny";
  readonly why?: string;
  readonly events?: readonly DialectEvent[];
}

function judgeUse(state: ClaudeState, use: Fields, rules: HookRules): Judged {
  const tool = rawTextOf(use["tool_name"]) ?? "";
  const input = fieldsOf(use["tool_input"]) ?? {};
  if (hostToolName(tool) !== undefined) return { decided: "left" };
  const call = callText(tool, input, elsewhere(use, rules.cwd));
  const ruling = rulingOf(tool, call, rules);
  if (ruling?.verdict === "deny") {
    const reason = ruling.reason === undefined ? "" : `: ${ruling.reason}`;
    const why = `A user rule denies this (${ruling.by})${reason}. Go on without it.`;
    return { decided: "deny", why, events: deniedBy(state, use, `${tool} ${call}`, ruling.by) };
  }
  const isFree = CHANGES_NOTHING.has(tool);
  if (rules.isWritable && (!isFree || ruling?.verdict === "ask")) return { decided: "ask", why: HOOK_REASON };
  if (isFree) return { decided: "left" };
  // The sandbox contains whatever a command does.
  if (tool === "Bash" && state.isSandboxed) return { decided: "allow" };
  return { decided: "deny", why: READ_ONLY_REFUSAL };
}

/** The program's shell can stay in another directory, from which relative names mean other files. */
function elsewhere(use: Fields, cwd: string): string | undefined {
  const directory = rawTextOf(use["cwd"]);
  const isAbout = rawTextOf(use["tool_name"]) === "Bash";
  return directory === undefined || !isAbout || isSameDirectory(directory, cwd) ? undefined : directory;
}

function isSameDirectory(one: string, other: string): boolean {
  try {
    return path.resolve(one) === path.resolve(other) || realpathSync(one) === realpathSync(other);
  } catch {
    // One of them is gone.
    return false;
  }
}

function withDirectory(state: ClaudeState, toolId: string | undefined, directory: string | undefined): ClaudeState {
  if (toolId === undefined || directory === undefined) return state;
  return { ...state, elsewhere: new Map(state.elsewhere).set(toolId, directory) };
}

/** A hook without an answer lets the call through in the end, so nothing may throw here. */
function rulingOf(tool: string, call: string, { judge, cwd }: HookRules): Ruling | undefined {
  try {
    return judge?.(describeCall({ tool, call }, cwd));
  } catch (thrown) {
    return { verdict: "deny", by: `the rules could not be read: ${String(thrown)}` };
  }
}

function decision(permissionDecision: "allow" | "ask" | "deny", permissionDecisionReason: string): Fields {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } };
}

const SHOWN_CALL_CHARS_MAX = 300;

/** Attached to the call where it is shown; calls of subagents are not. */
function deniedBy({ turn }: ClaudeState, use: Fields, call: string, by: string): DialectEvent[] {
  const nativeId = rawTextOf(use["tool_use_id"]) ?? "";
  const detail = `Denied without asking: ${by}`;
  if (turn?.tools.has(nativeId) === true) return [{ type: "tool_call_update", nativeId, detail }];
  const shown = call.length > SHOWN_CALL_CHARS_MAX ? `${call.slice(0, SHOWN_CALL_CHARS_MAX)}…` : call;
  return turn === undefined ? [] : [{ type: "ui_notify", notifyType: "info", message: `${shown}\n${detail}` }];
}

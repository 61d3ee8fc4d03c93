/**
 * Our hooks in the program. They come before everything that its settings say, so that no settings can let a call
 * through unasked.
 * Promises: every call of a tool is judged by the user's rules first; what may change something is asked about in a
 * writable session and denied in a read-only one, whatever the settings allow. A tool that is not known may change
 * something.
 */
import { describeCall } from "../approvals/describe-call.ts";
import type { Ruling } from "../approvals/judge-call.ts";
import type { Judge } from "../approvals/approval-source.ts";
import type { DialectEvent, Step } from "../process/dialect.ts";
import { asFields, asText, type Fields } from "../record-fields.ts";
import { answerProgram } from "./control.ts";
import { ASKED_BY_HOOK, callText, READ_ONLY_REFUSAL } from "./permissions.ts";
import { step, type ClaudeState } from "./state.ts";
import { tableTool } from "./tool-blocks.ts";

export interface HookRules {
  readonly isWritable: boolean;
  readonly cwd: string;
  readonly judge?: Judge | undefined;
}

const CALL = "call";
const PROMPT = "prompt";
const WORKTREE = "worktree";

/**
 * Without a matcher a hook is for every tool. The one for prompts proves, before the model is asked anything, that our
 * hooks are run at all. The one for worktrees takes over their making, and makes none.
 */
export const HOOKS = {
  PreToolUse: [{ hookCallbackIds: [CALL] }],
  UserPromptSubmit: [{ hookCallbackIds: [PROMPT] }],
  WorktreeCreate: [{ hookCallbackIds: [WORKTREE] }],
};

/** These change nothing by themselves, and what they lead to comes by a call of its own. */
const CHANGES_NOTHING = new Set(
  (
    "Read NotebookRead Glob Grep LS TodoWrite TodoRead TaskCreate TaskGet TaskList TaskUpdate TaskOutput TaskStop " +
    "BashOutput KillShell ToolSearch WebFetch WebSearch Task Agent ListAgents SendMessage Skill ReportFindings " +
    "AskUserQuestion EnterPlanMode ExitPlanMode ListMcpResourcesTool ReadMcpResourceTool StructuredOutput"
  ).split(" "),
);

export function takeHook(state: ClaudeState, id: string, request: Fields, rules: HookRules): Step<ClaudeState> {
  switch (request["callback_id"]) {
    case PROMPT:
      return step({ ...state, isHooked: true }, [], [answerProgram(id, {})]);
    case WORKTREE:
      return step(state, [], [answerProgram(id, {})]);
    default: {
      const { answer, events } = judgeUse(state, asFields(request["input"]) ?? {}, rules);
      return step(state, events, [answerProgram(id, answer)]);
    }
  }
}

interface Judged {
  readonly answer: Fields;
  readonly events: readonly DialectEvent[];
}

function judgeUse(state: ClaudeState, use: Fields, rules: HookRules): Judged {
  const tool = asText(use["tool_name"]) ?? "";
  const input = asFields(use["tool_input"]) ?? {};
  // An empty answer leaves it to the program, which knows these as allowed.
  if (tableTool(tool) !== undefined) return { answer: {}, events: [] };
  const call = callText(tool, input);
  const ruling = rulingOf(tool, call, rules);
  if (ruling?.verdict === "deny") {
    const message = `A rule of the user denies this (${ruling.by}). Go on without it.`;
    return { answer: decision("deny", message), events: deniedBy(state, use, `${tool} ${call}`, ruling.by) };
  }
  if (CHANGES_NOTHING.has(tool)) return { answer: leaveOrAsk(ruling?.verdict, rules), events: [] };
  if (rules.isWritable) return { answer: decision("ask", ASKED_BY_HOOK), events: [] };
  // The sandbox around the program holds whatever a command does.
  if (tool === "Bash" && state.isSandboxed) return { answer: decision("allow", ""), events: [] };
  return { answer: decision("deny", READ_ONLY_REFUSAL), events: [] };
}

/** A hook that is left without an answer lets the call through in the end, so nothing may throw here. */
function rulingOf(tool: string, call: string, { judge, cwd }: HookRules): Ruling | null {
  try {
    return judge?.(describeCall({ tool, call }, cwd)) ?? null;
  } catch (thrown) {
    return { verdict: "deny", by: `the rules could not be read: ${String(thrown)}` };
  }
}

function leaveOrAsk(verdict: string | undefined, { isWritable }: HookRules): Fields {
  return verdict === "ask" && isWritable ? decision("ask", ASKED_BY_HOOK) : {};
}

function decision(permissionDecision: "allow" | "ask" | "deny", permissionDecisionReason: string): Fields {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason } };
}

const SHOWN_CALL_CHARS_MAX = 300;

/** On the call itself where it is shown; one of a subagent is not. */
function deniedBy({ turn }: ClaudeState, use: Fields, call: string, by: string): DialectEvent[] {
  const nativeId = asText(use["tool_use_id"]) ?? "";
  const detail = `Denied without asking: ${by}`;
  if (turn?.tools.has(nativeId) === true) return [{ type: "tool_call_update", nativeId, detail }];
  const shown = call.length > SHOWN_CALL_CHARS_MAX ? `${call.slice(0, SHOWN_CALL_CHARS_MAX)}…` : call;
  return turn === null ? [] : [{ type: "ui_notify", notifyType: "info", message: `${shown}\n${detail}` }];
}

/** What Codex has run without asking, though it had to: nobody could stop it, so it is told. Pure. */
import { commandCall } from "../../../approvals/call-fields.ts";
import { recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { WARNINGS_MAX, type CodexState, type CodexStep, type CodexTurn } from "../state.ts";

const SHOWN_CHARS_MAX = 200;

/** Where nothing has to be asked about, as in Codex's own read-only sandbox, only what a rule denies is told. */
export function reportUnapproved(
  state: CodexState,
  { requestedItems }: CodexTurn,
  id: string,
  item: Fields,
): CodexStep {
  const { options, facts, warned } = state;
  const action = describeAction(item);
  if (action === null || requestedItems.has(id) || textOf(item, "status") === "declined") return { state };
  const rule = options.deniedBy?.(action.tool, action.call) ?? null;
  if (rule === null && !facts.hasToAsk) return { state };
  const though = rule === null ? "" : `, though your rule ${rule} denies it`;
  const message = `${options.member} ${action.description} without asking${though}.`;
  if (warned.has(message) || warned.size >= WARNINGS_MAX) return { state };
  const isGuarded = facts.isSandboxed || !facts.hasToAsk;
  return {
    state: { ...state, warned: new Set(warned).add(message) },
    events: [
      { type: "warning", code: "unasked", message },
      ...(isGuarded
        ? []
        : [{ type: "member_guard", guard: "unguarded", detail: `it ${action.description} without asking` } as const]),
    ],
  };
}

function describeAction(item: Fields): { tool: string; call: string; description: string } | null {
  switch (textOf(item, "type")) {
    case "commandExecution": {
      const command = textOf(item, "command") ?? "";
      return { tool: "shell", call: commandCall(command), description: `ran ${clip(command)}` };
    }
    case "fileChange": {
      const changes = recordsOf(item, "changes");
      const paths = changes.map((change) => textOf(change, "path") ?? "").join(", ");
      return { tool: "apply_patch", call: JSON.stringify({ changes }), description: `changed ${clip(paths)}` };
    }
    default:
      return null;
  }
}

function clip(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX - 1).toWellFormed()}…`;
}

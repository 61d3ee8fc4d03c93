/** Kind and detail line of a tool call of another program. */
import type { DraftOf } from "../../../protocol/index.ts";
import { textOf, nonBlankText, type Fields } from "../../../kit/fields.ts";

type ToolKind = NonNullable<DraftOf<"tool_call_start">["kind"]>;

const TITLE_CHARS_MAX = 200;
const TITLE_FIELDS = [
  "command",
  "cmd",
  "file_path",
  "notebook_path",
  "pattern",
  "query",
  "url",
  "description",
  "path",
  "to",
  "goal",
];

const KINDS: Readonly<Record<ToolKind, readonly string[]>> = {
  read: ["read", "notebookread", "webfetch", "view_image", "read_file", "fetch"],
  search: ["grep", "glob", "find", "ls", "websearch", "web_search", "toolsearch", "tool_search", "list_dir"],
  edit: ["edit", "multiedit", "write", "notebookedit", "apply_patch", "write_file", "edit_file"],
  execute: [
    "bash",
    "shell",
    "local_shell",
    "exec_command",
    "shell_command",
    "exec",
    "powershell",
    "codemode",
    "command",
  ],
  ask: ["askuserquestion", "user_question", "request_user_input", "ui_select", "ui_confirm", "ui_input", "ui_editor"],
  agent: ["task", "agent", "sendmessage", "agents_message", "agents_list", "spawn_agent", "send_message", "wait_agent"],
  other: [],
};

const kindByName: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind] as const)),
);

export function toolKind(name: string): ToolKind {
  return kindByName.get(name.toLowerCase()) ?? "other";
}

export function toolTitle(args: Fields): string | undefined {
  for (const key of TITLE_FIELDS) {
    const value = args[key];
    const text = Array.isArray(value) ? value.map((one) => textOf(one) ?? "").join(" ") : value;
    const title = nonBlankText(text)?.split("\n", 1)[0];
    if (title !== undefined)
      return title.length <= TITLE_CHARS_MAX ? title : `${title.slice(0, TITLE_CHARS_MAX).toWellFormed()}…`;
  }
  return undefined;
}

/** Names of the agents' tools by what they do; compared in lower case. */

export const SHELLS: ReadonlySet<string> = new Set([
  "shell",
  "bash",
  "powershell",
  "execute",
  "terminal",
  "run_shell_command",
  "run_terminal_cmd",
  "exec_command",
]);

export const EDITORS: ReadonlySet<string> = new Set([
  "edit",
  "write",
  "multiedit",
  "notebookedit",
  "apply_patch",
  "replace",
  "write_file",
  "edit_file",
  "delete",
  "move",
]);

/** Tools that do more to a path than change the file's content, or affect a second path. */
export const MORE_THAN_EDITORS: ReadonlySet<string> = new Set(["delete", "move"]);

/** Arguments beside a command that do not change its effect. */
export const BESIDE_COMMAND: ReadonlySet<string> = new Set([
  "command",
  "description",
  "timeout",
  "timeout_seconds",
  "timeoutSeconds",
]);

/** Arguments of a file change that hold its text; shown as a diff. */
export const EDIT_TEXT_KEYS: readonly string[] = [
  "content",
  "file_text",
  "new_source",
  "old_string",
  "new_string",
  "oldString",
  "newString",
  "oldText",
  "newText",
  "old_str",
  "new_str",
  "old_text",
  "new_text",
];

/** Arguments of a file change beside its path: texts, positions in the file, descriptions. */
export const BESIDE_PATH: ReadonlySet<string> = new Set([
  ...EDIT_TEXT_KEYS,
  "title",
  "description",
  "instruction",
  "explanation",
  "reason",
  "contents",
  "cell_id",
  "cell_type",
  "edit_mode",
  "replace_all",
  "replaceAll",
  "expected_replacements",
  "allow_multiple",
  "insert_line",
  "insert_text",
  "line",
  "diff",
]);

/** Argument names under which agents pass a file path. */
export const PATH_KEYS: readonly string[] = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "notebook_path",
  "absolute_path",
  "target_file",
];

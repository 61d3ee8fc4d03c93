/** The tools of the agents we drive, by what they do; compared in lower case. */

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

/** They do more to a path than to change what is in the file, or do it to a second one. */
export const MORE_THAN_EDITORS: ReadonlySet<string> = new Set(["delete", "move"]);

/** Beside a command these change nothing of what it does. */
export const BESIDE_COMMAND: ReadonlySet<string> = new Set([
  "command",
  "description",
  "timeout",
  "timeout_seconds",
  "timeoutSeconds",
]);

/** What a change of a file is made of, beside its path: texts, places in the file, and words about it. */
export const BESIDE_PATH: ReadonlySet<string> = new Set([
  "title",
  "description",
  "instruction",
  "explanation",
  "reason",
  "content",
  "contents",
  "file_text",
  "new_source",
  "cell_id",
  "cell_type",
  "edit_mode",
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
  "replace_all",
  "replaceAll",
  "expected_replacements",
  "allow_multiple",
  "insert_line",
  "insert_text",
  "line",
  "diff",
]);

/** By these names agents give a tool the path of a file. */
export const PATH_KEYS: readonly string[] = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "notebook_path",
  "absolute_path",
  "target_file",
];

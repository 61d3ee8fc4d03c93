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

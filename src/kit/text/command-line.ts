/**
 * Tells commands from messages. `/word` without another slash is a command, so a path or `// comment` is a message, as
 * is anything after a leading space. `!…` runs in the user's shell, except `!!`, `!=`, `!?` and Markdown images (`![`).
 */
export type CommandLine =
  | { readonly kind: "message" }
  | { readonly kind: "command"; readonly name: string; readonly args: string };

const COMMAND = /^\/([A-Za-z][^\s/]*)(?:\s+([\s\S]*))?$/;
const SHELL = /^!\s*([^\s!=?[][\s\S]*)$/;

export function parseCommandLine(text: string): CommandLine {
  const [, shell] = SHELL.exec(text) ?? [];
  if (shell !== undefined) return { kind: "command", name: "shell", args: shell.trimEnd() };
  const [, name, args = ""] = COMMAND.exec(text) ?? [];
  return name === undefined ? { kind: "message" } : { kind: "command", name, args: args.trimEnd() };
}

/** Escapes a text that looks like a command, so that text from others cannot put a command into a draft. */
export function asMessage(text: string): string {
  return parseCommandLine(text).kind === "message" ? text : ` ${text}`;
}

export function firstWord(args: string): { readonly word: string; readonly rest: string } {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  return { word, rest: rest.trimEnd() };
}

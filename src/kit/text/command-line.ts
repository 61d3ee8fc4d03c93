/**
 * What is a command and what is a message. Only a slash and a word without another slash is a command, so a path or
 * `// a comment` is said and not run; so is what a space stands before. `!` and what follows is for the user's shell,
 * except where people write it otherwise: `!!`, `!=`, `!?` and the image of Markdown.
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

/** A text that is meant as a message, though it may look like a command: others must not put commands into a draft. */
export function asMessage(text: string): string {
  return parseCommandLine(text).kind === "message" ? text : ` ${text}`;
}

/** The first word and what follows it. */
export function firstWord(args: string): { readonly word: string; readonly rest: string } {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  return { word, rest: rest.trimEnd() };
}

/**
 * Whether a command is one simple command, whatever shell reads it.
 * Promise: true only for a program and its words: nothing in it starts a second command, puts something in its place,
 * sends its output elsewhere, expands to names of files, or sets a variable for it.
 */

/** An allow list, because every shell has more syntax than anybody remembers. */
const PLAIN = /^[\p{L}\p{M}\p{N} _./:=@%+,"'-]+$/u;
const ASSIGNMENT = /^ *[\p{L}_][\p{L}\p{N}_]*\+?=/u;
/** What separates or wraps the commands in a line. */
const SEPARATORS = /[;&|\n\r(){}`]|\$\(/;
const PIECES_MAX = 1_000;

export function isSimpleCommand(command: string): boolean {
  return PLAIN.test(command) && !ASSIGNMENT.test(command) && hasClosedQuotes(command);
}

/** The commands that a line may be made of, for rules that refuse: rather one too many than one too few. */
export function piecesOf(command: string): string[] {
  const pieces = command.split(SEPARATORS, PIECES_MAX).map((piece) => piece.trim());
  return [...new Set([command, ...pieces.filter((piece) => piece !== "")])];
}

function hasClosedQuotes(command: string): boolean {
  let open = "";
  for (const character of command) {
    if (open === "" && (character === '"' || character === "'")) open = character;
    else if (character === open) open = "";
  }
  return open === "";
}

const WRAPPED = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh) -l?c (?:'([^']*)'|"([^"$`\\!]*)"|([\w./:=@%+,-]+))$/;

/** The command inside `bash -lc '…'`, as some agents write every command; any other as it is. */
export function unwrapCommand(command: string): string {
  const found = WRAPPED.exec(command);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? command;
}

/** Calls the user back to a window that is not looked at: the way of the terminal where it is known, else the bell. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";

const TEXT_CHARS_MAX = 120;

/** Bytes for the terminal. The text can hold no control character, so it cannot end the sequence early. */
export function notification(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const message = terminalSafeLine(text).replaceAll(";", ",").slice(0, TEXT_CHARS_MAX);
  const bell = "\u0007";
  const program = env["TERM_PROGRAM"] ?? "";
  if (env["TMUX"] !== undefined || env["STY"] !== undefined) return bell;
  if (env["KITTY_WINDOW_ID"] !== undefined) return `\u001b]99;;${message}\u001b\\`;
  if (["iTerm.app", "WezTerm", "ghostty"].includes(program)) return `\u001b]9;${message}${bell}`;
  if ((env["TERM"] ?? "").startsWith("foot") || (env["TERM"] ?? "").startsWith("rxvt")) {
    return `\u001b]777;notify;Roundtable;${message}\u001b\\`;
  }
  return bell;
}

/** Copies text to a clipboard, else offers it to the terminal with OSC 52, which may ignore it. */
import type { Terminal } from "@earendil-works/pi-tui";
import type { ScreenOptions } from "../options.ts";

/** True when the text is known to be in a clipboard. */
export async function copyToClipboard(
  text: string,
  { copyText }: Pick<ScreenOptions, "copyText">,
  terminal: Pick<Terminal, "write">,
): Promise<boolean> {
  if (await copyText(text)) return true;
  terminal.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  return false;
}

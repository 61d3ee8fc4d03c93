/** Text on its way out of the app: into a clipboard, else offered to the terminal, which may take it or not. */
import type { Terminal } from "@earendil-works/pi-tui";
import type { ScreenOptions } from "../options.ts";

/** True when it is known to have landed in a clipboard. */
export async function copyToClipboard(
  text: string,
  { copyText }: Pick<ScreenOptions, "copyText">,
  terminal: Pick<Terminal, "write">,
): Promise<boolean> {
  if (await copyText(text)) return true;
  terminal.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  return false;
}

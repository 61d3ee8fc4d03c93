/** The draft in the user's own editor: what is written out, and how it is taken back. Running it is the caller's. */
import type { Prompt } from "./prompt.ts";

/** `run` resolves with the text as saved, undefined when the user left without saving. Errors of `run` change nothing. */
export async function editExternally(
  prompt: Prompt,
  run: (text: string) => Promise<string | undefined>,
): Promise<void> {
  const before = prompt.text;
  const edited = await run(before);
  if (edited === undefined) return;
  const text = asWritten(edited, before);
  // Somebody put another text into the box meanwhile: it goes into the history.
  if (prompt.text === before) prompt.replaceText(text);
  else prompt.setText(text);
}

/** Editors end a file with a newline that the user did not write. */
function asWritten(edited: string, before: string): string {
  const text = edited.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  return text.endsWith("\n") && !before.endsWith("\n") ? text.slice(0, -1) : text;
}

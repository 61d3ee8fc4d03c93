/** The files that go with the next message, over the box: visible, so nobody sends one without meaning to. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { formatBytes } from "../../panels/format.ts";
import type { Theme } from "../../theme/theme.ts";
import type { ChosenFile } from "../session/attached-files.ts";

export function attachedRows(files: readonly ChosenFile[], theme: Theme): string[] {
  if (files.length === 0) return [];
  const names = files.map(formatFile).join(", ");
  return [
    ` ${theme.paint("accent", `+ ${names}`)}${theme.paint("dim", " · with your next message · /attach none drops it")}`,
  ];
}

/** "notes.md (2 KB)". */
export function formatFile({ name, mime, bytes }: ChosenFile): string {
  const what = mime.startsWith("image/") ? "image, " : "";
  return `${terminalSafeLine(name)} (${what}${formatBytes(bytes)})`;
}

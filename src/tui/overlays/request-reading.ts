/** What a request asks, to be read before it is answered. */
import { terminalSafeLine } from "../../kit/terminal-safe.ts";
import type { UiRequestBody } from "../../protocol/index.ts";
import type { Theme } from "../theme/theme.ts";
import { countHidden, diffRows, exactRows, proseRows } from "./reading-rows.ts";

/** Where there is no room for all of it, what would run comes first: that is what must not be missed. */
export function requestReading(
  request: UiRequestBody,
  { width, theme, isCramped = false }: { width: number; theme: Theme; isCramped?: boolean },
): string[] {
  const title = proseRows(request.title, width, (row) => theme.paint("strong", row));
  switch (request.method) {
    case "confirm":
      return [...title, ...proseRows(request.message, width)];
    case "approval":
      return isCramped
        ? [...callRows(request, width, theme), ...title, ...changeRows(request, width, theme)]
        : [...title, ...callRows(request, width, theme), ...changeRows(request, width, theme)];
    default:
      return title;
  }
}

type Approval = Extract<UiRequestBody, { method: "approval" }>;

function callRows({ tool, call }: Approval, width: number, theme: Theme): string[] {
  const hidden = countHidden(call);
  return [
    theme.paint("heading", terminalSafeLine(tool)),
    ...(hidden === 0 ? [] : proseRows(hiddenWarning(hidden), width, (row) => theme.paint("warn", row))),
    ...exactRows(call, width, theme),
  ];
}

function changeRows({ diff = "" }: Approval, width: number, theme: Theme): string[] {
  return diff === "" ? [] : [theme.paint("heading", "Changes"), ...diffRows(diff, width, theme)];
}

function hiddenWarning(count: number): string {
  return `! It holds ${count} hidden ${count === 1 ? "character" : "characters"}, shown as ⟨U+…⟩.`;
}

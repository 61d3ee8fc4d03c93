/** The description of a request, to be read before it is answered. */
import { fieldText, type DescribedRequest } from "../../../transcript/index.ts";
import type { Theme } from "../../theme/theme.ts";
import { countHidden, diffRows, exactRows, proseRows } from "../reading-rows.ts";

/** Text begins where the choices do. */
const INDENT = "  ";

/** The effect comes first, which remains visible in a low window; the agent's own explanation follows. */
export function requestReading(
  request: DescribedRequest,
  { width, theme, hasDetails = false }: { width: number; theme: Theme; hasDetails?: boolean },
): string[] {
  const { kind, command, title = "", reason, message = "", fields, diff } = request;
  const prose = (text: string, style: (row: string) => string) =>
    proseRows(text, Math.max(1, width - INDENT.length), style).map((row) => INDENT + row);
  if (kind === "question")
    return [
      ...prose(title, (row) => theme.decorate("bold", row)),
      ...prose(message, (row) => theme.paint("quiet", row)),
    ];
  const directory = command?.directory === undefined ? "" : `in ${command.directory}`;
  return [
    ...hiddenRows(request, width, theme),
    ...exactRows(request.what, width, theme, kind === "command" ? "code" : "you"),
    ...(directory === "" ? [] : exactRows(directory, width, theme, "quiet")),
    ...fields.flatMap((field) => exactRows(fieldText(field), width, theme)),
    ...prose(title, (row) => theme.paint("quiet", row)),
    ...(diff === undefined ? [] : diffRows(diff.text, width, theme)),
    ...(reason === undefined ? [] : prose(`“${reason}”`, (row) => theme.paint("quiet", row))),
    ...(hasDetails ? request.details.flatMap((field) => exactRows(fieldText(field), width, theme, "quiet")) : []),
  ];
}

function hiddenRows({ what, command, fields }: DescribedRequest, width: number, theme: Theme): string[] {
  const texts = [what, command?.directory ?? "", ...fields.map(fieldText)];
  const count = texts.reduce((sum, text) => sum + countHidden(text), 0);
  const warning = `! It holds ${count} hidden ${count === 1 ? "character" : "characters"}, shown as ⟨U+…⟩.`;
  return count === 0 ? [] : proseRows(warning, width, (row) => theme.paint("ask", row));
}

/** The whole session as a file, in a form for people or for programs. */
import { completeKeywords } from "../arguments.ts";
import { UsageError, type ScreenCommand } from "../command.ts";

const FORMATS = {
  markdown: "to read and to edit",
  html: "one file for any browser",
  jsonl: "every event; roundtable import reads it",
} as const;

export const exportCommand: ScreenCommand = {
  name: "export",
  usage: "/export [FORMAT] [FILE]",
  summary: "writes the whole session as markdown, html or jsonl; --redact takes secrets out",
  group: "session",
  complete: (_screen, prefix) => completeKeywords(FORMATS, prefix),
  async run(screen, args) {
    const { sessionId } = screen;
    if (sessionId === undefined) throw new UsageError("There is no session yet; it begins with the first message.");
    if (screen.exportSession === undefined) throw new UsageError("Sessions cannot be exported from here.");
    const { format, file, redact } = parse(args);
    const { where, remarks } = await screen.exportSession(sessionId, {
      format,
      redact,
      ...(file === "" ? {} : { file }),
    });
    screen.notify([`Exported to ${where}.`, ...remarks].join(" "), "good");
  },
};

function parse(args: string): { format: keyof typeof FORMATS; file: string; redact: boolean } {
  const redact = /(?:^|\s)--redact(?=\s|$)/.test(args);
  const rest = args.replace(/(?:^|\s)--redact(?=\s|$)/, " ").trim();
  const [first = ""] = rest.split(/\s/, 1);
  const named = Object.keys(FORMATS).find((name) => name === first || (name === "markdown" && first === "md"));
  const file = named === undefined ? rest : rest.slice(first.length).trim();
  return { format: (named ?? formatOf(file)) as keyof typeof FORMATS, file, redact };
}

function formatOf(file: string): keyof typeof FORMATS {
  if (/\.html?$/i.test(file)) return "html";
  return /\.jsonl$/i.test(file) ? "jsonl" : "markdown";
}

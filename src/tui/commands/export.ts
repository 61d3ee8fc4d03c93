/** /export and /save: the session as a file. */
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import { authorOf, isKnownEvent, type SeenAs } from "../../protocol/index.ts";
import {
  type Block,
  describeTurn,
  eventLine,
  membersInOrder,
  parentTurn,
  type ShownMessage,
  type Transcript,
  type TurnDescription,
  type TurnMessage,
  turnText,
  type UserMessage,
} from "../../transcript/index.ts";
import { completeKeywords, countAbsent, shownMessages, shownTranscript } from "./arguments.ts";
import { type ScreenCommand, UnavailableError } from "./command.ts";
import { plural } from "../../kit/text/format.ts";

const NAME_CHARS_MAX = 60;

export const save: ScreenCommand = {
  name: "save",
  usage: "/save [FILE]",
  summary: "Save the conversation as Markdown",
  group: "session",
  async run(screen, args) {
    const before = shownTranscript(screen);
    const transcript = (await screen.loadAll()) ?? before;
    const name = args === "" ? fileName(transcript.head.title, transcript.head.sessionId) : args;
    const where = await screen.saveFile(name, conversationMarkdown(transcript, screen.seenAs));
    const absent = countAbsent(transcript);
    screen.notify(
      absent === 0
        ? `Saved to ${where}.`
        : `Saved to ${where}, without ${plural(absent, "older message")} that could not be loaded.`,
      absent === 0 ? "ok" : "ask",
    );
  },
};

const FORMATS = {
  markdown: "for reading and editing",
  html: "one file that opens in any browser",
  jsonl: "every event; roundtable import reads it",
} as const;

export const exportCommand: ScreenCommand = {
  name: "export",
  usage: "/export [FORMAT] [FILE]",
  summary: "Export as Markdown, HTML or JSONL",
  group: "session",
  complete: (_screen, prefix) => completeKeywords(FORMATS, prefix),
  async run(screen, args) {
    const { sessionId } = screen;
    if (sessionId === undefined) throw new UnavailableError("Send a message first to start a session.");
    if (screen.exportSession === undefined) throw new UnavailableError("Sessions cannot be exported from here.");
    const { format, file, redact } = parse(args);
    const { where, remarks } = await screen.exportSession(sessionId, {
      format,
      redact,
      ...(file === "" ? {} : { file }),
    });
    screen.notify([`Exported to ${where}.`, ...remarks].join(" "), "ok");
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

function fileName(title: string, sessionId: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, NAME_CHARS_MAX);
  return `${slug === "" ? sessionId.toLowerCase() : slug}.md`;
}

/**
 * The session as Markdown, from loaded pages; says so when older ones are missing. Control characters are escaped,
 * since such a file may be read in a terminal.
 */
export function conversationMarkdown(transcript: Transcript, seenAs?: SeenAs): string {
  const { head } = transcript;
  const absent = countAbsent(transcript);
  const sections = [
    `# ${oneLine(head.title === "" ? "Session" : head.title)}`,
    [
      `- Session: ${head.sessionId}`,
      `- Directory: ${oneLine(head.cwd)}`,
      `- Members: ${membersInOrder(head)
        .map((member) => member.name)
        .join(", ")}`,
      `- Began: ${timeOf(head.createdTs)}`,
    ].join("\n"),
    ...(absent === 0 ? [] : [`> ${plural(absent, "older message")} not loaded, and so missing here.`]),
    ...(head.clearedSeq === 0 ? [] : ["> The session was reset; what was said before is not part of this text."]),
    ...shownMessages(transcript).map((message) => messageMarkdown(message, transcript, seenAs)),
  ];
  // Per section: most need no change, and one that does must not cost a pass over all.
  return `${sections.map((part) => terminalSafe(part)).join("\n\n")}\n`;
}

function messageMarkdown(message: ShownMessage, transcript: Transcript, seenAs: SeenAs | undefined): string {
  if (message.kind === "user") return userMarkdown(message, seenAs);
  if (message.kind === "turn") return turnMarkdown(message, transcript);
  const { event } = message;
  // Minutes are Markdown of their own and do not fit in one line.
  if (isKnownEvent(event) && event.type === "minutes") {
    return [`## Minutes, ${event.by === undefined ? "assembled" : `by ${event.by}`}`, event.text].join("\n\n");
  }
  return `> ${oneLine(eventLine(event))}`;
}

function userMarkdown(message: UserMessage, seenAs: SeenAs | undefined): string {
  const { ts, text, textBlob, to, toAll, attachments, clientId } = message;
  const who = authorOf(clientId, seenAs) ?? "You";
  const whom = toAll ? "" : ` → ${to.join(", ")}`;
  const cut = textBlob === undefined ? [] : [`> The text is cut here; the whole message has ${textBlob.bytes} bytes.`];
  const files = attachments.map(({ name, mime }) => `- attached: ${oneLine(name)} (${mime})`);
  return [`## ${oneLine(who)}${whom} · ${timeOf(ts)}`, text, ...cut, ...listed(files)].join("\n\n");
}

function turnMarkdown(turn: TurnMessage, transcript: Transcript): string {
  const model = turn.model === undefined ? "" : ` (${oneLine(turn.model)})`;
  const { origin, end } = describeTurn(turn, parentTurn(turn, transcript));
  const facts = origin.map((fact) => `, ${oneLine(fact)}`).join("");
  const heading = `## ${turn.member}${model}${facts} · ${timeOf(turn.ts)}`;
  const text = turnText(turn);
  return [
    heading,
    ...listed(turn.blocks.flatMap(blockLine)),
    ...(text === "" ? [] : [text]),
    ...ending(turn, end),
  ].join("\n\n");
}

/** One line per tool call; text and thinking are not repeated. */
function blockLine(block: Block): string[] {
  switch (block.kind) {
    case "tool":
      return [`- tool ${oneLine(block.title ?? block.name)}: ${block.state}`];
    case "request":
      return [`- asked: ${oneLine(block.request.title)} (${block.state.replaceAll("_", " ")})`];
    case "exchange":
      return [
        `- to ${block.to}: ${oneLine(block.text)}`,
        ...(block.answer === undefined ? [] : [`- ${block.to} answered: ${oneLine(block.answer.text)}`]),
      ];
    case "subagent":
      return [`- subagent ${oneLine(block.name)}: ${oneLine(block.task)} (${block.outcome ?? "running"})`];
    case "plan":
      return block.items.map((item) => `- [${item.status === "completed" ? "x" : " "}] ${oneLine(item.text)}`);
    case "changes":
      return block.files.map((file) => `- ${file.status} ${oneLine(file.path)}`);
    case "finished":
      return [`- finished: ${oneLine(block.summary)}`];
    case "event":
      return [`- ${oneLine(eventLine(block.event))}`];
    default:
      return [];
  }
}

function ending(turn: TurnMessage, end: TurnDescription["end"]): string[] {
  if (turn.end === undefined) return ["> Still running."];
  return end === undefined ? [] : [`> ${end.label}${end.why === "" ? "" : `: ${oneLine(end.why)}`}`];
}

function listed(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function timeOf(ts: number): string {
  return new Date(ts).toISOString().replace("T", " ").slice(0, 16);
}

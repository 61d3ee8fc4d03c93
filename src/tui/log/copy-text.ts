/** A message as written, for the clipboard. */
import {
  codesBefore,
  eventLine,
  formatSize,
  messageAt,
  type ShownMessage,
  type Transcript,
} from "../../transcript/index.ts";

/** The Markdown source of all text blocks; a notice is copied as its line. */
export function copyText(message: ShownMessage): string {
  if (message.kind === "user") return message.text;
  if (message.kind === "notice") return eventLine(message.event);
  return message.blocks
    .filter((block) => block.kind === "text")
    .map((block) => block.text)
    .join("\n\n");
}

/** Limit of text that a terminal may accept by OSC 52, in base64: xterm's, which others copied. */
const CLIPBOARD_CHARS_MAX = 100_000;

/** After a copy that only the terminal can have taken. */
export function clipboardAdvice(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  if (Math.ceil(bytes / 3) * 4 <= CLIPBOARD_CHARS_MAX) return "If your terminal blocks clipboard access, use /save.";
  const most = formatSize(Math.floor(CLIPBOARD_CHARS_MAX / 4) * 3);
  return `Many terminals take at most ${most}, and this is ${formatSize(bytes)}; if nothing arrives, use /save.`;
}

/** Contents of its fenced code blocks in order; an open block ends with the text. */
export function codeBlocks(message: ShownMessage): string[] {
  const blocks: string[] = [];
  let open: { fence: string; indent: number; lines: string[] } | undefined;
  for (const line of copyText(message).split("\n")) {
    const [, spaces = "", fence = "", rest = ""] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      const isFence = fence !== "" && !(fence.startsWith("`") && rest.includes("`"));
      if (isFence) open = { fence, indent: spaces.length, lines: [] };
    } else if (fence.startsWith(open.fence) && rest.trim() === "") {
      blocks.push(open.lines.join("\n"));
      open = undefined;
    } else {
      open.lines.push(withoutIndent(line, open.indent));
    }
  }
  if (open !== undefined) blocks.push(open.lines.join("\n"));
  return blocks;
}

/** The code block with the number it has on the screen, where all answers to a message are numbered together. */
export function codeByNumber(transcript: Transcript, message: ShownMessage, number: number): string | undefined {
  if (message.kind !== "turn") return codeBlocks(message)[number - 1];
  const from = transcript.head.latestUser?.position ?? 0;
  for (let position = Math.min(from, message.position); position < transcript.head.messageCount; position += 1) {
    const turn = messageAt(transcript, position);
    if (turn?.kind !== "turn" || turn.depth > 0 || turn.rootMessageId !== message.rootMessageId) continue;
    const block = codeBlocks(turn)[number - 1 - codesBefore(transcript, turn)];
    if (block !== undefined) return block;
  }
  return undefined;
}

/** Also inside lists, where fences are indented. */
const FENCE = /^(\s*)(`{3,}|~{3,})(.*)$/;

function withoutIndent(line: string, indent: number): string {
  let cut = 0;
  while (cut < indent && line[cut] === " ") cut += 1;
  return line.slice(cut);
}

/**
 * A session as one Markdown document, in parts, so that a long one needs little memory. Control characters are made
 * harmless: such a file is also read with a terminal.
 */
import { terminalSafe } from "../../../src/kit/text/terminal-safe.ts";
import { keyedBlocks, type TurnMessage, type UserMessage } from "../../../src/transcript/index.ts";
import { type FlowItem, type TurnNode } from "../../../src/host/index.ts";
import {
  formatEnding,
  sessionFacts,
  steeredBy,
  timeOf,
  titleOf,
  turnFacts,
  writerOf,
  type ReadableSession,
} from "../readable/format-session.ts";
import { blockMarkdown, noticeMarkdown } from "./blocks.ts";
import { coded, contained, plainLine, quoted } from "./safe-markdown.ts";

export interface MarkdownWriter {
  begin(): string;
  /** One item of the flow. A text that is too long for an event must be whole in the message. */
  item(item: FlowItem): string;
  end(): string;
}

export function createMarkdownWriter(session: ReadableSession): MarkdownWriter {
  const pinned = new Set(session.head.pinned);

  function user(message: UserMessage): string {
    const { text, to, toAll, attachments, messageId, ts } = message;
    const whom = toAll || to.length === 0 ? "" : ` → ${to.map(plainLine).join(", ")}`;
    const files = attachments.map(
      ({ name, mime, blob }) => `- attached: ${coded(name)} (${plainLine(mime)}, ${blob.bytes} bytes)`,
    );
    const head = `## ${plainLine(writerOf(message, session))}${whom}${mark(messageId)} · ${timeOf(ts)}`;
    return [head, contained(text), ...(files.length === 0 ? [] : [files.join("\n")])].join("\n\n");
  }

  function mark(id: string): string {
    return pinned.has(id) ? " · ★ pinned" : "";
  }

  function turnMarkdown({ turn, children, userMessages }: TurnNode, parent?: TurnMessage): string {
    const level = parent === undefined ? "##" : "###";
    const facts = turnFacts(turn, parent).map(plainLine).join(" · ");
    const head = `${level} ${plainLine(turn.member)}${mark(turn.turnId)} · ${facts}`;
    const blocks = keyedBlocks(turn.blocks).flatMap(({ block }) =>
      blockMarkdown(block, { steeredBy: (id) => steeredBy(userMessages.get(id), session) }),
    );
    const ending = formatEnding(turn);
    const inner = children.map((child) => quoted(turnMarkdown(child, turn)));
    return [head, ...blocks, ...inner, ...(ending === undefined ? [] : [quoted(`*${plainLine(ending)}*`)])].join(
      "\n\n",
    );
  }

  return {
    begin() {
      const facts = sessionFacts(session).map(([name, value]) => `- ${name}: ${plainLine(value)}`);
      const remarks = session.remarks.map((remark) => quoted(plainLine(remark)));
      return part([`# ${plainLine(titleOf(session.head))}`, facts.join("\n"), ...remarks].join("\n\n"));
    },
    item(item) {
      if (item.kind === "user") return part(user(item.message));
      return part(item.kind === "turn" ? turnMarkdown(item) : noticeMarkdown(item.event));
    },
    end: () => "",
  };
}

function part(markdown: string): string {
  return `${terminalSafe(markdown)}\n\n`;
}

/**
 * A session as one self-contained HTML file: no script, no fetch, style and pictures inside. Written in chunks,
 * so that a long one needs little memory. Its content security policy is a second wall behind escaping.
 */
import { createHash } from "node:crypto";
import {
  keyedBlocks,
  memberStyle,
  memberStyles,
  type TurnMessage,
  type UserMessage,
} from "../../../src/transcript/index.ts";
import { type FlowItem, type TurnNode } from "../../../src/host/index.ts";
import {
  formatEnding,
  isImage,
  sessionFacts,
  steeredBy,
  timeOf,
  titleOf,
  turnFacts,
  writerOf,
  type ReadableSession,
} from "../readable/format-session.ts";
import { blockHtml, noticeHtml } from "./blocks.ts";
import { escapeHtml } from "./escape.ts";
import { markupOf } from "./markup.ts";
import { STYLE } from "./style.ts";
import { plural } from "../../../src/kit/text/format.ts";

export interface HtmlWriter {
  begin(): string;
  /** `images`: bytes of attached pictures to embed, by hash. */
  item(item: FlowItem, images: ReadonlyMap<string, Uint8Array>): string;
  end(): string;
}

export function createHtmlWriter(session: ReadableSession): HtmlWriter {
  const { head } = session;
  const pinned = new Set(head.pinned);
  const looks = memberStyles(head);

  function mark(id: string): string {
    return pinned.has(id) ? ' <span class="pinned">★ pinned</span>' : "";
  }

  function user(message: UserMessage, images: ReadonlyMap<string, Uint8Array>): string {
    const { seq, ts, text, to, toAll, attachments, messageId } = message;
    const whom = toAll || to.length === 0 ? "" : ` → ${to.join(", ")}`;
    const files = attachments.map(({ name, mime, blob }) => {
      const bytes = isImage(mime) ? images.get(blob.sha256) : undefined;
      const picture = bytes === undefined ? "" : `<img alt="${escapeHtml(name)}" src="${dataUrl(mime, bytes)}">`;
      return `<p class="attached">attached: ${escapeHtml(name)} (${escapeHtml(mime)}, ${blob.bytes} bytes)${picture}</p>\n`;
    });
    return `<article class="user" id="m${seq}"><header><h2 class="who">${escapeHtml(writerOf(message, session) + whom)}</h2>${mark(messageId)}${fact(seq, timeOf(ts))}</header>
${markupOf(text)}${files.join("")}</article>
`;
  }

  function turnHtml({ turn, children, userMessages }: TurnNode, parent?: TurnMessage): string {
    const level = parent === undefined ? "h2" : "h3";
    const name = `<${level} class="who">${escapeHtml(turn.member)}</${level}>`;
    const facts = fact(turn.seq, turnFacts(turn, parent).join(" · "));
    const blocks = keyedBlocks(turn.blocks).map(({ block }) =>
      blockHtml(block, { steeredBy: (id) => steeredBy(userMessages.get(id), session) }),
    );
    const inner = children.map((child) => turnHtml(child, turn));
    const ending = formatEnding(turn);
    const bad = turn.end?.outcome === "errored" || turn.end?.outcome === "timed_out" ? " bad" : "";
    const last = ending === undefined ? "" : `<p class="ending${bad}">${escapeHtml(ending)}</p>\n`;
    return `<article class="c${memberStyle(looks, turn.member).hue}" id="m${turn.seq}"><header>${name}${mark(turn.turnId)}${facts}</header>
${blocks.join("")}${inner.join("")}${last}</article>
`;
  }

  return {
    begin: () => pageHead(session),
    item(item, images) {
      if (item.kind === "user") return user(item.message, images);
      return item.kind === "turn" ? turnHtml(item) : noticeHtml(item.event);
    },
    end: () => `</main>
<footer>${plural(head.messageCount, "message")}, ${plural(head.seq, "event")}. Times are UTC.</footer>
</body>
</html>
`,
  };
}

function pageHead(session: ReadableSession): string {
  const facts = sessionFacts(session).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`);
  const remarks = session.remarks.map((remark) => `<p class="remark">${escapeHtml(remark)}</p>`);
  const title = escapeHtml(titleOf(session.head));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="session"><h1>${title}</h1>
<dl>${facts.join("\n")}</dl>
${remarks.join("\n")}</header>
<main>
`;
}

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function fact(seq: number, text: string): string {
  return ` <a class="fact" href="#m${seq}">${escapeHtml(text)}</a>`;
}

function dataUrl(mime: string, bytes: Uint8Array): string {
  return `data:${mime};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`;
}

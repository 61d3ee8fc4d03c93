/** Streams attacks to a page, whole or cut, and says what they have reached. */
import { MATH_ATTRIBUTES, MATH_TAGS } from "../../src/kit/text/math-tags.ts";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, joined, said } from "../generate/drafts.ts";
import { stamped } from "../generate/stamped.ts";
import type { FakeHost } from "./fake-host.ts";
import { becomes, drawnUpTo } from "./open-page.ts";
import type { Attack } from "./attacks.ts";

export interface Sink {
  readonly url: string;
  readonly asked: string[];
  close(): Promise<void>;
}

/** Another place on this machine, which must not hear anything. */
export async function openSink(): Promise<Sink> {
  const asked: string[] = [];
  const server: Server = createServer((request, answer) => {
    asked.push(request.url ?? "");
    answer.end();
  });
  server.on("connection", () => asked.push("a connection"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function turn(at: number, pieces: readonly string[]): EventDraft[] {
  const turnId = `t${at}`;
  const of = { turnId, member: memberOf(at) };
  const segment = { ...of, segmentId: `s-${turnId}` };
  return [
    // Of a message of its own each: answers to one would share a row of tabs, and only one of them would be laid out.
    { type: "turn_start", ...of, cause: "user", messageIds: ["m"], rootMessageId: `m-${turnId}`, depth: 0 },
    ...pieces.map((text): EventDraft => ({ type: "text_delta", ...segment, text })),
    { type: "text_done", ...segment, text: pieces.join("") },
    { type: "thinking_start", ...of, segmentId: `t-${turnId}` },
    { type: "thinking_done", ...of, segmentId: `t-${turnId}`, text: pieces.join("") },
    {
      type: "tool_call_start",
      ...of,
      toolCallId: `c-${turnId}`,
      name: "run",
      args: { text: pieces.join("") },
      title: pieces.join(""),
    },
    {
      type: "tool_result",
      ...of,
      toolCallId: `c-${turnId}`,
      ok: false,
      error: { code: "tool_error", message: pieces.join("") },
    },
    { type: "turn_end", ...of, outcome: "completed", durationMs: 1 },
  ];
}

const memberOf = (at: number) => `member${at}`;

/** All speak at once, piece by piece; each piece is drawn before the next one, as a slow stream would be. */
export async function streamAttacks(
  host: FakeHost,
  page: Page,
  sessionId: string,
  attacks: readonly Attack[],
  pieceChars: number,
): Promise<void> {
  let seq = 0;
  const tell = (drafts: readonly EventDraft[]): void => {
    const events = stamped(drafts, seq).map((event) => Object.assign(event, { sessionId }));
    seq += events.length;
    host.append(sessionId, events);
  };
  const members = attacks.map((_, at) => memberOf(at));
  tell([created(), ...members.map((member) => joined(member)), said("m", members)]);
  await page.goto(`${host.url}/#/s/${sessionId}`);
  const piece = new RegExp(`[\\s\\S]{1,${pieceChars}}`, "gu");
  const turns = attacks.map(({ text }, at) => turn(at, text.match(piece) ?? []));
  const steps = Math.max(...turns.map(({ length }) => length));
  for (let step = 0; step < steps; step += 1) {
    const drafts = turns.flatMap((drafts) => drafts[step] ?? []);
    tell(drafts);
    if (drafts.some(({ type }) => type === "text_delta"))
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
  await becomes(() => drawnUpTo(page), `${sessionId} up to ${seq}`);
}

/** What a text may be made of; whatever else stands in one was not made by us. */
const OF_A_TEXT = {
  tags: "a blockquote br button code del details div em h3 hr img li ol p pre span strong summary table tbody td th thead tr ul",
  attributes: "align alt aria-label class data-language dir href open rel role src start tabindex target title type",
  mathTags: MATH_TAGS.join(" "),
  mathAttributes: MATH_ATTRIBUTES.join(" "),
  classes:
    "block check code code-bar code-language copy drawn footnote image-away image-url link-host markdown math md-fold md-h1 md-h2 md-h3 md-h4 md-h5 md-h6 plain table",
  /** Neither in a text nor beside one. */
  nowhere:
    "script style iframe object embed form base meta link video audio dialog template textarea select input source picture",
};

/** Has what the page holds looked at whenever `wrongsOf` asks, and if wished after every frame that changed it. */
export async function watchForWrongs(
  context: BrowserContext,
  { everyFrame = false }: { readonly everyFrame?: boolean } = {},
): Promise<void> {
  await context.addInitScript(watch, { ...OF_A_TEXT, everyFrame });
}

/** Everything that was found wrong with what the page held since it was opened; empty when nothing was. */
export function wrongsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as { wrongs: () => string[] }).wrongs());
}

function watch(ofAText: typeof OF_A_TEXT & { everyFrame: boolean }): void {
  const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
  const [tags, attributes, classes] = [setOf(ofAText.tags), setOf(ofAText.attributes), setOf(ofAText.classes)];
  const nowhere = setOf(ofAText.nowhere);
  const [mathTags, mathAttributes] = [setOf(ofAText.mathTags), setOf(ofAText.mathAttributes)];
  const found = new Set<string>();
  const isLeadingOut = (node: Element, value: string) => {
    const isPlain = node.localName === "a" && /^(?:https?:\/\/|mailto:)/i.test(value);
    return !isPlain && !(node.localName === "img" && /^data:image\/(?:png|jpeg|gif|webp);/.test(value));
  };
  const lookAtText = (node: Element): void => {
    // A formula is shapes and letters, and none of it is seen outside its box.
    const isMath = node.closest("math") !== null;
    const isKnown = isMath ? mathTags.has(node.localName) && node.matches(".math.drawn *") : tags.has(node.localName);
    if (!isKnown) found.add(`${node.localName} in a text`);
    const isWhole = node.matches("div.markdown") && node.parentElement?.closest(".markdown") === null;
    for (const { name } of node.attributes)
      if (!(isMath ? mathAttributes : attributes).has(name) && !(isWhole && name === "data-open"))
        found.add(`${node.localName} with ${name} in a text`);
    for (const name of node.classList)
      if (!classes.has(name) && !/^hl-[a-z]+$/.test(name)) found.add(`.${name} in a text`);
    if (node.localName === "button" && !node.matches(".code > .code-bar > button.copy"))
      found.add("a button in a text");
    if (node.matches("a img, a a")) found.add(`${node.localName} in a link`);
    if (["fixed", "sticky"].includes(getComputedStyle(node).position)) found.add(`${node.localName} leaves its text`);
  };
  /** Icons and signs of the page: shapes only, and never in a text. */
  const isOwnDrawing = (node: Element): boolean =>
    node.matches(":is(svg.lucide.i[aria-hidden=true], .sign[aria-hidden=true] > svg):not(.markdown *)") &&
    [...node.querySelectorAll("*")].every((shape) => shape.matches("circle, line, path, polygon, polyline, rect"));
  const look = (): void => {
    if ("__pwn" in window) found.add("a script of the text has run");
    for (const node of document.querySelectorAll(".messages *")) {
      for (const { name, value } of node.attributes) {
        if (name.startsWith("on")) found.add(`${node.localName} has ${name}`);
        const isAddress = /^(?:xlink:)?(?:href|src|action|formaction|data|poster|srcset|background|ping)$/.test(name);
        if (isAddress && isLeadingOut(node, value)) found.add(`${node.localName} ${name}=${value.slice(0, 80)}`);
      }
      if (nowhere.has(node.localName)) found.add(`there is a ${node.localName}`);
      if (node.localName === "math" && node.closest(".markdown") === null) found.add("a formula outside a text");
      if (node.localName === "svg" && !isOwnDrawing(node)) found.add("there is a svg");
      if (node.closest(".markdown") !== null) lookAtText(node);
    }
    if (document.documentElement.scrollWidth > window.innerWidth) found.add("the page is wider than the window");
  };
  let frame: number | undefined;
  const onChange = (): void => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      look();
    });
  };
  if (ofAText.everyFrame)
    new MutationObserver(onChange).observe(document, { subtree: true, childList: true, attributes: true });
  Object.assign(globalThis, {
    wrongs() {
      look();
      if (document.querySelector(".messages") === null) found.add("there are no messages");
      return [...found];
    },
  });
}

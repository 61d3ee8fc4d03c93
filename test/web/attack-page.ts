/** Streams attacks to a page, whole or cut, and says what they have reached. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, joined, said } from "../generate/drafts.ts";
import { stamped } from "../generate/stamped.ts";
import type { EventDesk } from "./event-desk.ts";
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
    { type: "turn_start", ...of, cause: "user", messageIds: ["m"], depth: 0 },
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
  desk: EventDesk,
  page: Page,
  sessionId: string,
  attacks: readonly Attack[],
  pieceChars: number,
): Promise<void> {
  let seq = 0;
  const tell = (drafts: readonly EventDraft[]): void => {
    const events = stamped(drafts, seq).map((event) => Object.assign(event, { sessionId }));
    seq += events.length;
    desk.tell(sessionId, events);
  };
  const members = attacks.map((_, at) => memberOf(at));
  tell([created(), ...members.map((member) => joined(member)), said("m", members)]);
  await page.goto(`${desk.url}/#/s/${sessionId}`);
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

/** Everything that is wrong with what the page holds now; empty when nothing is. */
export function wrongsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wrongs: string[] = [];
    if ("__pwn" in window) wrongs.push("a script of the text has run");
    const root = document.querySelector(".messages");
    if (root === null) return ["there are no messages"];
    for (const node of root.querySelectorAll("*")) {
      const name = node.tagName.toLowerCase();
      for (const { name: attribute, value } of node.attributes) {
        if (attribute.startsWith("on")) wrongs.push(`${name} has ${attribute}`);
        if (/^(?:href|src|action|formaction|data|poster|srcset|background)$/.test(attribute)) {
          const isPlain = name === "a" && /^(?:https?:\/\/|mailto:)/.test(value);
          const isPicture = name === "img" && /^data:image\/(?:png|jpeg|gif|webp);/.test(value);
          if (!isPlain && !isPicture) wrongs.push(`${name} ${attribute}=${value.slice(0, 80)}`);
        }
      }
      if (
        /^(?:script|style|iframe|object|embed|form|base|meta|link|svg|math|video|audio|dialog|template|textarea|select|input|source|picture)$/.test(
          name,
        )
      )
        wrongs.push(`there is a ${name}`);
      const isInText = node.closest(".markdown") !== null;
      if (isInText && name === "button" && !node.matches("button.copy")) wrongs.push("a button in a text");
      if (isInText && node.matches("[contenteditable], [id], [name], [accesskey], .request, .choice, .plan"))
        wrongs.push(`${name}.${node.className} in a text`);
      if (isInText && ["fixed", "sticky"].includes(getComputedStyle(node).position))
        wrongs.push(`${name} is ${getComputedStyle(node).position}`);
    }
    return wrongs;
  });
}

/** Payloads in every field of a session, on the whole screen: what must hold of the bytes, the emulator and the picture. */
import { expect } from "vitest";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { keys } from "./key-bytes.ts";
import { hostileSession } from "./hostile-session.ts";
import { openApp, type OpenApp } from "./open-app.ts";
import { disallowedStyles } from "./row-checks.ts";

const PAGES_MAX = 400;
const CHUNKS_MAX = 2_000;
const EVENTS_AT_ONCE = 300;

/** Everything the app itself writes: places, line erases, frames, cursor, styles, our links, the title, the start and end. */
const OURS =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
  /\u001b\[\d+;\d+H|\u001b\[[0-9;]*m|\u001b\[2K|\u001b\[2J|\u001b\[H|\u001b\[\?(?:2026|25|7|1049|1000|1002|1003|1004|1006)[hl]|\u001b\[2[23];0t|\u001b\[6n|\u001b\](?:11|4;12);\?\u0007|\u001b\]8;;(?:(?:https?:|mailto:)[\u0021-\u007e]*)?(?:\u0007|\u001b\\)|\u001b\]0;[^\u0000-\u001f\u007f-\u009f]*\u0007/g;
// oxlint-disable-next-line no-control-regex -- the same.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

export async function expectHarmless(payloads: readonly string[]): Promise<void> {
  const text = payloads.map((bytes, at) => `begin${at}${bytes}\nend${at}`).join("\n\n");
  const shown = await openApp({ columns: 100, rows: 40 });
  const before = shown.modes;
  try {
    await sendAll(shown, hostileSession(text, inChunks(text)));
    expect(shown.modes).toEqual(before);
    const seen = await readAll(shown);
    const missing = payloads.flatMap((_, at) => (seen.includes(`end${at}`) ? [] : [`end${at}`]));
    expect(missing).toEqual([]);
    expectOnlyOurs(shown);
  } finally {
    await shown.close();
  }
  expect(shown.modes.screen).toBe("normal");
}

/** In pieces of one code unit, as a stream may be cut anywhere; a very long text in a few more. */
function inChunks(text: string): string[] {
  const size = Math.ceil(text.length / CHUNKS_MAX);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

/** A frame now and then in the middle of everything, and whenever something is asked: half a sequence is drawn, too. */
async function sendAll(shown: OpenApp, events: readonly SessionEvent[]): Promise<void> {
  for (let from = 0; from < events.length;) {
    const asked = events.findIndex(({ type }, at) => at >= from && type === "ui_request");
    const to = Math.min(events.length, from + EVENTS_AT_ONCE, asked === -1 ? Infinity : asked + 1);
    shown.peer.play(events.slice(from, to));
    from = to;
    await shown.settle();
  }
}

/** Every row of the log, from its end to its beginning, with overlays put aside. */
async function readAll(shown: OpenApp): Promise<string> {
  const pages: string[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    await shown.draw();
    const rows = shown.screen().join("\n");
    if (rows === pages.at(-1)) break;
    pages.push(rows);
    shown.type(keys.pageUp);
  }
  return pages.join("\n");
}

function expectOnlyOurs(shown: OpenApp): void {
  const written = shown.written();
  const rest = written.replaceAll(OURS, "");
  const at = rest.search(CONTROL);
  expect(at === -1 ? "" : JSON.stringify(rest.slice(Math.max(0, at - 40), at + 40))).toBe("");
  expect(disallowedStyles(written)).toEqual([]);
  const foreign = shown.strings.filter((one) => !/^OSC (?:8;;(?:$|https?:|mailto:)|0;|4;12;\?$)/.test(one));
  expect(foreign).toEqual([]);
  expect(shown.strings.filter((one) => one.startsWith("OSC 0;") && !one.endsWith(" · roundtable"))).toEqual([]);
  // A terminal that answers has been asked: where the cursor is after a glyph, once at the start, and nothing of theirs.
  expect(shown.answers).toEqual(["\u001b[2;2R"]);
}

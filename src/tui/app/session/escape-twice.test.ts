/** Escape twice on an empty box, at the whole app and by itself. */
import { expect, test } from "vitest";
import { ended, said, started } from "../../../../test/generate/drafts.ts";
import { createHandClock } from "../../../../test/log/hand-clock.ts";
import { START_TS, stamped } from "../../../../test/generate/stamped.ts";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { keys } from "../../../../test/tui/key-bytes.ts";
import { openApp } from "../../../../test/tui/open-app.ts";
import { Stopping } from "../actions.ts";

test("Escape twice on an empty box, when nobody works, lists the messages to go back to; once does nothing but say so", async () => {
  const shown = await openApp({ events: sessionLog([said("m1", ["claude"], { text: "What is it?" })]), now: START_TS });
  const seen = async () => {
    await shown.settle();
    return shown.screen().join("\n");
  };
  shown.type(keys.escape);
  expect(await seen()).toMatch(/Press Esc again to rewind/);
  expect(shown.app.overlays.isOpen).toBe(false);
  shown.type(keys.escape);
  expect(await seen()).toMatch(/Rewind to before …[^]*What is it\?/);
  shown.type(keys.escape);
  await seen();
  expect([shown.app.overlays.isOpen, shown.app.sessionId, shown.peer.commands]).toEqual([false, "session", []]);
  shown.type("words");
  shown.type(keys.escape);
  shown.type(keys.escape);
  await seen();
  expect([shown.app.overlays.isOpen, shown.app.prompt.text]).toEqual([false, "words"]);
  await shown.close();
});

test("Escape puts a command that could not be run out of the box, into the history; a message stays", async () => {
  const shown = await openApp({ events: sessionLog([said("m1", ["claude"], { text: "What is it?" })]), now: START_TS });
  shown.type("/mute nobody");
  shown.type(keys.enter);
  await shown.settle();
  expect(shown.app.prompt.text).toBe("/mute nobody");
  shown.type(keys.escape);
  expect(shown.app.prompt.text).toBe("");
  shown.type(keys.up);
  expect(shown.app.prompt.text).toBe("/mute nobody");
  await shown.close();
});

test("two Escapes that come in one piece are two, and close only what is open", async () => {
  const shown = await openApp({ events: sessionLog([said("m1", ["claude"], { text: "What is it?" })]), now: START_TS });
  shown.type("\u001b\u001b");
  await shown.settle();
  expect(shown.app.overlays.isOpen).toBe(true);
  shown.type("\u001b\u001b");
  await shown.settle();
  expect(shown.app.overlays.isOpen).toBe(false);
  await shown.close();
});

test("Escape pressed on and on while members work stops them and opens nothing", async () => {
  const shown = await openApp({ events: sessionLog([said("m1", ["claude"]), started("t1", "claude")]), now: START_TS });
  shown.type(keys.escape);
  await shown.settle();
  shown.peer.play(stamped([ended("t1", "claude", { outcome: "interrupted" })], shown.peer.transcript.head.seq));
  await shown.settle();
  for (let press = 0; press < 5; press += 1) shown.type(keys.escape);
  await shown.settle();
  expect(shown.peer.commands.map(({ type }) => type)).toEqual(["interrupt"]);
  expect(shown.app.overlays.isOpen).toBe(false);
  await shown.close();
});

test("the second Escape counts for two seconds, and not after one that closed or stopped something", () => {
  const clock = createHandClock();
  const stopping = new Stopping(clock);
  clock.advance(10_000);
  expect([stopping.idleEscape(), stopping.idleEscape(), stopping.idleEscape()]).toEqual(["hint", "rewind", "hint"]);
  clock.advance(2_000);
  expect(stopping.idleEscape()).toBe("hint");
  stopping.escapeUsed();
  expect(stopping.idleEscape()).toBe("nothing");
  clock.advance(2_000);
  expect(stopping.idleEscape()).toBe("hint");
});

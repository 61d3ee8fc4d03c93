/** Keys of members that have failed: why, the command that fixes it, and what to press. */
import { expect, onTestFinished, test } from "vitest";
import { failures } from "../../../test/tui/design/failures.ts";
import { SESSION_ID } from "../../../test/tui/design/tidepool.ts";
import { keys } from "../../../test/tui/key-bytes.ts";
import { openApp } from "../../../test/tui/open-app.ts";

const { tab, escape } = keys;

async function opened(columns = 120, rows = 40) {
  const { events, now } = failures();
  const copied: string[] = [];
  const copyText = async (text: string) => copied.push(text) > 0;
  const shown = await openApp({ columns, rows, events, now, sessionId: SESSION_ID, more: { copyText } });
  onTestFinished(() => shown.close());
  const press = async (...pressed: string[]) => {
    for (const key of pressed) {
      shown.type(key);
      await shown.settle();
    }
    return shown.screen();
  };
  const count = (type: string) => shown.peer.commands.filter((command) => command.type === type).length;
  return { ...shown, press, copied, count };
}

const FIX = " r ask claude again · g go on without claude · y copy the command";

test("a failed member says why, what fixes it and which keys there are", async () => {
  const { screen, press } = await opened();
  const fix = "To fix it, in another terminal:   claude /login   then press";
  expect(screen().some((row) => row.endsWith(`${fix} Tab r`))).toBe(true);
  expect(screen().filter((row) => row.endsWith(FIX))).toHaveLength(1);
  const gemini = / w ask again at 17:00 · h hand over to codex · g go on without gemini$/;
  expect(screen().filter((row) => gemini.test(row))).toHaveLength(1);
  expect(screen().some((row) => / ✗ 2 failed · . 1 working · 0:31 · Esc Esc stops it ─$/.test(row))).toBe(true);
  const focused = await press(tab);
  expect(focused.at(-1)).toBe(
    " r ask again · g go on without it · y copy the command · Tab next member · Esc back to the box",
  );
  expect(focused.some((row) => row.endsWith(`${fix} r`))).toBe(true);
  expect(focused.some((row) => / ✗ 2 failed · . 1 working · 0:31 ─$/.test(row))).toBe(true);
});

test("with the focus on it, r asks again, y copies the command, and g goes on without the member", async () => {
  const { app, press, peer, copied, count } = await opened();
  await press("r", "g");
  expect([app.prompt.text, count("retry"), count("mute")]).toEqual(["rg", 0, 0]);
  app.prompt.setText("");
  await press(tab, "y");
  expect(copied).toEqual(["claude /login"]);
  await press("r");
  expect(peer.commands.at(-1)).toMatchObject({ type: "retry", member: "claude" });
  const rows = await press("g");
  expect(peer.commands.at(-1)).toMatchObject({ type: "mute", member: "claude" });
  expect(rows.some((row) => row.includes("Continuing without claude. /unmute claude brings it back."))).toBe(true);
});

test("on a small screen the head of the failed member comes into view with the focus", async () => {
  const { screen, press } = await opened(80, 24);
  const head = / claude .*✗ did not answer$/;
  expect(screen().some((row) => head.test(row))).toBe(false);
  expect((await press(tab)).some((row) => head.test(row))).toBe(true);
});

test("keys that do not fit the failure are letters", async () => {
  const { app, press, count } = await opened();
  await press(tab, "h", "w");
  expect([app.prompt.text, count("steer")]).toEqual(["hw", 0]);
});

test("a quota that resets can be waited for, and the answer handed over to another member", async () => {
  const { press, peer, count } = await opened();
  await press(tab, keys.right, keys.right);
  expect((await press("w")).join("\n")).toContain("gemini will be asked again at 17:00 if this window is still open.");
  expect((await press("w")).join("\n")).toContain("gemini will not be asked again at 17:00.");
  expect(count("retry")).toBe(0);
  await press("h");
  expect(peer.commands.at(-1)).toMatchObject({
    type: "steer",
    to: ["codex"],
    text: "gemini could not finish its answer. Please take over where it stopped.",
  });
  await press(escape);
});

/** Keys of the member that has the focus, of three who answered. */
import { expect, onTestFinished, test } from "vitest";
import { answered, CLAUDE, SESSION_ID } from "../../../test/tui/design/tidepool.ts";
import { keys } from "../../../test/tui/key-bytes.ts";
import { openApp } from "../../../test/tui/open-app.ts";

const { tab, left, right, enter, escape } = keys;

async function opened(columns = 160, rows = 50) {
  const { events, now } = answered();
  const copied: string[] = [];
  const copyText = async (text: string) => copied.push(text) > 0;
  const shown = await openApp({ columns, rows, events, now, sessionId: SESSION_ID, more: { copyText } });
  onTestFinished(() => shown.close());
  const press = async (key: string) => {
    shown.type(key);
    await shown.settle();
    return shown.screen();
  };
  /** Names of the members whose head has the bar of the focus. */
  const focused = () =>
    shown
      .screen()
      .flatMap((row) => row.match(/▌ (?:claude|codex|gemini) /g) ?? [])
      .map((head) => head.slice(2).trim());
  return { ...shown, press, focused, copied };
}

test("Tab gives the focus to a column, left and right move it, Escape takes it back to the box", async () => {
  const { press, focused, screen } = await opened();
  expect(focused()).toEqual([]);
  await press(tab);
  expect(focused()).toEqual(["claude"]);
  expect(screen().at(-2)).toMatch(/^ claude opus-4\.8 · high · 78% context left · \$0\.19 +read-only/);
  expect(screen().at(-1)).toBe(
    " ← → other column · Enter widen · ↑ ↓ scroll it · o open work · y copy · r retry · Esc back to the box",
  );
  await press(right);
  expect(focused()).toEqual(["codex"]);
  expect(screen().at(-2)).toContain(" codex gpt-5.6 · medium · 88% context left");
  await press(right);
  expect(focused()).toEqual(["gemini"]);
  await press(left);
  expect(focused()).toEqual(["codex"]);
  await press(escape);
  expect(focused()).toEqual([]);
  expect(screen().at(-1)).toMatch(/^ Enter send · /);
});

test("below each other, Tab reaches the answers that are out of view, and what is said below the log is of them", async () => {
  const { press, focused, screen } = await opened(100, 24);
  for (const name of ["claude", "codex", "gemini"]) {
    await press(tab);
    expect(focused()).toEqual([name]);
    expect(screen().at(-2)).toMatch(new RegExp(`^ ${name} .* context left`));
    expect(screen().at(-1)).toMatch(/^ ← → other member · Enter widen · /);
  }
  await press(enter);
  expect(focused()).toEqual(["gemini"]);
  expect(screen().at(-1)).toContain(" · Enter narrow · ");
});

test("Enter gives the focused column the whole width, and again gives it back", async () => {
  const { press, screen } = await opened();
  const before = await press(tab);
  const headOf = (rows: readonly string[]) => rows.find((row) => row.includes("▌ claude")) ?? "";
  expect(headOf(before)).toMatch(/▎ codex .*▎ gemini /);
  const widened = await press(enter);
  expect(headOf(widened)).toMatch(/^ ▌ claude {2}opus-4\.8 · high +✓ [\d:]+ · \$0\.19$/);
  expect(headOf(await press(enter))).toBe(headOf(before));
  expect(screen()).toEqual(before);
});

test("y copies the focused answer as it was written, r asks its member again, and with text both are letters", async () => {
  const { app, press, peer, copied } = await opened();
  await press(tab);
  await press("y");
  expect(copied).toHaveLength(1);
  expect(copied[0]?.startsWith(CLAUDE)).toBe(true);
  await press("r");
  expect(peer.commands.at(-1)).toMatchObject({ type: "retry", member: "claude" });
  await press("x");
  await press("y");
  await press("r");
  expect(app.prompt.text).toBe("xyr");
});

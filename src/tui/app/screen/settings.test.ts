import { expect, test } from "vitest";
import { openApp } from "../../../../test/tui/open-app.ts";
import { readScreenSettings } from "./settings.ts";

const USUAL = {
  theme: "auto",
  view: "auto",
  thinking: "folded",
  expanded: false,
  times: false,
  raw: false,
  mouse: true,
  copyOnSelect: true,
  notifications: true,
  motion: "on",
};
const read = (text: string) => readScreenSettings({ path: "screen.jsonc", text });

test("what the settings file says holds, with comments and all; without one the usual settings do", () => {
  expect(read("")).toEqual({ settings: USUAL, problems: [] });
  expect(read('{ // mine\n "mouse": false, "theme": "light", "notifications": false, }')).toEqual({
    settings: { ...USUAL, mouse: false, theme: "light", notifications: false },
    problems: [],
  });
});

test("an unknown setting or value is reported with the nearest name or the valid values, and the others apply", () => {
  expect(read('{ "mose": false, "mouse": "no", "thinking": "loud", "times": true }')).toEqual({
    settings: { ...USUAL, times: true },
    problems: [
      'screen.jsonc: there is no setting "mose"; did you mean "mouse"?',
      'screen.jsonc: "mouse" must be true or false',
      'screen.jsonc: "thinking" must be one of dim, folded, hidden',
    ],
  });
  for (const text of ["[]", "{", "true"]) {
    const { settings, problems } = read(text);
    expect([settings, problems.length]).toEqual([USUAL, 1]);
  }
});

test("the screen closes only after changes in /settings are saved", async () => {
  const order: string[] = [];
  const disk = Promise.withResolvers<void>();
  const saveSetting = (name: string) => disk.promise.then(() => void order.push(name));
  const shown = await openApp({ more: { saveSetting } });
  shown.app.set("mouse", false);
  shown.app.set("notifications", false);
  const left = shown.close().then(() => order.push("left"));
  await shown.draw();
  disk.resolve();
  await left;
  expect(order).toEqual(["mouse", "notifications", "left"]);
});

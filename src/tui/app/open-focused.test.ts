import { expect, onTestFinished, test } from "vitest";
import { answered, SESSION_ID } from "../../../test/tui/design/tidepool.ts";
import { keys } from "../../../test/tui/key-bytes.ts";
import { openApp } from "../../../test/tui/open-app.ts";

const { tab, enter, down } = keys;

async function opened(needsTerminal: boolean) {
  const { events, now } = answered();
  const files: [string, number | undefined][] = [];
  const screens: (string | undefined)[] = [];
  const editFile = (file: string, line: number | undefined) => ({
    needsTerminal,
    open: async () => {
      await shown.draw();
      screens.push(shown.modes["screen"]);
      files.push([file, line]);
    },
  });
  const shown = await openApp({ columns: 160, rows: 50, events, now, sessionId: SESSION_ID, more: { editFile } });
  onTestFinished(() => shown.close());
  const press = async (...pressed: string[]) => {
    for (const key of pressed) {
      shown.type(key);
      await shown.settle();
    }
    return shown.screen();
  };
  return { ...shown, press, files, screens };
}

test("o opens the work, then the list of files that the answer names, in the editor at the line", async () => {
  const { press, files, screens } = await opened(false);
  const unfolded = await press(tab, "o");
  expect(unfolded.join("\n")).toContain("▾ read 6 files");
  expect(unfolded.at(-1)).toContain("o open a file");
  const list = (await press("o")).join("\n");
  expect(list).toContain("❯ src/worker.ts:88");
  expect(list).toContain("Fold the work again");
  await press(enter);
  expect(files).toEqual([["/home/ada/tidepool/src/worker.ts", 88]]);
  expect(screens).toEqual(["alternate"]);
});

test("an editor of the terminal gets it, and the screen comes back as it was", async () => {
  const { press, files, screens, screen, modes } = await opened(true);
  const before = await press(tab, "o");
  await press("o", down, enter);
  expect(files).toHaveLength(1);
  expect(screens).toEqual(["normal"]);
  expect(modes).toMatchObject({ screen: "alternate" });
  expect(screen()).toEqual(before);
});

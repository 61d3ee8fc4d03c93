import type { Terminal } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { watchTerminal } from "./watched-terminal.ts";

function setUp() {
  let type: (data: string) => void = () => {};
  const terminal = { start: (onInput: typeof type) => (type = onInput), write() {} } as unknown as Terminal;
  const heard: string[] = [];
  const watched = watchTerminal(terminal, { hasMouse: false, env: {} });
  watched.start(
    (data) => heard.push(data),
    () => {},
  );
  return { watched, type: (data: string) => type(data), heard };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test("the line feed at the end of what was typed before the terminal was taken is Enter, key by key or in one piece", async () => {
  for (const pieces of [["h", "i", "\n"], ["hi\n"]]) {
    const { type, heard } = setUp();
    for (const piece of pieces) type(piece);
    await nextTick();
    expect(heard.join("")).toBe("hi\r");
    type("\n");
    expect(heard.at(-1)).toBe("\n");
  }
});

test("a line feed inside of it stays one, and keys typed later are as they are", async () => {
  const { type, heard } = setUp();
  for (const key of ["a", "\n", "b"]) type(key);
  expect(heard.join("")).toBe("a\nb");
  await nextTick();
  type("\n");
  expect(heard.join("")).toBe("a\nb\n");
});

test("answers of the terminal are read and are no input; keys typed meanwhile are", async () => {
  const { watched, type, heard } = setUp();
  const [width, blue] = [watched.askGlyphWidth(60_000), watched.askColour(12, 60_000)];
  // Shift+F3 is a report of the first row, which is never asked for.
  for (const data of ["a", "\u001b[1;2R", "\u001b[2;3R", "b", "\u001b]4;12;rgb:5c5c/5c5c/ffff\u001b\\", "c"])
    type(data);
  expect(await width).toBe(2);
  expect(await blue).toEqual({ r: 92, g: 92, b: 255 });
  // One that comes late, or twice, is none either.
  type("\u001b[2;2R");
  expect(heard.join("")).toBe("a\u001b[1;2Rbc");
});

test("a terminal that does not answer is not waited for", async () => {
  const { watched } = setUp();
  expect(await Promise.all([watched.askGlyphWidth(1), watched.askColour(12, 1)])).toEqual([undefined, undefined]);
});

test("the focus of the window is reported as it changes", () => {
  const { watched, type } = setUp();
  const seen: boolean[] = [];
  watched.onFocus((isFocused) => seen.push(isFocused));
  expect(watched.isFocused).toBeUndefined();
  for (const data of ["\u001b[O", "\u001b[I"]) type(data);
  expect([seen, watched.isFocused]).toEqual([[false, true], true]);
});

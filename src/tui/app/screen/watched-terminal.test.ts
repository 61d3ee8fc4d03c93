import type { Terminal } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { watchTerminal } from "./watched-terminal.ts";

function setUp() {
  let type: (data: string) => void = () => {};
  const terminal = { start: (onInput: typeof type) => (type = onInput), write() {} } as unknown as Terminal;
  const heard: string[] = [];
  watchTerminal(terminal, { hasMouse: false, env: {} }).start(
    (data) => heard.push(data),
    () => {},
  );
  return { type: (data: string) => type(data), heard };
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

import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { listenForLines, MESSAGE_CHARS_MAX } from "./terminal-lines.ts";

function listen(): { input: PassThrough; heard: unknown[][]; stamps: string[]; ended: Promise<void> } {
  const input = new PassThrough();
  const heard: unknown[][] = [];
  const stamps = ["first", "second", "third", "fourth"];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  listenForLines(input, {
    stamp: () => stamps.shift(),
    onMessage: (text, stamp) => heard.push([text, stamp]),
    onTooLong: () => heard.push(["too long"]),
    onEnd: () => resolve(),
    waitingCount: () => 0,
  });
  return { input, heard, stamps, ended };
}

test("a message is a line; one that ends in a backslash goes on, stamped when it began; the last needs no end", async () => {
  const { input, heard, ended } = listen();
  const bytes = Buffer.from("grüße\r\none \\\n  two\\\nthree\n\nlast");
  // One byte at a time: no character and no line is split wrongly.
  for (const byte of bytes) input.write(Buffer.from([byte]));
  input.end();
  await ended;
  expect(heard).toEqual([
    ["grüße", "first"],
    ["one \n  two\nthree", "second"],
    ["", "third"],
    ["last", "fourth"],
  ]);
});

test("a message that is too long is not taken, and the next one is", async () => {
  const { input, heard, ended } = listen();
  const long = "x".repeat(MESSAGE_CHARS_MAX / 2);
  input.end(`${long}\\\n${long}xx\\\nmore\nshort\n`);
  await ended;
  expect(heard).toEqual([["too long"], ["short", "second"]]);
});

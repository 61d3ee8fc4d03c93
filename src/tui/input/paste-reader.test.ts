import { StdinBuffer } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { createPasteReader, LONE_KEY_MS, LOST_END_MS } from "./paste-reader.ts";

function openReader() {
  const clock = createManualClock();
  const reader = new StdinBuffer();
  const heard: string[] = [];
  reader.on("data", (keys: string) => void heard.push(keys));
  reader.on("paste", (text: string) => void heard.push(`<${text}>`));
  const read = createPasteReader(clock);
  reader.process = (data) => read(reader, data);
  return { clock, heard, reader, read: (data: string) => reader.process(data) };
}

test("keys and pastes in pieces of any size arrive in their order, each paste once", () => {
  const whole = "a\u001b[200~one\ntwo\u001b[201 \u001b[201~b\u001b[200~three\u001b[201~\u001b[Ac";
  for (let size = 1; size <= whole.length; size++) {
    const { heard, read } = openReader();
    for (let at = 0; at < whole.length; at += size) read(whole.slice(at, at + size));
    expect(heard, `pieces of ${size}`).toEqual(["a", "<one\ntwo\u001b[201 >", "b", "<three>", "\u001b[A", "c"]);
  }
});

test("a paste whose end is lost ends with a silence, and keys are keys again", () => {
  const { clock, heard, read } = openReader();
  read("\u001b[200~lost");
  clock.advance(LOST_END_MS - 1);
  read(" and more");
  clock.advance(LOST_END_MS);
  read("x");
  expect(heard).toEqual(["<lost and more>", "x"]);
});

test("a paste whose end is lost ends at a key that comes by itself after a moment, and that key works; letters, Enter and quick pieces belong to the paste", () => {
  for (const key of [
    "\u0003",
    "\u001b[27u",
    "\u001b[99;5u",
    "\u001b[A",
    "\u001b[1;5D",
    "\u001b[<35;10;5M",
    "\u001bOP",
  ]) {
    const { clock, heard, read } = openReader();
    read("\u001b[200~lost");
    read(key);
    clock.advance(LONE_KEY_MS);
    for (const part of ["a", "\r", "\t", "\u001b", "[A"]) {
      read(part);
      clock.advance(LONE_KEY_MS);
    }
    expect(heard).toEqual([]);
    read(key);
    expect(heard).toEqual([`<lost${key}a\r\t\u001b[A>`, key]);
    read("b");
    expect(heard.slice(2)).toEqual(["b"]);
  }
  const { clock, heard, read } = openReader();
  read("\u001b[200~slow");
  clock.advance(LONE_KEY_MS);
  read("\u001b[201~");
  expect(heard).toEqual(["<slow>"]);
});

test("a reader that was cleared in the middle of a paste reads the next one whole", () => {
  const { clock, heard, read, reader } = openReader();
  read("\u001b[200~first");
  reader.clear();
  read("k\u001b[200~second");
  read(" half\u001b[201~");
  clock.advance(LOST_END_MS * 2);
  expect(heard).toEqual(["k", "<second half>"]);
});

test("a paste of many pieces costs no more than in proportion to its length", () => {
  const { heard, read } = openReader();
  const chunk = "y".repeat(1_024);
  read("\u001b[200~");
  for (let at = 0; at < 5_120; at++) read(chunk);
  read("\u001b[201~");
  expect(heard.map((text) => text.length)).toEqual([5_120 * 1_024 + 2]);
});

import { expect, test } from "vitest";
import { mulberry32 } from "../../../test/tui/random-markdown.ts";
import { GrowingRows } from "./growing-rows.ts";
import { WORD_WRAP_CHARS_MAX, wrapRows } from "./wrap-rows.ts";
import { rounds } from "../../../test/rounds.ts";

const BOLD = "\u001b[1m";
const END = "\u001b[22m";
const LINK = "\u001b]8;;https://a.example\u001b\\";
const LINK_END = "\u001b]8;;\u001b\\";

test("a growing text has the same rows as the whole of it, whatever it is made of", () => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`growing rows: SEED=${seed}\n`);
  const random = mulberry32(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const pieces = [
    "a",
    "word ",
    "  ",
    " ",
    "aaa aaa ",
    "漢字の",
    "👩‍👩‍👧 ",
    "🇩🇪🇫🇷",
    "e\u0301",
    "long".repeat(9),
    "\n",
    "-",
    "x,y ",
  ];
  const styled = [`${BOLD}bold words${END}`, `${BOLD}b${END} `, `${LINK}a link of words${LINK_END}`];
  for (let run = 0; run < rounds(40, 5_000); run++) {
    const width = pick([2, 5, 9, 17, 40]);
    const rows = new GrowingRows();
    const said: string[] = [];
    for (let step = 0; step < 60; step++) {
      said.push(random() < 0.1 ? pick(styled) : pick(pieces));
      if (random() < 0.02) said.splice(Math.floor(random() * said.length));
      const text = said.join("");
      const [made, whole] = [rows.render(text, width), wrapRows(text, width)];
      if (made.join("\n") !== whole.join("\n")) expect({ text, width, made }).toEqual({ text, width, made: whole });
    }
  }
});

test("a styled row that fits ends its styles as the last of many does", () => {
  const styled = `${BOLD}bold${END}`;
  expect(wrapRows(styled, 40)).toEqual([`${styled}\u001b[0m`]);
  expect(wrapRows(`a\n${styled}`, 40)).toEqual(["a", `${styled}\u001b[0m`]);
});

test("a text too long for word wrap is cut as a whole", () => {
  const rows = new GrowingRows();
  const long = "some words ".repeat(WORD_WRAP_CHARS_MAX / 11 - 1);
  rows.render(long, 30);
  expect(rows.render(`${long}and some more of them`, 30)).toEqual(wrapRows(`${long}and some more of them`, 30));
});

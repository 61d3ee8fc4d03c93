/**
 * Screens of the real app beside the cells of the design. `cells/NAME.txt` is the design, `drawn/NAME.txt` what the app
 * draws; a row in which they differ needs a reason in differences.ts, and a reason needs its difference. `WRITE_SCREENS=1`
 * writes what is drawn anew and lists the rows that differ.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { OpenApp } from "../open-app.ts";
import { differences, type RowNumbers } from "./differences.ts";
import { otherTones, tonesOf } from "./tones.ts";

const here = import.meta.dirname;
const isWriting = process.env["WRITE_SCREENS"] === "1";

/** Rows of a sheet that show one moment. */
export type Part = readonly RowNumbers[];

type Drawn = Pick<OpenApp, "screen" | "runs" | "app">;

/** `tones` names the sheet that has them, where it is another one. */
export async function expectDesign(opened: Drawn, name: string, tones = name): Promise<void> {
  const drawn = keep(opened.screen(), name);
  const cells = rowsOf(path.join(here, "cells", `${name}.txt`));
  const { missing, added, same } = compare(cells.map(still), drawn.map(still));
  const all = same.map(([row, other]) => ({ row, other }));
  const otherTones = await tonesThatDiffer(opened, { name: tones, cells, pairs: all });
  expectReasons({ rows: missing, drawn: added, tones: otherTones }, name, [[1, cells.length]]);
}

/** For sheets with several moments: every row of the part is drawn, in its order. */
export async function expectDesignPart(opened: Drawn, name: string, part: Part, moment: string): Promise<void> {
  const drawn = keep(opened.screen(), `${name}-${moment}`);
  const cells = rowsOf(path.join(here, "cells", `${name}.txt`));
  const numbers = part.flatMap(numbersOf).filter((row) => withoutCaption(cells[row - 1]) !== "");
  const wanted = numbers.map((row) => still(withoutCaption(cells[row - 1])));
  const { missing, same } = compare(wanted, drawn.map(still));
  const shown = missing.map((at) => numbers[at - 1] ?? 0);
  const pairs = same.map(([at, other]) => ({ row: numbers[at - 1] ?? 0, other }));
  const otherTones = await tonesThatDiffer(opened, { name, cells: cells.map(withoutCaption), pairs });
  expectReasons({ rows: shown, drawn: [], tones: otherTones }, name, part);
}

interface ToneFacts {
  readonly name: string;
  readonly cells: readonly string[];
  /** Rows of the sheet and of the screen with the same text. */
  readonly pairs: readonly { readonly row: number; readonly other: number }[];
}

async function tonesThatDiffer({ runs, app }: Drawn, { name, cells, pairs }: ToneFacts): Promise<number[]> {
  const wanted = await tonesOf(name, cells, app.theme);
  const drawn = runs();
  return pairs.flatMap(({ row, other }) => {
    const texts = otherTones(wanted[row - 1] ?? [], drawn[other - 1] ?? []);
    if (isWriting && texts.length > 0) process.stdout.write(`  ${name} ${row}: ${JSON.stringify(texts)}\n`);
    return texts.length === 0 ? [] : [row];
  });
}

/** What the sheets say about a row stands at its right. */
function withoutCaption(row = ""): string {
  return row.replace(/ {2,}← .*$/, "");
}

interface Rows {
  /** Of the design's sheet, from 1, that the app does not draw. */
  readonly rows: readonly number[];
  /** Of what the app draws, from 1, that the design does not have. */
  readonly drawn: readonly number[];
  /** Of the design's sheet, from 1, that have other tones. */
  readonly tones: readonly number[];
}

function expectReasons(found: Rows, name: string, part: Part): void {
  const reasons = differences[name] ?? [];
  const rows = reasons.flatMap((reason) => (reason.rows ?? []).flatMap(numbersOf));
  const drawn = reasons.flatMap((reason) => (reason.drawn ?? []).flatMap(numbersOf));
  const tones = reasons.flatMap((reason) => (reason.tones ?? []).flatMap(numbersOf));
  const ofPart = new Set(part.flatMap(numbersOf));
  const explained = {
    rows: rows.filter((row) => ofPart.has(row)),
    drawn: found.drawn.length > 0 ? drawn : [],
    tones: tones.filter((row) => ofPart.has(row)),
  };
  const words = (list: Rows) =>
    `${rangesOf(list.rows)}; drawn: ${rangesOf(list.drawn)}; tones: ${rangesOf(list.tones)}`;
  if (isWriting) process.stdout.write(`${name}: ${words(found)}\n with a reason: ${words(explained)}\n`);
  else expect(words(found), `rows of ${name} that differ, and those with a reason`).toBe(words(explained));
}

interface Compared {
  readonly missing: number[];
  readonly added: number[];
  /** Rows of both that are the same. */
  readonly same: (readonly [row: number, other: number])[];
}

/** Rows that only one of them has, by the longest sequence that both have. */
function compare(cells: readonly string[], drawn: readonly string[]): Compared {
  const common = Array.from({ length: cells.length + 1 }, () => Array.from({ length: drawn.length + 1 }, () => 0));
  const at = (row: number, other: number) => common[row]?.[other] ?? 0;
  for (let row = cells.length - 1; row >= 0; row -= 1)
    for (let other = drawn.length - 1; other >= 0; other -= 1) {
      const isSame = cells[row] === drawn[other];
      const length = isSame ? at(row + 1, other + 1) + 1 : Math.max(at(row + 1, other), at(row, other + 1));
      common[row]?.splice(other, 1, length);
    }
  const missing: number[] = [];
  const added: number[] = [];
  const same: (readonly [row: number, other: number])[] = [];
  let [row, other] = [0, 0];
  while (row < cells.length || other < drawn.length) {
    if (row < cells.length && other < drawn.length && cells[row] === drawn[other]) same.push([++row, ++other]);
    else if (other >= drawn.length || (row < cells.length && at(row + 1, other) >= at(row, other + 1)))
      missing.push(++row);
    else added.push(++other);
  }
  return { missing, added, same };
}

/** Compares with what was drawn last. */
function keep(rows: readonly string[], name: string): string[] {
  const drawn = rows.join("\n").trimEnd().split("\n");
  const file = path.join(here, "drawn", `${name}.txt`);
  if (isWriting) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${drawn.join("\n")}\n`);
  }
  expect(drawn, file).toEqual(rowsOf(file));
  return drawn;
}

function rowsOf(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n");
}

/** All spinners of the app turn in step; those of the design stand at different frames. */
function still(row: string): string {
  return row.replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋");
}

function numbersOf(rows: RowNumbers): number[] {
  if (typeof rows === "number") return [rows];
  const [from, to] = rows;
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** "1, 5–8". */
function rangesOf(rows: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const row of rows.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last?.[1] === row - 1) last[1] = row;
    else ranges.push([row, row]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ") || "none";
}

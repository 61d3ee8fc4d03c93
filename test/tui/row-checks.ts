/** What a drawn row may hold: text, colours and safe links of our own, all of them ended. */
import { visibleWidth } from "@earendil-works/pi-tui";

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for.
const OWN = /\u001b\[([0-9;]*)m|\u001b\]8;;((?:https?:|mailto:)[\u0021-\u007e]*)?\u001b\\/g;
const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- the same.
  /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu;

/** Control and hidden characters that are no part of our own styles and links. */
export function disallowedControls(row: string): string[] {
  return row.replaceAll(OWN, "").match(CONTROLS) ?? [];
}

const ENDS: Readonly<Record<string, string>> = {
  "22": "1",
  "23": "3",
  "24": "4",
  "27": "7",
  "29": "9",
  "39": "fg",
  "49": "bg",
};

/** Styles that the row began and did not end. */
export function openStyles(row: string): string[] {
  const open = new Set<string>();
  for (const [whole, codes, address] of row.matchAll(OWN)) {
    if (whole.startsWith("\u001b]")) {
      if (address === undefined) open.delete("link");
      else open.add("link");
    } else applyCodes(open, codes === "" ? ["0"] : (codes ?? "").split(";"));
  }
  return [...open];
}

function applyCodes(open: Set<string>, codes: readonly string[]): void {
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? "";
    if (code === "0") for (const one of open) if (one !== "link") open.delete(one);
    if (code === "38" || code === "48") {
      open.add(code === "38" ? "fg" : "bg");
      at += codes[at + 1] === "2" ? 4 : 2;
    } else if (ENDS[code] !== undefined) open.delete(ENDS[code]);
    else if (/^(?:3[0-7]|9[0-7])$/.test(code)) open.add("fg");
    else if (code !== "0") open.add(code);
  }
}

/** Every style that a theme of this program can ask for in full colours. */
const OWN_STYLE = /^(?:(?:0|1|3|4|7|9|22|23|24|27|29|39|49|[34]8;2;\d{1,3};\d{1,3};\d{1,3})(?:;|$))+$/;

/** Styles and links that are not ours although they look like it. */
export function disallowedStyles(row: string): string[] {
  const foreign: string[] = [];
  for (const [whole, codes, address] of row.matchAll(OWN)) {
    if (codes !== undefined && !OWN_STYLE.test(codes)) foreign.push(whole);
    // Ours are written as a URL parser writes them; theirs lack the slash behind the host.
    if (address !== undefined && URL.parse(address)?.href !== address) foreign.push(whole);
  }
  return foreign;
}

export interface RowFault {
  readonly row: string;
  readonly what: readonly string[];
}

/** Rows that are too wide, hold what is not ours, or leave a style on. */
export function rowFaults(rows: readonly string[], width: number): RowFault[] {
  const faults: RowFault[] = [];
  for (const row of rows) {
    const what = [...disallowedControls(row), ...disallowedStyles(row), ...openStyles(row)];
    if (visibleWidth(row) > width) what.push(`wider than ${width}`);
    if (what.length > 0) faults.push({ row, what });
  }
  return faults;
}

import { describe, expect, test } from "vitest";
import {
  createTerminalSafe,
  SEQUENCE_CHARS_MAX,
  terminalSafe,
  terminalSafeLine,
  CLUSTER_WIDTH_MAX,
} from "./terminal-safe.ts";

const ESC = "\u001b";

/** Payload, and its visible form. */
const cases: readonly (readonly [string, string])[] = [
  ["plain text\nwith\ttabs", "plain text\nwith\ttabs"],
  ["Grüße 日本語 👩‍👩‍👧 ❤️", "Grüße 日本語 👩‍👩‍👧 ❤️"],
  [`a${ESC}[31mred${ESC}[0mb`, "aredb"],
  [`a${ESC}[2J${ESC}[Hb`, "ab"],
  [`a${ESC}[6nb`, "ab"],
  [`a${ESC}]0;title\u0007b`, "ab"],
  [`a${ESC}]52;c;Y3VybA==${ESC}\\b`, "ab"],
  [`a${ESC}]8;;https://evil\u0007link${ESC}]8;;\u0007b`, "alinkb"],
  [`a${ESC}P+q544e${ESC}\\b`, "ab"],
  [`a${ESC}_apc${ESC}\\b${ESC}^pm${ESC}\\c${ESC}Xsos${ESC}\\d`, "abcd"],
  [`a${ESC}]52;c;never closed\nnext line`, "a52;c;never closed\nnext line"],
  [`a${ESC}]0;one${ESC}[31mtwo`, "a0;onetwo"],
  [`a${ESC}(0b${ESC}cd${ESC}7e`, "abde"],
  [`a${ESC}`, "a"],
  [`a${ESC}[`, "a"],
  [`a${ESC}[38;2;1;2`, "a"],
  [`a${ESC}${ESC}[31mb`, "ab"],
  [`a${ESC}éb`, "aéb"],
  ["a\u009b31mb", "ab"],
  ["a\u009d52;c;x\u009cb", "ab"],
  ["a\u0090dcs\u0007b", "ab"],
  ["a\u0085b\u0080c", "abc"],
  ["a\u0000b\u0007c\u0008d\u007fe", "a^@b^Gc^Hd^?e"],
  ["one\r\ntwo\rthree\r", "one\ntwo\nthree\n"],
  ["\r\r\n", "\n\n"],
  ["a\u202egnp.exe", "a⟨U+202E⟩gnp.exe"],
  ["\u2066x\u2069\u200f\u061c", "⟨U+2066⟩x⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩"],
  ["hi\u{e0041}\u{e007f}", "hi⟨U+E0041⟩⟨U+E007F⟩"],
  ["a\u200bb\ufeffc\u3164d\u00ade", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+3164⟩d⟨U+00AD⟩e"],
  ["lone \ud83d high", "lone \ufffd high"],
  ["lone \ude00 low", "lone \ufffd low"],
  ["ends high \ud83d", "ends high \ufffd"],
];

/** Output allowed in a terminal: no C0 but \n and \t, no DEL, no C1. */
// oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
const SAFE = /^[\n\t\x20-\x7e\u00a0-\u{10ffff}]*$/u;
const HIDING = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

describe("terminal-safe", () => {
  test.each(cases)("[K20] %j is shown as %j", (payload, shown) => {
    expect(terminalSafe(payload)).toBe(shown);
  });

  test("[K21] text fed one unit at a time gives the same output as the whole", () => {
    const pieces = (text: string) => {
      const stream = createTerminalSafe();
      return [...Array(text.length).keys()].map((at) => stream.push(text.charAt(at))).join("") + stream.end();
    };
    expect(cases.map(([payload]) => pieces(payload))).toEqual(cases.map(([, shown]) => shown));
  });

  test("[K20] nothing dangerous survives random mutations", () => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
    const random = mulberry(seed);
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
    const atoms = [
      ESC,
      "[",
      "]",
      "P",
      "\\",
      "\u0007",
      "\u009b",
      "\u009c",
      "\u009d",
      "52;c;",
      "31m",
      "\n",
      "\r",
      "a",
      "é",
    ];
    const more = ["\ud83d", "\ude00", "\u202e", "\u{e0041}", "\u0018", "(", "0", "\u007f", "\u0000"];
    for (let round = 0; round < 10_000; round++) {
      const text = Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick([...atoms, ...more])).join("");
      const safe = terminalSafe(text);
      expect(SAFE.test(safe) && !HIDING.test(safe), `seed ${seed}: ${JSON.stringify(text)}`).toBe(true);
    }
  });

  test("an unterminated string sequence hides only its introducer", () => {
    const shown = terminalSafe(`${ESC}]0;${"x".repeat(SEQUENCE_CHARS_MAX)}the rest`);
    expect(shown).toBe(`0;${"x".repeat(SEQUENCE_CHARS_MAX)}the rest`);
    for (const begin of [`${ESC}]`, `${ESC}P`, `${ESC}_`, "\u009d", "\u0090"]) {
      expect(terminalSafe(`a ${begin}rm -rf / is next\nb`)).toBe("a rm -rf / is next\nb");
      expect(terminalSafe(`a ${begin}rm -rf /`)).toBe("a rm -rf /");
      expect(terminalSafe(`a ${begin}one${ESC}[31mtwo`)).toBe("a onetwo");
      expect(terminalSafe(`a ${begin}one\u0018two`)).toBe("a onetwo");
      expect(terminalSafe(`a ${begin}title\u0007b`)).toBe("a b");
    }
    // Its content is sanitised too.
    expect(terminalSafe(`${ESC}]one\u202e\u009b31m\u009dtwo\u0001`)).toBe("one⟨U+202E⟩31mtwo^A");
  });

  test("a safe line has no line break and no tab", () => {
    expect(terminalSafeLine(`a title\r\n● codex\tsays${ESC}[2J`)).toBe("a title ● codex says");
  });
});

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = [
  "नमस्ते दुनिया, क्षत्रिय",
  "ราชการกำลังทำ",
  "ｶﾞｷﾞｸﾞ ガギグ",
  "சந்தர்ப்பத்திற்கு",
  "സ്വാതന്ത്ര്യം",
  "శ్రీకృష్ణార్జునయుద్ధము",
  "သန်းခေါင်စာရင်းကောက်ယူခြင်းနှင့်ပတ်သက်သောအချက်အလက်များ",
  "ភាសាខ្មែរ",
  "འཕྲུལ་རིག་བསྒྲུབས",
  "ᬅᬓ᭄ᬱᬭᬩᬮᬶ ꦲꦏ꧀ꦱꦫꦗꦮ",
  "👨‍👩‍👧‍👦 👩🏽‍❤️‍💋‍👨🏿 🏴‍☠️ 👋🏽",
];
const ABUSES: readonly (readonly [string, string])[] = [
  ["\u0915", "\u093e"],
  ["", "\u0915\u094d"],
  ["\u0e01", "\u0e33"],
  ["\uff76", "\uff9e"],
  ["👩", "\u200d👩"],
  ["👋", "\ufe0f🏽"],
  ["\u0915", "\u1039\uff9e\u0915"],
];

test("words in scripts with joining letters are unchanged", () => {
  expect(WORDS.map(terminalSafe)).toEqual(WORDS);
});

test("endless joining sequences are split into characters, the same in chunks as in whole", () => {
  for (const [base, part] of ABUSES) {
    const text = base + part.repeat(60);
    const safe = terminalSafe(text);
    expect(safe.replaceAll("\u25cc", "")).toBe(text);
    const longest = Math.max(...Array.from(new Intl.Segmenter().segment(safe), ({ segment }) => segment.length));
    expect(longest).toBeLessThanOrEqual((CLUSTER_WIDTH_MAX + 1) * (part.length + 1));
    const stream = createTerminalSafe();
    const pieces = Array.from({ length: text.length }, (_, at) => stream.push(text.charAt(at)));
    expect(pieces.join("") + stream.end()).toBe(safe);
  }
});

import { expect, test } from "vitest";
import { CLUSTER_WIDTH_MAX } from "./width-limit.ts";
import { createTerminalSafe, terminalSafe } from "./terminal-safe.ts";

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

test("words of scripts whose letters join stay as they are written", () => {
  expect(WORDS.map(terminalSafe)).toEqual(WORDS);
});

test("of what joins without end a new character begins now and then, the same in pieces as in whole", () => {
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

import { describe, expect, test } from "vitest";
import { chooseTheme } from "./choose-theme.ts";
import { contrast, distance, hex, worstContrast, type Rgb } from "./colour.ts";
import { createTheme, type ThemeName, themeNames } from "./create-theme.ts";
import { glyphOf, inAscii } from "./glyphs.ts";
import { assignColours, SLOTS } from "./member-colours.ts";
import { DARK_BACKGROUNDS, LIGHT_BACKGROUNDS, palettes } from "./palettes.ts";
import { indexedColour } from "./terminal-colours.ts";
import type { ColourDepth, GroundTone, TextTone, Theme, Tone } from "./theme.ts";

const TEXTS: readonly TextTone[] = [
  ...(["text", "you", "quiet", "ok", "bad", "ask", "key", "added", "removed"] as const),
  ...(["keyword", "string", "number", "type", "comment"] as const),
];
const GROUNDS: readonly GroundTone[] = [
  ...(["band", "selected", "code", "addedLine", "removedLine", "addedWord", "removedWord", "match"] as const),
];
const CODE: readonly TextTone[] = ["quiet", "keyword", "string", "number", "type", "comment"];
const SLOT_COLOURS = Array.from({ length: SLOTS }, (_, slot) => `slot ${slot}`);
const GIVEN = [
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "#101010",
  "#f0f0f0",
  "#777777",
  "#7fd88f",
  "#ff7a7a",
  "#56c2f5",
  "nonsense",
];

/** Every text the theme can paint, by what it is. */
function everything(theme: Theme): [name: string, painted: string][] {
  return [
    ...[...TEXTS, ...GROUNDS].map((tone): [string, string] => [tone, theme.paint(tone, "x")]),
    ...SLOT_COLOURS.map((colour): [string, string] => [colour, theme.member("m", "x", colour)]),
    ...GIVEN.map((colour): [string, string] => [`given ${colour}`, theme.member("m", "x", colour)]),
  ];
}

interface Seen {
  foreground?: Rgb;
  background?: Rgb;
  codes: string[];
}

/** What a terminal would make of a painted text. */
function read(painted: string): Seen {
  // oxlint-disable-next-line no-control-regex -- the styles are what is read.
  const codes = (/^\u001b\[([0-9;]*)m/.exec(painted)?.[1] ?? "").split(";").filter((code) => code !== "");
  const seen: Seen = { codes };
  for (let at = 0; at < codes.length; at += 1) {
    const code = Number(codes[at]);
    if (code === 38 || code === 48) {
      const isDirect = codes[at + 1] === "2";
      const [r = 0, g = 0, b = 0] = codes.slice(at + 2, at + 5).map(Number);
      const colour = isDirect ? { r, g, b } : indexedColour(r);
      if (code === 38) seen.foreground = colour;
      else seen.background = colour;
      at += isDirect ? 4 : 2;
    } else if (code >= 30 && code <= 37) seen.foreground = indexedColour(code - 30);
    else if (code >= 90 && code <= 97) seen.foreground = indexedColour(code - 82);
  }
  return seen;
}

const COLOURED = themeNames.filter((name) => name !== "none");
const DEPTHS: readonly ColourDepth[] = ["16", "256", "truecolor"];

/** The themes whose values are exact: dark and light, and dark at 256 colours. */
const EXACT = [
  ["dark", "truecolor", 7.7, 8.8],
  ["light", "truecolor", 7.7, 8.8],
  ["dark", "256", 6.5, 7.1],
] as const;

function foreground(theme: Theme, tone: TextTone): Rgb {
  return read(theme.paint(tone, "x")).foreground ?? ownText(theme);
}

function ownText(theme: Theme): Rgb {
  return (theme.isDark ? palettes.dark : palettes.light).text;
}

function grounds(theme: Theme, tones: readonly GroundTone[]): Rgb[] {
  return tones.flatMap((tone) => read(theme.paint(tone, "x")).background ?? []);
}

function memberColours(theme: Theme, colours: readonly string[] = SLOT_COLOURS): Rgb[] {
  return colours.map((colour) => read(theme.member("m", "x", colour)).foreground ?? ownText(theme));
}

describe.each(EXACT)("%s at %s", (name, depth, fromOthers, fromEach) => {
  const theme = createTheme({ name, depth });
  const reserved = [ownText(theme), ...(["ok", "bad", "ask", "quiet"] as const).map((tone) => foreground(theme, tone))];

  test("everything is readable on bands, on what is selected and in code", () => {
    const backs = grounds(theme, ["band", "selected", "code"]);
    const all = (["quiet", "ok", "bad", "ask"] as const).map((tone) => foreground(theme, tone));
    const low = [...all, ...memberColours(theme)].filter((colour) => worstContrast(colour, backs) < 4.5);
    expect(backs).toHaveLength(3);
    expect(low).toEqual([]);
  });

  test("code is readable in diffs, and the terminal's own foreground on every ground", () => {
    const diffs = grounds(theme, ["addedLine", "removedLine", "code"]);
    expect(CODE.filter((tone) => worstContrast(foreground(theme, tone), diffs) < 4.5)).toEqual([]);
    expect(worstContrast(ownText(theme), grounds(theme, GROUNDS))).toBeGreaterThanOrEqual(4.5);
  });

  test("members are taken neither for you nor for an outcome nor for each other", () => {
    const members = memberColours(theme);
    for (const [at, member] of members.entries()) {
      expect(Math.min(...reserved.map((one) => distance(member, one)))).toBeGreaterThanOrEqual(fromOthers - 0.05);
      const others = members.filter((_, other) => other !== at);
      expect(Math.min(...others.map((one) => distance(member, one)))).toBeGreaterThanOrEqual(fromEach - 0.05);
    }
  });

  test("a colour that a user set is moved until it keeps the same limits", () => {
    const backs = [...(theme.isDark ? DARK_BACKGROUNDS : LIGHT_BACKGROUNDS), ...grounds(theme, ["band", "selected"])];
    const known = GIVEN.filter((colour) => colour !== "nonsense");
    const assigned = assignColours(known.slice(0, 5).map((colour, at) => ({ name: `m${at}`, colour })));
    const moved = memberColours(theme, [...assigned.values()]);
    for (const [at, colour] of moved.entries()) {
      expect(worstContrast(colour, backs)).toBeGreaterThanOrEqual(4.5);
      expect(Math.min(...reserved.map((one) => distance(colour, one)))).toBeGreaterThanOrEqual(fromOthers - 0.05);
      for (const one of moved.slice(0, at)) expect(distance(colour, one)).toBeGreaterThanOrEqual(fromEach - 0.05);
    }
  });
});

describe("contrast", () => {
  for (const name of COLOURED.filter((one) => one !== "ansi")) {
    for (const depth of ["256", "truecolor"] as const) {
      const least = name.startsWith("high-contrast") ? 7 : 4.5;
      test(`${name} at ${depth}: every foreground has a contrast of ${least} or more`, () => {
        const theme = createTheme({ name, depth });
        const usual = theme.isDark ? DARK_BACKGROUNDS : LIGHT_BACKGROUNDS;
        const bad = everything(theme).filter(([, painted]) => {
          const { foreground: colour } = read(painted);
          return colour !== undefined && worstContrast(colour, usual) < least - 0.01;
        });
        expect(bad).toEqual([]);
        expect(worstContrast(ownText(theme), grounds(theme, GROUNDS))).toBeGreaterThanOrEqual(4.5);
      });
    }
  }

  test("bright black is never asked for", () => {
    for (const name of themeNames) {
      for (const isDark of [true, false]) {
        for (const [what, painted] of everything(createTheme({ name, depth: "16", isDark }))) {
          expect({ name, what, codes: read(painted).codes.filter((code) => code === "90" || code === "2") }).toEqual({
            name,
            what,
            codes: [],
          });
        }
      }
    }
  });
});

describe("without colours", () => {
  test("the theme none asks for no colour, and still marks what is selected, found or changed", () => {
    const theme = createTheme({ name: "none", depth: "truecolor" });
    const codes = new Set(everything(theme).flatMap(([, painted]) => read(painted).codes));
    expect([...codes].sort()).toEqual(["1", "4", "7"]);
    expect((["selected", "match", "addedWord", "key", "bad"] as const).map((tone) => theme.paint(tone, "x"))).toEqual([
      "\u001b[7mx\u001b[27m",
      "\u001b[7mx\u001b[27m",
      "\u001b[4mx\u001b[24m",
      "\u001b[1mx\u001b[22m",
      "x",
    ]);
    expect([theme.glyph("bar"), theme.glyph("focusedBar")]).toEqual(["│", "┃"]);
  });

  test("NO_COLOR and a dumb terminal have no colours, whatever is wanted", () => {
    for (const env of [{ NO_COLOR: "1", COLORTERM: "truecolor" }, { TERM: "dumb" }]) {
      expect(chooseTheme({ wanted: "dark", env })).toMatchObject({ name: "none", depth: "none" });
    }
    expect(chooseTheme({ wanted: "dark", env: { NO_COLOR: "", COLORTERM: "truecolor" } }).name).toBe("dark");
  });
});

test("auto follows what the terminal answered, and its depth what the environment says", () => {
  const choose = (background: Rgb | "dark" | "light" | undefined, env: Record<string, string>, wanted = "auto") => {
    const theme = chooseTheme({ wanted, env, ...(background === undefined ? {} : { background }) });
    return `${theme.name} ${theme.depth} ${theme.isDark ? "dark" : "light"}`;
  };
  const rich = { TERM: "xterm-256color", COLORTERM: "truecolor" };
  expect([
    choose(hex("#ffffff"), rich),
    choose(hex("#1e1e1e"), rich),
    choose("light", { TERM: "xterm-256color" }),
    choose(undefined, { TERM: "xterm" }),
    choose(undefined, { ...rich, COLORFGBG: "0;15" }),
    choose(hex("#1e1e1e"), { ...rich, COLORFGBG: "0;15" }),
    choose("light", { TERM: "linux" }),
    choose("light", rich, "colour-blind"),
    choose("light", rich, "high-contrast"),
    choose("dark", rich, "light"),
    choose("dark", rich, "no such theme"),
  ]).toEqual([
    "light truecolor light",
    "dark truecolor dark",
    "light 256 light",
    "ansi 16 dark",
    "light truecolor light",
    "dark truecolor dark",
    "ansi 16 light",
    "colour-blind-light truecolor light",
    "high-contrast-light truecolor light",
    "light truecolor light",
    "dark truecolor dark",
  ]);
});

test("with sixteen colours bright blue is a member's only where the terminal has a readable one", () => {
  const third = (brightBlue?: Rgb, background: Rgb = hex("#000000")) => {
    const given = brightBlue === undefined ? {} : { brightBlue };
    return chooseTheme({ wanted: "auto", env: { TERM: "xterm" }, background, ...given }).member("x", "x", "slot 2");
  };
  expect(third(hex("#8080ff"))).toBe("\u001b[94mx\u001b[39m");
  for (const unreadable of [third(), third(hex("#0000ee")), third(hex("#8080ff"), hex("#505060"))])
    expect(unreadable).toBe("\u001b[96;4mx\u001b[39;24m");
});

describe("glyphs", () => {
  const isAscii = (env: Record<string, string>) => chooseTheme({ wanted: "auto", env }).isAscii;

  test("are ASCII where the locale is not UTF-8 and on the Linux console", () => {
    expect(isAscii({ TERM: "xterm", LANG: "de_DE.UTF-8" })).toBe(false);
    expect(isAscii({ TERM: "xterm", LANG: "C.utf8" })).toBe(false);
    expect(isAscii({ TERM: "xterm", LANG: "de_DE.UTF-8", LC_ALL: "C" })).toBe(true);
    expect(isAscii({ TERM: "xterm", LANG: "de_DE@euro" })).toBe(true);
    expect(isAscii({ TERM: "linux", LANG: "de_DE.UTF-8" })).toBe(true);
    expect(isAscii({ TERM: "xterm" })).toBe(false);
  });

  test("are ASCII where the terminal says that it draws them two columns wide", () => {
    const env = { TERM: "xterm-256color", LANG: "de_DE.UTF-8" };
    expect(chooseTheme({ wanted: "auto", env, hasWideGlyphs: true }).glyph("needsYou")).toBe("!");
    expect(chooseTheme({ wanted: "auto", env, hasWideGlyphs: false }).glyph("needsYou")).toBe("◆");
  });

  test("have an ASCII form, also inside our own words", () => {
    expect(glyphOf("needsYou", { isAscii: true, hasColours: true })).toBe("!");
    expect(inAscii("Ctrl+↓ ↑ next · “no” → 1–4 − é 日 …")).toBe('Ctrl+v ^ next - "no" > 1-4 - é 日 ~');
  });

  test("every spinner turns in step, and none where nothing may move", () => {
    const theme = createTheme({ name: "none", depth: "none" });
    expect([0, 99, 100, 950, 1000].map((now) => theme.spinner(now))).toEqual(["⠋", "⠋", "⠙", "⠏", "⠋"]);
    expect(createTheme({ name: "none", depth: "none", isAscii: true }).spinner(300)).toBe("\\");
    expect(createTheme({ name: "none", depth: "none", hasMotion: false }).spinner(300)).toBe("");
  });
});

describe("members", () => {
  const NAMES = ["claude", "codex", "pi", "cursor", "gemini", "local", "a", "b"];

  test("take the slots in order and keep them when others come", () => {
    const four = assignColours(NAMES.slice(0, 4).map((name) => ({ name })));
    expect([...four.values()]).toEqual(["slot 0", "slot 1", "slot 2", "slot 3"]);
    const eight = assignColours(NAMES.map((name) => ({ name })));
    expect([...eight.entries()].slice(0, 4)).toEqual([...four.entries()]);
  });

  test.each(DEPTHS)("at depth %s no two of eight look alike, and none like you or like what is quiet", (depth) => {
    for (const isDark of [true, false]) {
      for (const hasReadableBlue of [true, false]) {
        const name = depth === "16" ? "ansi" : isDark ? "dark" : "light";
        const theme = createTheme({ name, depth, isDark, hasReadableBlue });
        const styles = SLOT_COLOURS.map((colour) => theme.member("m", "x", colour));
        expect(new Set([...styles, theme.paint("quiet", "x"), theme.paint("you", "x")]).size).toBe(10);
      }
    }
  });

  test("a colour that keeps the limits stays as it was given", () => {
    const theme = createTheme({ name: "dark", depth: "truecolor" });
    expect(theme.member("claude", "x", "#56c2f5 slot 0")).toBe("\u001b[38;2;86;194;245mx\u001b[39m");
    expect(theme.member("claude", "x", "#56c2f5 slot 1")).not.toBe(theme.member("claude", "x", "slot 0"));
    expect(contrast(memberColours(theme, ["#200000"])[0] ?? hex("#000000"), hex("#282c34"))).toBeGreaterThan(4.5);
  });
});

/** How people see who lack one kind of cone (Machado and others, 2009, full strength). */
const BLINDNESS = {
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
} as const;

function seenBy(matrix: readonly number[], { r, g, b }: Rgb): Rgb {
  const linear = [r, g, b].map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  const row = (at: number) => linear.reduce((sum, value, index) => sum + value * (matrix[at * 3 + index] ?? 0), 0);
  const back = (value: number) => {
    const inside = Math.min(1, Math.max(0, value));
    return Math.round(255 * (inside <= 0.0031308 ? inside * 12.92 : 1.055 * inside ** (1 / 2.4) - 0.055));
  };
  return { r: back(row(0)), g: back(row(1)), b: back(row(2)) };
}

describe("for those who do not see red or green", () => {
  for (const name of ["colour-blind", "colour-blind-light"] satisfies ThemeName[]) {
    for (const [kind, matrix] of Object.entries(BLINDNESS)) {
      test(`${name}: what must not be confused stays apart with ${kind}`, () => {
        const theme = createTheme({ name, depth: "truecolor" });
        const colour = (tone: Tone) => seenBy(matrix, read(theme.paint(tone, "x")).foreground ?? hex("#000000"));
        const pairs: [Tone, Tone][] = [
          ["ok", "bad"],
          ["added", "removed"],
          ["ok", "ask"],
        ];
        const near = pairs.filter(([a, b]) => distance(colour(a), colour(b)) < 15);
        expect(near).toEqual([]);
      });
    }
  }
});

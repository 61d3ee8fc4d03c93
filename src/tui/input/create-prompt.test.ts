import { CURSOR_MARKER, setKittyProtocolActive, visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { alt, ctrl, KEYS, memoryDrafts, memoryHistory, openPrompt, paste } from "../../../test/tui/prompt-on-screen.ts";
import { createKeymap } from "../keys/keymap.ts";
import { SAVE_AFTER_MS } from "./draft-autosave.ts";

const RULE = "─".repeat(60);

describe("writing", () => {
  test("an empty box shows a hint under the cursor, and the text that replaces it", async () => {
    using box = await openPrompt();
    expect(await box.rows()).toEqual([RULE, " ❯ say something", RULE]);
    await box.type("hi");
    expect(await box.rows()).toEqual([RULE, " ❯ hi", RULE]);
  });

  test("Enter sends the text once, empties the box and puts it into the history", async () => {
    using box = await openPrompt();
    await box.type("hello you", KEYS.enter, KEYS.enter);
    expect(box.sent).toEqual([{ text: "hello you", how: "send" }]);
    expect(box.prompt.text).toBe("");
    expect(box.history.lines).toEqual(["hello you"]);
  });

  test("blank text is never sent", async () => {
    using box = await openPrompt();
    await box.type("  ", KEYS.ctrlJ, " ", KEYS.enter);
    expect(box.sent).toEqual([]);
  });

  test.each([
    ["Shift+Enter, kitty", KEYS.shiftEnter, true],
    ["Shift+Enter, kitty with event type", "\u001b[13;2:1u", true],
    ["Shift+Enter, modifyOtherKeys", KEYS.shiftEnterXterm, false],
    ["Alt+Enter, legacy", KEYS.altEnter, false],
    ["Alt+Enter, kitty", "\u001b[13;3u", true],
    ["Alt+Enter, modifyOtherKeys", "\u001b[27;3;13~", false],
    ["Ctrl+J, legacy", KEYS.ctrlJ, false],
    ["Ctrl+J, kitty", "\u001b[106;5u", true],
    ["Ctrl+J, modifyOtherKeys", "\u001b[27;5;106~", false],
  ])("%s makes a line", async (_name, key, isKitty) => {
    using box = await openPrompt();
    setKittyProtocolActive(isKitty);
    await box.type("a", key, "b");
    expect(box.prompt.text).toBe("a\nb");
    expect(box.sent).toEqual([]);
    expect(await box.rows()).toEqual([RULE, " ❯ a", "   b", RULE]);
  });

  test("a backslash before Enter makes a line and goes", async () => {
    using box = await openPrompt();
    await box.type("a\\", KEYS.enter, "b", KEYS.enter);
    expect(box.sent).toEqual([{ text: "a\nb", how: "send" }]);
  });

  test.each([
    ["legacy", "\r", false],
    ["kitty", "\u001b[13u", true],
    ["numpad, kitty", "\u001b[57414u", true],
    ["SS3", "\u001bOM", false],
  ])("Enter in the %s form sends", async (_name, key, isKitty) => {
    using box = await openPrompt();
    setKittyProtocolActive(isKitty);
    await box.type("x", key);
    expect(box.sent).toEqual([{ text: "x", how: "send" }]);
  });

  test("the release of a key does nothing", async () => {
    using box = await openPrompt();
    await box.type("x");
    box.prompt.component.handleInput?.("\u001b[13;1:3u");
    box.prompt.component.handleInput?.("\u001b[97;1:3u");
    expect({ sent: box.sent, text: box.prompt.text }).toEqual({ sent: [], text: "x" });
  });

  test("Tab queues while members run, text is there and no list is open; else it does not", async () => {
    using box = await openPrompt();
    await box.type("later", KEYS.tab);
    expect(box.sent).toEqual([]);
    box.isRunning = true;
    await box.type(KEYS.tab);
    expect(box.sent).toEqual([{ text: "later", how: "queue" }]);
    await box.type(KEYS.tab, "/mute x", KEYS.tab);
    expect(box.sent).toHaveLength(1);
  });

  test("the box grows to a third of the screen, then scrolls and says how much is hidden", async () => {
    using box = await openPrompt({ rows: 30 });
    for (let line = 1; line <= 20; line++) await box.type(`line ${line}`, KEYS.ctrlJ);
    const rows = await box.rows();
    expect(rows.length).toBeLessThanOrEqual(12);
    expect(rows[0]).toContain("↑ 12 more");
    expect(rows).toContain("   line 20");
  });

  test.each([
    ["Ctrl+A, Ctrl+E", ["b", ctrl("a"), "a", ctrl("e"), "c"], "abc"],
    ["Home, End", ["b", KEYS.home, "a", KEYS.end, "c"], "abc"],
    ["Ctrl+B, Ctrl+F", ["acd", ctrl("b"), ctrl("b"), "b", ctrl("f"), ctrl("f"), "e"], "abcde"],
    ["Ctrl+W, Ctrl+Y", ["one two", ctrl("w"), ctrl("a"), ctrl("y"), " "], "two one "],
    ["Ctrl+U", ["gone", ctrl("u"), "here"], "here"],
    ["Ctrl+K", ["keep gone", ctrl("a"), alt("f"), ctrl("k")], "keep"],
    ["Alt+B", ["one two", alt("b"), "x"], "one xtwo"],
    ["Alt+F", ["one two", ctrl("a"), alt("f"), "x"], "onex two"],
    ["Alt+D", ["one two", ctrl("a"), alt("d")], " two"],
    ["Ctrl+D", ["abc", ctrl("a"), ctrl("d")], "bc"],
    ["Ctrl+D on an empty box", [ctrl("d")], ""],
    ["Backspace over an emoji", ["a👨‍👩‍👧", KEYS.backspace], "a"],
    ["Ctrl+_", ["one", " two", "\u001f"], "one"],
    ["Ctrl+- in kitty", ["one", " two", "\u001b[45;5u"], "one"],
    ["Ctrl+Shift+- in kitty", ["one", " two", "\u001b[45:95;6u"], "one"],
    ["Ctrl+Left", ["one two", "\u001b[1;5D", "x"], "one xtwo"],
    ["Ctrl+A in modifyOtherKeys", ["b", "\u001b[27;5;97~", "a"], "ab"],
    ["capital letters in modifyOtherKeys", ["\u001b[27;2;65~", "b"], "Ab"],
    ["characters in kitty", ["\u001b[97u", "\u001b[98:66;2u"], "aB"],
  ])("%s", async (_name, keys, expected) => {
    using box = await openPrompt();
    await box.type(...keys);
    expect(box.prompt.text).toBe(expected);
  });

  test("the hardware cursor stands behind wide characters, for an input method", async () => {
    using box = await openPrompt();
    await box.type("日本");
    expect(await box.rows()).toEqual([RULE, " ❯ 日本", RULE]);
    const [, row = ""] = box.prompt.component.render(60);
    const [before = ""] = row.split(CURSOR_MARKER);
    expect(visibleWidth(before)).toBe(7);
  });

  test("no row is wider than the terminal, from 20 columns", async () => {
    using box = await openPrompt({ columns: 20 });
    await box.type("日本語の長いテキスト and some words 👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻", paste("x\n".repeat(40)));
    expect(await box.rows()).toEqual([
      "─".repeat(20),
      " ❯ 日本語の長いテ",
      "   キスト and",
      "   some words",
      "   👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻",
      "   [pasted 41 lin",
      "   es]",
      "─".repeat(20),
    ]);
  });
});

describe("history", () => {
  test("Up on the first row goes back, Down on the last forward, and the draft comes back as it was", async () => {
    using box = await openPrompt({ history: memoryHistory("first", "second\nof two") });
    await box.type("draft ", paste("p\n".repeat(20)), KEYS.up);
    expect(box.prompt.text).toBe("second\nof two");
    await box.type(KEYS.up);
    expect(box.prompt.text).toBe("first");
    await box.type(KEYS.up);
    expect(box.prompt.text).toBe("first");
    await box.type(KEYS.down, KEYS.down);
    expect(await box.rows()).toEqual([RULE, " ❯ draft [pasted 21 lines]", RULE]);
    expect(box.prompt.text).toBe(`draft ${"p\n".repeat(20)}`);
  });

  test("an entry that was changed is found changed, and the history keeps it as it was sent", async () => {
    using box = await openPrompt({ history: memoryHistory("one", "two") });
    await box.type(KEYS.up, "!", KEYS.up, KEYS.down);
    expect(box.prompt.text).toBe("two!");
    await box.type(KEYS.down, KEYS.up, KEYS.enter);
    expect(box.sent).toEqual([{ text: "two!", how: "send" }]);
    expect(box.history.lines).toEqual(["one", "two", "two!"]);
  });

  test("sending an entry brings the draft back that was in progress", async () => {
    using box = await openPrompt({ history: memoryHistory("again") });
    await box.type("half a thought", KEYS.up, KEYS.enter);
    expect(box.sent).toEqual([{ text: "again", how: "send" }]);
    expect(box.prompt.text).toBe("half a thought");
  });

  test("Ctrl+R finds as one types, again for older, Enter takes and does not send", async () => {
    using box = await openPrompt({ history: memoryHistory("fix the parser", "write docs", "fix the lexer") });
    await box.type(ctrl("r"), "fix");
    expect(await box.rows()).toEqual([
      RULE,
      "  fix the lexer",
      "history: fix   Ctrl+R older · Enter use · Esc close",
      RULE,
    ]);
    await box.type(ctrl("r"));
    expect((await box.rows())[1]).toBe("  fix the parser");
    await box.type(KEYS.enter);
    expect({ text: box.prompt.text, sent: box.sent }).toEqual({ text: "fix the parser", sent: [] });
  });

  test("Escape leaves the search with the draft untouched; a miss is said", async () => {
    using box = await openPrompt({ history: memoryHistory("fix") });
    await box.type("my draft", ctrl("r"), "zzz");
    expect(box.prompt.isSearching).toBe(true);
    expect((await box.rows())[1]).toContain("no match: zzz");
    await box.type(KEYS.backspace, KEYS.backspace, KEYS.backspace, "f");
    expect((await box.rows())[1]).toBe("  fix");
    await box.type(KEYS.escape);
    expect({ isSearching: box.prompt.isSearching, text: box.prompt.text }).toEqual({
      isSearching: false,
      text: "my draft",
    });
  });

  test("another key works on what was found, and what is no key does nothing", async () => {
    using box = await openPrompt({ history: memoryHistory("found it", "other") });
    await box.type(ctrl("r"), "fou");
    for (const report of ["\u001b[I", "\u001b[O"]) box.prompt.component.handleInput?.(report);
    expect(box.prompt.isSearching).toBe(true);
    await box.type(ctrl("a"), ">");
    expect({ text: box.prompt.text, isSearching: box.prompt.isSearching }).toEqual({
      text: ">found it",
      isSearching: false,
    });
  });

  test("asking for the search again goes to an older line, and a pasted word is searched for", async () => {
    using box = await openPrompt({ history: memoryHistory("fix one", "fix two") });
    box.prompt.searchHistory();
    await box.type(paste("fix\nnot this"));
    box.prompt.searchHistory();
    await box.type(KEYS.enter);
    expect(box.prompt.text).toBe("fix one");
  });

  test("a long line that was found is cut, whatever is searched for", async () => {
    using box = await openPrompt({ columns: 20, history: memoryHistory(`a[0m${"x".repeat(40)}`) });
    await box.type(ctrl("r"), "[");
    expect(await box.rows()).toEqual(["─".repeat(20), `  a[0m${"x".repeat(13)}…`, "history: [", "─".repeat(20)]);
  });

  test("taking a found line puts the draft in progress into the history", async () => {
    using box = await openPrompt({ history: memoryHistory("found") });
    await box.type("my draft", ctrl("r"), "fou", KEYS.enter);
    expect({ text: box.prompt.text, lines: box.history.lines }).toEqual({
      text: "found",
      lines: ["found", "my draft"],
    });
  });
});

describe("the draft", () => {
  test("a draft is with the store at most 300 ms after a key, also while typing goes on", async () => {
    expect(SAVE_AFTER_MS).toBeLessThanOrEqual(300);
    using box = await openPrompt();
    await box.type("a");
    box.clock.advance(SAVE_AFTER_MS - 1);
    await box.type("b");
    expect([...box.drafts.drafts]).toEqual([]);
    box.clock.advance(1);
    expect([...box.drafts.drafts]).toEqual([["s1", "ab"]]);
  });

  test("the draft comes back with its session, and sending removes it", async () => {
    using box = await openPrompt({ drafts: memoryDrafts({ s1: "left here", s2: "other" }) });
    expect(box.prompt.text).toBe("left here");
    await box.type("!");
    await box.prompt.openSession("s2");
    expect(box.prompt.text).toBe("other");
    await box.type(KEYS.enter);
    box.clock.advance(SAVE_AFTER_MS);
    expect([...box.drafts.drafts]).toEqual([["s1", "left here!"]]);
    await box.prompt.openSession("s1");
    expect(box.prompt.text).toBe("left here!");
  });

  test("a draft of typed text and two pastes comes back as typed text and two marks", async () => {
    const lines = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} ${at}`).join("\n");
    const [log, list] = [lines(5_000, "log"), lines(12, "item")];
    const drafts = memoryDrafts();
    using box = await openPrompt({ drafts, columns: 90 });
    await box.type("see ", paste(log), " and ", paste("\u0007"), paste(list), " please");
    box.clock.advance(SAVE_AFTER_MS);
    const { text } = box.prompt;
    const shown = "see [pasted 5,000 lines] and ⟨U+0007⟩[pasted 12 lines] please";
    expect(text).toBe(`see ${log} and \u0007${list} please`);
    using again = await openPrompt({ drafts, columns: 90 });
    expect((await again.rows()).join("\n")).toContain(shown);
    await again.type("!");
    again.clock.advance(SAVE_AFTER_MS);
    expect([again.prompt.text, drafts.drafts.get("s1")]).toEqual([`${text}!`, `${text}!`]);
    using early = await openPrompt({ drafts, isBeforeSession: true });
    await early.type("first ", paste(list));
    await early.prompt.openSession("s1");
    early.clock.advance(SAVE_AFTER_MS);
    using last = await openPrompt({ drafts, columns: 90 });
    expect((await last.rows()).join("\n")).toMatch(/please!\s+first \[pasted 12 lines\]/);
    expect(last.prompt.text).toBe(`${text}!\nfirst ${list}`);
  });

  test("what is typed before the stored draft is there is kept behind it", async () => {
    using box = await openPrompt({ drafts: memoryDrafts({ s2: "stored" }) });
    const opening = box.prompt.openSession("s2");
    box.screen.terminal.type("x");
    box.clock.advance(SAVE_AFTER_MS);
    await opening;
    expect(box.prompt.text).toBe("stored\nx");
  });

  test("a session left before its draft was read keeps both", async () => {
    using box = await openPrompt({ drafts: memoryDrafts({ s2: "stored" }) });
    const first = box.prompt.openSession("s2");
    box.screen.terminal.type("x");
    await box.prompt.openSession("s3");
    await first;
    expect({ text: box.prompt.text, drafts: [...box.drafts.drafts] }).toEqual({
      text: "",
      drafts: [["s2", "stored\nx"]],
    });
  });

  test("what is typed before any session is open is the draft of the first one, behind what is stored, and is kept", async () => {
    using fresh = await openPrompt({ isBeforeSession: true });
    await fresh.type("early");
    await fresh.prompt.openSession(undefined);
    fresh.clock.advance(SAVE_AFTER_MS);
    expect([fresh.prompt.text, ...fresh.drafts.drafts]).toEqual(["early", ["new", "early"]]);
    using stored = await openPrompt({ isBeforeSession: true, drafts: memoryDrafts({ s1: "stored" }) });
    await stored.type("early");
    await stored.prompt.openSession("s1");
    expect(stored.prompt.text).toBe("stored\nearly");
  });

  test("what is typed and left before any session is open is in the history", async () => {
    using box = await openPrompt({ isBeforeSession: true });
    await box.type("early");
    await box.prompt.flush();
    expect([box.history.lines, [...box.drafts.drafts]]).toEqual([["early"], []]);
  });

  test("the draft of a new session goes with it when it gets its id", async () => {
    using box = await openPrompt();
    await box.prompt.openSession(undefined);
    await box.type("next thing");
    await box.prompt.flush();
    expect([...box.drafts.drafts]).toEqual([["new", "next thing"]]);
    box.prompt.adoptSession("s9");
    expect({ text: box.prompt.text, drafts: [...box.drafts.drafts] }).toEqual({
      text: "next thing",
      drafts: [["s9", "next thing"]],
    });
  });

  test("putting away empties the box into the history", async () => {
    using box = await openPrompt();
    await box.type("not now");
    box.prompt.putAway();
    expect({ text: box.prompt.text, lines: box.history.lines }).toEqual({ text: "", lines: ["not now"] });
    await box.type(KEYS.up);
    expect(box.prompt.text).toBe("not now");
  });

  test("a text from an agent does not lose the draft in progress, and undo brings it back", async () => {
    using box = await openPrompt();
    await box.type("mine");
    box.prompt.setText("from an agent");
    expect({ text: box.prompt.text, lines: box.history.lines }).toEqual({ text: "from an agent", lines: ["mine"] });
    await box.type("\u001f");
    expect(box.prompt.text).toBe("mine");
  });

  test("Ctrl+S puts the draft aside and brings it back, and the history has it meanwhile", async () => {
    using box = await openPrompt();
    await box.type("later", ctrl("s"));
    expect({ text: box.prompt.text, lines: box.history.lines }).toEqual({ text: "", lines: ["later"] });
    await box.type("now", KEYS.enter, ctrl("s"));
    expect({ text: box.prompt.text, sent: box.sent }).toEqual({ text: "later", sent: [{ text: "now", how: "send" }] });
  });

  test("while the user looks back, what is kept is the draft in progress", async () => {
    using box = await openPrompt({ history: memoryHistory("old") });
    await box.type("draft", KEYS.up);
    box.clock.advance(SAVE_AFTER_MS);
    expect([...box.drafts.drafts]).toEqual([["s1", "draft"]]);
    await box.type("er");
    box.clock.advance(SAVE_AFTER_MS);
    expect({ drafts: [...box.drafts.drafts], lines: box.history.lines }).toEqual({
      drafts: [["s1", "older"]],
      lines: ["old", "draft"],
    });
  });
});

describe("remapped keys", () => {
  test("a remapped key reaches the editor, and its old key does nothing", async () => {
    using box = await openPrompt({
      keymap: createKeymap({ send: ["ctrl+x"], newline: ["enter"], undo: ["alt+u"], "line-start": [] }),
    });
    await box.type("a", KEYS.enter, "b", ctrl("a"), "c", " d", alt("u"), ctrl("x"));
    expect(box.sent).toEqual([{ text: "a\nbc", how: "send" }]);
  });
});

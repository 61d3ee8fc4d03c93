import { describe, expect, test } from "vitest";
import { KEYS, noCompletions, openPrompt, paste } from "../../../test/tui/prompt-on-screen.ts";
import { FILES_WAIT_MS } from "./completion.ts";
import type { CompletionSource } from "./prompt.ts";

const table: CompletionSource = {
  members: () => [
    { value: "claude", label: "claude", description: "claude · idle" },
    { value: "codex", label: "codex" },
  ],
  files: (query) =>
    Promise.resolve(["src/cli/main.ts", "src/", "my notes.md", "clé.txt"].filter((name) => name.includes(query))),
  commands: () => [
    { name: "mute", usage: "/mute NAME", summary: "take the word from a member" },
    { name: "members", usage: "/members", summary: "who sits here" },
    { name: "help", usage: "/help [COMMAND]", summary: "what one can do" },
    { name: "quit", aliases: ["exit", "q"], usage: "/quit", summary: "leaves" },
    { name: "queue", usage: "/queue TEXT", summary: "waits" },
  ],
  commandArguments: (name, prefix) =>
    Promise.resolve(
      name === "mute"
        ? ["claude", "codex"].filter((it) => it.startsWith(prefix)).map((it) => ({ value: it, label: it }))
        : [],
    ),
};

/** The rows of the list, without the columns between them. */
function listed(rows: readonly string[]): string[] {
  const [menu = 0, box = 0] = rows.flatMap((row, at) => (row.startsWith("─") ? [at] : []));
  return rows
    .slice(menu + 1, /^─ (?:Commands|Members and files|\/\S+) ─/.test(rows[menu] ?? "") ? box : menu + 1)
    .map((row) => row.trim().replaceAll(/\s{2,}/g, " | "));
}

describe("mentions", () => {
  test("@ offers members first, then files, each with its kind", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("ask @c");
    expect(listed(await box.rows())).toEqual([
      "❯ @claude | claude · idle",
      "@codex | member",
      "@src/cli/main.ts | file",
      "@src/ | directory",
      "@clé.txt | file",
    ]);
  });

  test("@ inside a word offers nothing", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("me@c");
    expect(box.prompt.isCompleting).toBe(false);
  });

  test("Enter takes the marked completion and does not send; a second Enter sends", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("ask @co", KEYS.enter);
    expect({ text: box.prompt.text, sent: box.sent }).toEqual({ text: "ask @codex ", sent: [] });
    await box.type("why", KEYS.enter);
    expect(box.sent).toEqual([{ text: "ask @codex why", how: "send" }]);
  });

  test("Enter sends at once when what is typed is exactly the completion", async () => {
    using box = await openPrompt({ completions: { ...table, files: () => Promise.resolve(["claude.md"]) } });
    await box.type("ask @claude");
    expect(box.prompt.isCompleting).toBe(true);
    await box.type(KEYS.enter);
    expect(box.sent).toEqual([{ text: "ask @claude", how: "send" }]);
  });

  test("arrows choose, Tab takes, and a queue is not meant while the list is open", async () => {
    using box = await openPrompt({ completions: table });
    box.isRunning = true;
    await box.type("@c", KEYS.down, KEYS.tab);
    expect({ text: box.prompt.text, sent: box.sent }).toEqual({ text: "@codex ", sent: [] });
    await box.type(KEYS.tab);
    expect(box.sent).toEqual([{ text: "@codex ", how: "queue" }]);
  });

  test("Tab right after a letter of a mention completes and never queues half a name", async () => {
    using box = await openPrompt({ completions: table });
    box.isRunning = true;
    for (const key of ["@", "c", "l", "\t"]) box.screen.terminal.type(key);
    expect(box.sent).toEqual([]);
  });

  test("keys that come in one piece never take a completion of what stood there before them", async () => {
    using box = await openPrompt({ completions: table });
    const burst = (text: string): void => text.split("").forEach((key) => box.screen.terminal.type(key));
    await box.type("/m");
    burst("embers\r");
    expect(box.sent).toEqual([{ text: "/members", how: "send" }]);
    await box.type("@c");
    burst("odex why\r");
    expect(box.sent.slice(1)).toEqual([{ text: "@codex why", how: "send" }]);
    await box.type("@c");
    burst("l\r");
    expect({ text: box.prompt.text, count: box.sent.length }).toEqual({ text: "@claude ", count: 2 });
  });

  test("a list goes with the text it was for", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("/m");
    expect(box.prompt.isCompleting).toBe(true);
    await box.type("\u0015");
    expect({ text: box.prompt.text, isCompleting: box.prompt.isCompleting }).toEqual({ text: "", isCompleting: false });
  });

  test("Escape closes the list only", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("@c", KEYS.escape);
    expect({ text: box.prompt.text, isCompleting: box.prompt.isCompleting }).toEqual({
      text: "@c",
      isCompleting: false,
    });
  });

  test("closePopup closes the list and says whether there was one", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("@c");
    expect([box.prompt.closePopup(), box.prompt.closePopup()]).toEqual([true, false]);
  });

  test("a directory is taken without a space and its files are offered; a name with a space is quoted", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("@sr", KEYS.down, KEYS.enter);
    expect({ text: box.prompt.text, isCompleting: box.prompt.isCompleting }).toEqual({
      text: "@src/",
      isCompleting: true,
    });
    box.prompt.setText("");
    await box.type("@my", KEYS.enter);
    expect(box.prompt.text).toBe('@"my notes.md" ');
  });

  test("members do not wait for slow files, which join the list when they are there", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    using box = await openPrompt({ completions: { ...table, files: () => promise } });
    await box.type("@cl");
    expect(box.prompt.isCompleting).toBe(false);
    box.clock.advance(FILES_WAIT_MS);
    await box.type("");
    expect(listed(await box.rows())).toEqual(["❯ @claude | claude · idle"]);
    resolve(["cli.ts"]);
    await box.type("");
    expect(listed(await box.rows())).toEqual(["❯ @claude | claude · idle", "@cli.ts | file"]);
  });

  test("a source that fails completes nothing and breaks nothing", async () => {
    const completions: CompletionSource = {
      ...noCompletions,
      files: () => Promise.reject(new Error("no files")),
      commandArguments: () => Promise.reject(new Error("no arguments")),
    };
    using box = await openPrompt({ completions });
    await box.type("/mute x", KEYS.ctrlJ, "@c", KEYS.tab, KEYS.enter);
    expect(box.sent).toEqual([{ text: "/mute x\n@c", how: "send" }]);
  });

  test("a file name with an escape sequence is shown and put in harmless, and sent as it is", async () => {
    const evil = "a\u001b]0;owned\u0007.txt";
    using box = await openPrompt({ completions: { ...noCompletions, files: () => Promise.resolve([evil]) } });
    await box.type("@a");
    expect(listed(await box.rows())).toEqual(["❯ @a.txt | file"]);
    await box.type(KEYS.enter);
    expect({ rows: (await box.rows())[1], text: box.prompt.text }).toEqual({
      rows: " ❯ @a⟨U+001B⟩]0;owned⟨U+0007⟩.txt",
      text: `@${evil} `,
    });
    expect(box.screen.terminal.title).toBe("");
  });
});

describe("commands", () => {
  test("/ at the start offers commands with what they do", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("/m");
    expect(listed(await box.rows())).toEqual(["❯ /mute | take the word from a member", "/members | who sits here"]);
  });

  test.each([
    ["after text", ["say /m"]],
    ["on the second line", ["say", KEYS.ctrlJ, "/m"]],
    ["after a space", [" /m"]],
    ["in a paste", [paste("/m")]],
  ])("/ %s offers none", async (_name, keys) => {
    using box = await openPrompt({ completions: table });
    await box.type(...keys);
    expect(box.prompt.isCompleting).toBe(false);
  });

  test("a taken command offers its arguments, and nothing is sent before Enter on a whole line", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("/mu", KEYS.enter);
    expect({ text: box.prompt.text, sent: box.sent }).toEqual({ text: "/mute ", sent: [] });
    expect(listed(await box.rows())).toEqual(["❯ claude", "codex"]);
    await box.type("co", KEYS.enter);
    expect({ text: box.prompt.text, sent: box.sent }).toEqual({ text: "/mute codex ", sent: [] });
    await box.type(KEYS.enter);
    expect(box.sent).toEqual([{ text: "/mute codex ", how: "send" }]);
  });

  test("a command has one row, under the name of it that is typed", async () => {
    using box = await openPrompt({ completions: table });
    const rows = async (typed: string) => {
      await box.type("\u0015", typed);
      return listed(await box.rows());
    };
    expect(await rows("/")).toHaveLength(table.commands().length);
    expect(await rows("/qu")).toEqual(["❯ /quit | leaves", "/queue | waits"]);
    expect(await rows("/ex")).toEqual(["❯ /exit | leaves (/quit)"]);
    await box.type(KEYS.enter, KEYS.enter);
    // A name that is typed in full goes before those that only begin with it.
    await box.type("/q", KEYS.enter);
    expect(box.sent).toEqual([
      { text: "/exit", how: "send" },
      { text: "/q", how: "send" },
    ]);
  });

  test("what does not fit a row of the list ends in an ellipsis, the name and what it does", async () => {
    const commands = () => [
      { name: `far${"a".repeat(30)}`, usage: "/far", summary: "goes on and on ".repeat(9).trim() },
      { name: "near", usage: "/near", summary: "fits" },
    ];
    using box = await openPrompt({ completions: { ...table, commands } });
    await box.type("/");
    expect(listed(await box.rows())).toEqual([
      expect.stringMatching(/^❯ \/fara+… \| goes on and on goes on.*…$/) as string,
      "/near | fits",
    ]);
  });

  test("of a path that does not fit its end is shown", async () => {
    const files = () => Promise.resolve(["src/one.ts", `src/${"deep/".repeat(12)}one.test.ts`]);
    using box = await openPrompt({ completions: { ...table, members: () => [], files } });
    await box.type("@");
    expect(listed(await box.rows())).toEqual([
      "❯ @src/one.ts | file",
      expect.stringMatching(/^@…(eep\/|ep\/|p\/|\/)?(deep\/)+one\.test\.ts \| file$/) as string,
    ]);
  });

  test("a command is sent by one Enter, typed or chosen, unless it needs an argument; Tab only completes", async () => {
    using box = await openPrompt({ completions: table });
    await box.type("/members", KEYS.enter, "/mem", KEYS.enter, "/hel", KEYS.enter, "/", KEYS.down, KEYS.enter);
    expect(box.sent.map(({ text }) => text.trim())).toEqual(["/members", "/members", "/help", "/members"]);
    await box.type("/mem", KEYS.tab);
    expect({ text: box.prompt.text, sent: box.sent.length }).toEqual({ text: "/members", sent: 4 });
    await box.type("\u0015", "/queu", KEYS.enter);
    expect({ text: box.prompt.text, sent: box.sent.length }).toEqual({ text: "/queue ", sent: 4 });
    await box.type("\u0015", "/mem later", ...Array<string>("later".length + 1).fill(KEYS.left), KEYS.backspace, "m");
    await box.type(KEYS.enter);
    expect({ text: box.prompt.text, sent: box.sent.length }).toEqual({ text: "/members later", sent: 4 });
  });
});

import { expect, test } from "vitest";
import { addressOf, unknownMentionIn } from "./addressing.ts";
import { startSession } from "../../../test/session/session-run.ts";

const known = ["claude", "codex", "cursor"];

test("[S1] leading mentions address members and are removed from the text; later ones stay", () => {
  const cases: [string, object][] = [
    ["hello", { toAll: true, names: [], text: "hello" }],
    ["  hello @codex", { toAll: true, names: [], text: "  hello @codex" }],
    ["@codex fix it", { toAll: false, names: ["codex"], text: "fix it" }],
    ["@Codex, @claude: look at @cursor", { toAll: false, names: ["codex", "claude"], text: "look at @cursor" }],
    ["@codex\n@codex twice", { toAll: false, names: ["codex"], text: "twice" }],
    ["@all @codex hi", { toAll: true, names: [], text: "hi" }],
    ["@types/node is broken", { toAll: true, names: [], text: "@types/node is broken" }],
    ["@codex", { toAll: false, names: ["codex"], text: "" }],
    ["me@codex.com", { toAll: true, names: [], text: "me@codex.com" }],
  ];
  for (const [text, address] of cases) expect(addressOf({ text }, known)).toEqual(address);
});

test("[S2] an explicit `to` wins, and the text is not parsed", () => {
  expect(addressOf({ text: "@claude hi", to: ["codex"] }, known)).toEqual({
    toAll: false,
    names: ["codex"],
    text: "@claude hi",
  });
  expect(addressOf({ text: "@nobody hi", to: ["all"] }, known)).toEqual({ toAll: true, names: [], text: "@nobody hi" });
  expect(addressOf({ text: "@codex hi", to: [] }, known)).toEqual({ toAll: false, names: ["codex"], text: "hi" });
});

test("half of a surrogate pair becomes a replacement character, addressed or not", () => {
  expect(addressOf({ text: "@ada cut \ud83d" }, ["ada"]).text).toBe("cut \ufffd");
  expect(addressOf({ text: "\ude00 cut", to: ["ada"] }, ["ada"]).text).toBe("\ufffd cut");
  expect(addressOf({ text: "whole \u{1f600}" }, ["ada"]).text).toBe("whole \u{1f600}");
});

test("[S3] an unknown name is refused with similar names", () => {
  expect(() => addressOf({ text: "@claud fix it" }, known)).toThrow(
    expect.objectContaining({
      code: "unknown_member",
      message: 'There is no member "claud" in this session.',
      hint: "Did you mean @claude? Members: claude, codex, cursor. To send it as text, put a word before the @.",
    }),
  );
  expect(() => addressOf({ text: "x", to: ["cdex"] }, known)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("Did you mean @codex") }),
  );
  expect(() => addressOf({ text: "x", to: ["gemini"] }, known)).toThrow(
    expect.objectContaining({ hint: "Members: claude, codex, cursor." }),
  );
});

const FILES = ["LICENSE", "docs/guide.md", "src/license.ts"];
const listFiles = async (_cwd: string, query: string) =>
  FILES.filter((name) => name.toLowerCase().includes(query.toLowerCase()));

test("a message that starts with a file or directory is for everyone and unchanged, also after a member's name", async () => {
  const state = await startSession({ ada: {}, bob: {} }, { listFiles });
  for (const text of ["@LICENSE is it right?", "@docs read them", "@ada @LICENSE is it right?"])
    expect(await state.command({ type: "send", text, clientMessageId: text })).toMatchObject({ ok: true });
  expect(state.events("user_message")).toMatchObject([
    { text: "@LICENSE is it right?", toAll: true },
    { text: "@docs read them", toAll: true },
    { text: "@LICENSE is it right?", to: ["ada"], toAll: false },
  ]);
});

test("a name of neither a member nor a file is refused with a hint, also one that resembles a file", async () => {
  const state = await startSession({ ada: {} }, { listFiles });
  for (const name of ["licens", "license", "eve"]) {
    expect(await state.command({ type: "send", text: `@${name} hello`, clientMessageId: name })).toMatchObject({
      error: { code: "unknown_member", hint: expect.stringContaining("put a word before the @") as string },
    });
  }
  const broken = await startSession({ ada: {} }, { listFiles: () => Promise.reject(new Error("no such disk")) });
  expect(await broken.command({ type: "send", text: "@LICENSE hello", clientMessageId: "c" })).toMatchObject({
    error: { code: "unknown_member" },
  });
});

test("only the first unknown name is reported", () => {
  expect(unknownMentionIn({ text: "@ada @Makefile @eve go" }, ["ada"])).toBe("Makefile");
  expect(unknownMentionIn({ text: "@ada go @eve" }, ["ada"])).toBeUndefined();
  expect(unknownMentionIn({ text: "@all @eve" }, ["ada"])).toBe("eve");
  expect(unknownMentionIn({ text: "@eve", to: ["ada"] }, ["ada"])).toBeUndefined();
  expect(addressOf({ text: "@ada @Makefile @eve go" }, ["ada"], "Makefile")).toEqual({
    toAll: false,
    names: ["ada"],
    text: "@Makefile @eve go",
  });
});

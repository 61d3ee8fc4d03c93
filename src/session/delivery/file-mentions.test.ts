import { expect, test } from "vitest";
import { seat } from "../../../test/session/seated-session.ts";
import { addressOf, unknownMentionIn } from "./addressing.ts";

const FILES = ["LICENSE", "docs/guide.md", "src/license.ts"];
const listFiles = async (_cwd: string, query: string) =>
  FILES.filter((name) => name.toLowerCase().includes(query.toLowerCase()));

test("a message that begins with a file or a directory of the session is for everyone, whole, also behind a member's name", async () => {
  const state = await seat({ ada: {}, bob: {} }, { listFiles });
  for (const text of ["@LICENSE is it right?", "@docs read them", "@ada @LICENSE is it right?"])
    expect(await state.command({ type: "send", text, clientMessageId: text })).toMatchObject({ ok: true });
  expect(state.events("user_message")).toMatchObject([
    { text: "@LICENSE is it right?", toAll: true },
    { text: "@docs read them", toAll: true },
    { text: "@LICENSE is it right?", to: ["ada"], toAll: false },
  ]);
});

test("what is neither a member nor a file is refused with what to do, and a name that only resembles a file too", async () => {
  const state = await seat({ ada: {} }, { listFiles });
  for (const name of ["licens", "license", "eve"]) {
    expect(await state.command({ type: "send", text: `@${name} hello`, clientMessageId: name })).toMatchObject({
      error: { code: "unknown_member", hint: expect.stringContaining("put a word before the @") as string },
    });
  }
  const broken = await seat({ ada: {} }, { listFiles: () => Promise.reject(new Error("no such disk")) });
  expect(await broken.command({ type: "send", text: "@LICENSE hello", clientMessageId: "c" })).toMatchObject({
    error: { code: "unknown_member" },
  });
});

test("only the first name that nobody has is looked for", () => {
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

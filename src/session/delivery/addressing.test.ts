import { expect, test } from "vitest";
import { addressOf } from "./addressing.ts";

const known = ["claude", "codex", "cursor"];

test("[S1] leading mentions address and are taken out of the text; later ones are text", () => {
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

test("[S2] an explicit `to` wins, and then nothing in the text is read", () => {
  expect(addressOf({ text: "@claude hi", to: ["codex"] }, known)).toEqual({
    toAll: false,
    names: ["codex"],
    text: "@claude hi",
  });
  expect(addressOf({ text: "@nobody hi", to: ["all"] }, known)).toEqual({ toAll: true, names: [], text: "@nobody hi" });
  expect(addressOf({ text: "@codex hi", to: [] }, known)).toEqual({ toAll: false, names: ["codex"], text: "hi" });
});

test("[S3] an unknown name is refused with the nearest names", () => {
  expect(() => addressOf({ text: "@claud fix it" }, known)).toThrow(
    expect.objectContaining({
      code: "unknown_member",
      message: 'There is no member "claud" in this session.',
      hint: "Did you mean @claude or @codex or @cursor? Seated: claude, codex, cursor. To send it as text, put a word before the @.",
    }),
  );
  expect(() => addressOf({ text: "x", to: ["cdex"] }, known)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("Did you mean @codex") }),
  );
});

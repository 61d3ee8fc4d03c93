import { expect, test } from "vitest";
import { promptText, parseRoundtableCommand } from "./prompt-text.ts";

test("text, links and text resources become one message; other content is rejected", () => {
  const text = promptText([
    { type: "text", text: "See " },
    { type: "resource_link", name: "a.ts", uri: "file:///w/a.ts" },
    { type: "resource", resource: { uri: "file:///w/b.md", text: "```\nx\n```" } },
  ]);
  expect(text).toBe("See [a.ts](file:///w/a.ts)\n\nfile:///w/b.md\n````\n```\nx\n```\n````\n\n");
  expect(promptText([{ type: "image", data: "AA==", mimeType: "image/png" }])).toBeUndefined();
  expect(promptText([{ type: "resource", resource: { uri: "x", blob: "AA==" } }])).toBeUndefined();
});

test("only a whole line that names a session command is one; everything else goes to the members", () => {
  expect(parseRoundtableCommand("/mute ada")).toStrictEqual({ name: "mute", argument: "ada" });
  expect(parseRoundtableCommand(" /round 2 ")).toStrictEqual({ name: "round", argument: "2" });
  expect(parseRoundtableCommand("/try select")).toBeUndefined();
  expect(parseRoundtableCommand("/mute ada and tell me why")).toBeUndefined();
  expect(parseRoundtableCommand("please /mute ada")).toBeUndefined();
});

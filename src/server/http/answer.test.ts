import { expect, test } from "vitest";
import { readJson } from "./answer.ts";

const bodyOf = (text: string) => ({ arrayBuffer: async () => new TextEncoder().encode(text).buffer });

test("a body whose client left before its end is the client's failure, not the server's", async () => {
  const cut = { arrayBuffer: () => Promise.reject(new Error("aborted")) };
  await expect(readJson(cut)).rejects.toMatchObject({ code: "bad_command", message: "The body was incomplete." });
});

test("a body is JSON of limited nesting", async () => {
  expect(await readJson(bodyOf('{"a":1}'))).toEqual({ a: 1 });
  const nested = `${"[".repeat(200)}${"]".repeat(200)}`;
  for (const text of ["", "{", nested]) {
    await expect(readJson(bodyOf(text))).rejects.toMatchObject({ code: "bad_command" });
  }
});

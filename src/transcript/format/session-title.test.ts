import { expect, test } from "vitest";
import { sessionTitle } from "./session-title.ts";

test.each([
  ["@qwen GO:ask please", "GO:ask please"],
  ["@ada, @bob: what is **this** `code`?", "what is this code?"],
  ["@ada", "@ada"],
  ["@README.md explain it", "@README.md explain it"],
  ["@src/a.ts and me@example.org", "@src/a.ts and me@example.org"],
  ["# A heading\n\n- one\n- two", "A heading one two"],
  ["see [the docs](https://example.org/x) first", "see the docs first"],
  ["2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"],
  ["```rust\nlet b = 0;\n```", "let b = 0;"],
  ["x".repeat(100), `${"x".repeat(79)}…`],
  ["", ""],
])("the title of a session that begins with %j is %j", (text, title) => {
  expect(sessionTitle(text)).toBe(title);
});

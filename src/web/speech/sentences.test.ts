import { expect, test } from "vitest";
import { sentencesOf } from "./speech-reader.ts";

const ANSWER = `# The lock

It is taken **twice**. See [the note](https://example.invalid/x) or https://example.invalid/y.

\`\`\`ts
const secret = "never read. aloud";
\`\`\`

- first \`takeLock\` opens
- then it waits! Does it?

| case | after |
|---|---|
| two starts | 0 |

~~~
also not
~~~
The end`;

test("an answer is read sentence by sentence, without code, marks and addresses", () => {
  expect(sentencesOf(ANSWER, { isWhole: true })).toEqual([
    "The lock",
    "It is taken twice.",
    "See the note or (a link)",
    "first takeLock opens",
    "then it waits!",
    "Does it?",
    "case, after",
    "two starts, 0",
    "The end",
  ]);
});

test("however a stream is cut, what was given before stays in its place and no half sentence is given", () => {
  const whole = sentencesOf(ANSWER, { isWhole: true });
  for (let end = 0; end <= ANSWER.length; end += 1) {
    const some = sentencesOf(ANSWER.slice(0, end), { isWhole: false });
    expect([end, some]).toEqual([end, whole.slice(0, some.length)]);
  }
  expect(sentencesOf("One. Two", { isWhole: false })).toEqual(["One."]);
});

test("a sentence that is too long for a voice is given in pieces, and nothing of it is lost", () => {
  const long = `${"many words, ".repeat(60)}and an end.`;
  const pieces = sentencesOf(long, { isWhole: true });
  expect(pieces.every((chunk) => chunk.length <= 240)).toBe(true);
  expect(pieces.join(" ")).toBe(long);
  expect(sentencesOf("x".repeat(1_000), { isWhole: true }).join("")).toBe("x".repeat(1_000));
});

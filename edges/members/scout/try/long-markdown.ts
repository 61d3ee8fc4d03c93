/** Markdown of an exact length, with everything a view must draw. The same length gives the same text. */

const SAMPLE_TEXT =
  "every view draws the same transcript from the same log whether it is live or read back years later ";

export function* longMarkdown(chars: number): Generator<string> {
  let left = chars;
  for (let number = 1; ; number++) {
    const block = section(number);
    if (block.length > left) break;
    left -= block.length;
    yield block;
  }
  // What is left is plain words, so that no fence or table stays open.
  if (left > 0) yield SAMPLE_TEXT.repeat(Math.ceil(left / SAMPLE_TEXT.length)).slice(0, left);
}

function section(number: number): string {
  return `## Section ${number}

${SAMPLE_TEXT.repeat(2).trim()}, with **bold**, *italic*, \`code\` and a [link](https://example.org/${number}).

- a point
  - a point below it with unicode: naïve 日本語 🧭
- [x] a task that is done

| number | square | what |
|---:|---:|---|
| ${number} | ${number * number} | the row of section ${number} |
| ${number + 1} | ${(number + 1) ** 2} | the one after |

\`\`\`ts
export function section${number}(value: number): number {
  return value * ${number}; // ${"a long line goes on ".repeat(number % 5)}
}
\`\`\`

> A quote, on ${number % 2 === 0 ? "an even" : "an odd"} section.

`;
}

import { expect, test } from "vitest";
import { STDERR_TAIL_BYTES, StderrTail } from "./stderr.ts";

test("[A57] the last 8 KiB of stderr are kept, without split characters and control sequences", () => {
  const tail = new StderrTail();
  for (let count = 0; count < 1_000; count++) tail.add(Buffer.from(`line ${count} €€€€\n`));
  tail.add(Buffer.from("\u001b[31mred\u001b[0m \u001b]0;title\u0007end"));
  const text = tail.text();
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(STDERR_TAIL_BYTES);
  expect(text.endsWith("line 999 €€€€\nred end")).toBe(true);
  expect(text.includes("\ufffd") || text.includes("\u001b")).toBe(false);
});

test("[A57] escaped control characters do not push the stderr tail over 8 KiB", () => {
  const tail = new StderrTail();
  tail.add(Buffer.alloc(50_000, 0x01));
  expect(tail.text()).toBe("^A".repeat(STDERR_TAIL_BYTES / 2));
  tail.clear();
  expect(tail.text()).toBe("");
});

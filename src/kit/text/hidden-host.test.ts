import { expect, test } from "vitest";
import { hiddenHost } from "./hidden-host.ts";

test.each([
  ["https://bank.invalid/login", "https://e.invalid/x", "e.invalid"],
  ["Bank.invalid", "https://e.invalid", "e.invalid"],
  ["www.bank.invalid:1", "http://e.invalid:8080/", "e.invalid:8080"],
  ["https://bank.invalid@e.invalid/", "https://bank.invalid@e.invalid/", "e.invalid"],
  ["bank\u200B.inva\u00ADlid", "https://e.invalid", "e.invalid"],
  ["bank。invalid", "https://e.invalid", "e.invalid"],
  ["ｂａｎｋ．invalid", "https://e.invalid", "e.invalid"],
  ["https://e.invalid/y", "https://e.invalid/y", undefined],
  ["E.invalid", "https://e.invalid/y", undefined],
  ["the note", "https://e.invalid/y", undefined],
  ["ada@bank.invalid", "mailto:eve@e.invalid", undefined],
  ["bank.invalid", "not an address", undefined],
])("%j that leads to %j hides %j", (text, href, host) => {
  expect(hiddenHost(text, href)).toBe(host);
});

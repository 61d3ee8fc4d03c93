import { expect, test } from "vitest";
import { printable, printableLine } from "./printable.ts";

test("control, bidi and broken characters become U+FFFD; tabs and line breaks stay", () => {
  const escape = String.fromCharCode(27);
  const bell = String.fromCharCode(7);
  const del = String.fromCharCode(127);
  const c1 = String.fromCharCode(0x9b);
  expect(printable(`a${escape}[31mb${bell}\tc\nd${del}${c1}\u202E\u2066\u2028\uD800é日🧭\r`)).toBe(
    "a\uFFFD[31mb\uFFFD\tc\nd\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDé日🧭\uFFFD",
  );
  expect(printableLine("a\tb\nc")).toBe("a\uFFFDb\uFFFDc");
});

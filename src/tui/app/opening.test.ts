import { expect, test } from "vitest";
import type { AppContext } from "./app-context.ts";
import { openingLabel } from "./create-components.ts";

const words = (conversation: object, expected?: object) =>
  openingLabel({ conversation, options: { expected } } as AppContext);

test("until its picture is there, the session that is opened is named as far as it is known; a new one is new", () => {
  const before = { isChosen: false, sessionId: undefined };
  expect([
    words(before, { isNew: false, title: "The parser" }),
    words(before, { isNew: false }),
    words(before, { isNew: true }),
    words(before),
    words({ isChosen: true, sessionId: "s1" }, { isNew: false, title: "The parser" }),
    words({ isChosen: true, sessionId: undefined }, { isNew: false }),
  ]).toEqual(["Opening The parser …", "Opening …", undefined, undefined, "Opening …", undefined]);
});

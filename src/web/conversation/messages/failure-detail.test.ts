import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { created, ended, joined, started } from "../../../../test/generate/drafts.ts";
import { stamped } from "../../../../test/generate/stamped.ts";
import { empty, fold, turnById } from "../../../transcript/index.ts";
import { FailureDetail } from "./message-actions.tsx";

test("the page shows what the program of a failed turn printed last", () => {
  const error = { code: "crashed", message: "claude ended.", detail: "boom\n<b>not logged in</b>", exitCode: 1 };
  const drafts = [
    created(),
    joined("claude"),
    started("t1", "claude"),
    ended("t1", "claude", { outcome: "errored", error }),
  ];
  const turn = turnById(fold(empty("session"), stamped(drafts)), "t1");
  if (turn === undefined) throw new Error("the turn is missing");
  expect(renderToStaticMarkup(createElement(FailureDetail, { turn }))).toBe(
    '<code class="printed">boom\n&lt;b&gt;not logged in&lt;/b&gt;</code>',
  );
});

import { expect, test } from "vitest";
import { created } from "../../../test/log/drafts.ts";
import { shipped, stamp } from "../../../test/team/events.ts";
import { newId } from "../../kit/ids.ts";
import { SessionView } from "./session-view.ts";

test("the line of a session is short, whatever its machine has shipped: every node holds those of all", () => {
  const sessionId = newId();
  const summaryOf = (changed: object) => {
    const view = new SessionView(sessionId);
    const first = stamp(sessionId, 1, 1, { ...created(), ...changed });
    view.add([first, ...shipped(sessionId, 2, 2)]);
    return view.summary;
  };
  expect(summaryOf({ title: "t".repeat(100_000) })).toMatchObject({ title: "t".repeat(200), cwd: "/project", seq: 2 });
  const problem = "Its events cannot be read.";
  expect(summaryOf({ cwd: "/".repeat(100_000) })).toMatchObject({ title: "", cwd: "", seq: 2, problem });
});

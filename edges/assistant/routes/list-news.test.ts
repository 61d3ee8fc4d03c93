import { expect, test } from "vitest";
import { settle } from "../../../test/session/fake-clock.ts";
import type { SessionNews, SessionSummary } from "../../../src/protocol/index.ts";
import { followList } from "./list-news.ts";
import { createMarkStore } from "./session-marks.ts";

const summary: SessionSummary = {
  sessionId: "01",
  title: "A",
  cwd: "/src",
  members: ["ada"],
  messages: 1,
  turns: 1,
  createdTs: 0,
  updatedTs: 1e3,
  archived: false,
  status: "idle",
  seq: 5,
};

test("the list sends a name when it is new, and never one that was cleared", async () => {
  const marks = createMarkStore(undefined);
  await marks.changeMarks("01", () => ({ hiddenName: "A" }));
  const told: unknown[] = [];
  let news: (news: SessionNews) => void = () => {};
  const host = {
    followSessions(listener: typeof news) {
      news = listener;
      return () => {};
    },
  };
  followList(host, marks, (frame, session) => {
    told.push("name" in frame ? [session, frame.type, frame.name] : [session, frame.type]);
  });
  const now = (change: Partial<SessionSummary>) => {
    news({ isWhole: false, changed: [{ ...summary, ...change }], gone: [] });
  };
  news({ isWhole: true, changed: [summary], gone: [] });
  now({ updatedTs: 2e3 });
  now({ updatedTs: 3e3, title: "B" });
  now({ updatedTs: 4e3, title: "B" });
  now({ updatedTs: 5e3, title: "A" });
  now({ sessionId: "02", title: "A" });
  now({ sessionId: "03", title: "" });
  await settle(200);
  expect(told).toStrictEqual([
    ["01", "session_updated"],
    ["01", "session_updated", "B"],
    ["01", "session_updated"],
    ["01", "session_updated"],
    ["02", "session_created"],
    ["02", "session_updated", "A"],
    ["03", "session_created"],
  ]);
});

/** Golden bytes of every JSON file of a thread tree. */
import { expect, test } from "vitest";
import { backendOf } from "./config-file.ts";
import { decodeDate, encodeDate } from "./dates.ts";
import { decodeJsonFile, encodeJsonFile } from "./json-file.ts";
import { withCurrentThread, withAgentStatus } from "./shared-files.ts";
import { decodeThread, encodeThread } from "./thread-file.ts";

const TS = Date.parse("2026-11-15T00:35:24.789Z");

test("JSON files have sorted keys, two spaces, ASCII only and one newline at the end", () => {
  const text = encodeJsonFile({ b: [], a: { z: "é😀\u007f\n", y: null }, c: [1, true, {}] });
  expect(text).toBe(
    [
      "{",
      '  "a": {',
      '    "y": null,',
      '    "z": "\\u00e9\\ud83d\\ude00\\u007f\\n"',
      "  },",
      '  "b": [],',
      '  "c": [',
      "    1,",
      "    true,",
      "    {}",
      "  ]",
      "}",
      "",
    ].join("\n"),
  );
  expect(decodeJsonFile(text)).toEqual({ b: [], a: { z: "é😀\u007f\n", y: null }, c: [1, true, {}] });
});

test("a file that is not a JSON object is distinguished from an empty one", () => {
  expect(["", " \n", "[1]", "{", "null", '"a"'].map(decodeJsonFile)).toEqual([
    {},
    {},
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("times are UTC in whole seconds, and a date without a zone is UTC", () => {
  expect(encodeDate(TS)).toBe("2026-11-15T00:35:24Z");
  const second = Date.parse("2026-11-15T00:35:24Z");
  const given = ["2026-11-15T00:35:24Z", "2026-11-15T00:35:24", "2026-11-15T01:35:24+01:00", "soon", 5];
  expect(given.map(decodeDate)).toEqual([second, second, second, undefined, undefined]);
});

test("thread.json names the king first and is read back", () => {
  const thread = { id: "council-3908", members: ["claude", "codex"], pattern: "council", createdTs: TS };
  const text = encodeThread(thread);
  expect(text).toBe(
    [
      "{",
      '  "created_at": "2026-11-15T00:35:24Z",',
      '  "id": "council-3908",',
      '  "members": [',
      '    "king",',
      '    "claude",',
      '    "codex"',
      "  ],",
      '  "pattern": "council"',
      "}",
      "",
    ].join("\n"),
  );
  expect(decodeThread(text)).toEqual({ ...thread, createdTs: Date.parse("2026-11-15T00:35:24Z") });
});

test("a thread file needs an id; everything else has a default", () => {
  expect(decodeThread('{"members": ["king"]}')).toBeUndefined();
  expect(decodeThread("{")).toBeUndefined();
  expect(decodeThread('{"id": "x", "members": ["king", 4, "a"], "created_at": 3}')).toEqual({
    id: "x",
    members: ["a"],
    pattern: "direct",
    createdTs: undefined,
  });
});

test("state.json gets the current thread and keeps its other keys", () => {
  expect(withCurrentThread({}, "council-3908", "feature/demo")).toEqual({
    branch: "feature/demo",
    current_thread: "council-3908",
  });
  expect(withCurrentThread({ branch: "x", design_approved: true, more: [1] }, "council-1", "y")).toEqual({
    branch: "x",
    design_approved: true,
    more: [1],
    current_thread: "council-1",
  });
});

test("a session file has status, pid and thread, keeps unknown keys, and has no pid when idle", () => {
  const base = { name: "codex", thread: "council-3908", backend: "codex" };
  const working = withAgentStatus({ resume_id: "r1" }, { ...base, status: "working", pid: 42, ts: TS });
  expect(working).toEqual({
    agent_backend: "codex",
    resume_id: "r1",
    name: "codex",
    status: "working",
    thread: "council-3908",
    pid: 42,
    started_at: "2026-11-15T00:35:24Z",
    last_activity: "2026-11-15T00:35:24Z",
  });
  const idle = withAgentStatus(working, { ...base, status: "idle", pid: undefined, ts: TS + 5_000 });
  const { pid: _, ...rest } = working;
  expect(idle).toEqual({ ...rest, status: "idle", last_activity: "2026-11-15T00:35:29Z" });
});

test("a member's stream is read in the format of its configured agent, else of its name, else of Claude", () => {
  const config = '{"agents": {"gpt": {"backend": "codex"}, "odd": {"backend": "x"}, "cur": {"backend": "cursor"}}}';
  expect(["gpt", "odd", "cur", "claude", "codex", "toString"].map((name) => backendOf(config, name))).toEqual([
    "codex",
    "claude_code",
    "cursor",
    "claude_code",
    "codex",
    "claude_code",
  ]);
  expect([backendOf(undefined, "codex"), backendOf("{broken", "gpt")]).toEqual(["codex", "claude_code"]);
});

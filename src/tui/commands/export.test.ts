import { expect, test } from "vitest";
import { created } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { createRecordingScreen } from "../../../test/tui/command-screen.ts";
import { empty, fold } from "../../transcript/index.ts";
import type { ExportSession } from "../app/screen/port.ts";
import { completeArguments, runCommandLine } from "./run-command.ts";

async function run(line: string, { isReachable = true } = {}) {
  const asked: unknown[] = [];
  const exportSession: ExportSession = async (sessionId, options) => {
    asked.push([sessionId, options]);
    return { where: "/project/a.md", remarks: ["Redacted: 2 places."] };
  };
  const recording = createRecordingScreen({ transcript: fold(empty("session"), stamped([created()])) });
  const screen = Object.defineProperties({}, Object.getOwnPropertyDescriptors(recording)) as typeof recording;
  if (isReachable) Object.assign(screen, { exportSession });
  await runCommandLine(screen, line);
  return { asked, said: recording.messages };
}

test("/export takes a format, a file or both, and --redact anywhere", async () => {
  const options = async (line: string) => (await run(line)).asked[0];
  expect(await options("/export")).toEqual(["session", { format: "markdown", redact: false }]);
  expect(await options("/export html")).toEqual(["session", { format: "html", redact: false }]);
  expect(await options("/export jsonl out/a b.txt")).toEqual([
    "session",
    { format: "jsonl", file: "out/a b.txt", redact: false },
  ]);
  expect(await options("/export notes.html --redact")).toEqual([
    "session",
    { format: "html", file: "notes.html", redact: true },
  ]);
  expect(await options("/export --redact md notes")).toEqual([
    "session",
    { format: "markdown", file: "notes", redact: true },
  ]);
});

test("/export says where the file is and what was taken out, and offers its formats", async () => {
  expect((await run("/export")).said).toEqual(["Exported to /project/a.md. Redacted: 2 places."]);
  expect((await run("/export", { isReachable: false })).said.join(" ")).toContain("cannot be exported from here");
  const offered = await completeArguments(createRecordingScreen(), "export", "h");
  expect(offered.map(({ value }) => value)).toEqual(["html"]);
});

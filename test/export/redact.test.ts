/** `--redact` from the log to the file, in every format: what must not leave is nowhere in what leaves. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { exportSession } from "../../src/host/index.ts";
import { directoryExporters, exporters } from "../../src/cli/edges.ts";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { newDataDir, SESSION_ID, writeSession } from "../generate/on-disk.ts";
import { stamped } from "../generate/stamped.ts";

const KEY = ["ghp_", "q7Zr2Lk9Xc4Vb8Nm1Ws6Tg3Yh5"].join("");
const PASSWORD = "Tr0ub4dor-and-3";
const dataDir = newDataDir();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const refOf = (bytes: Buffer) => ({ sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length });
const output = Buffer.from(`${"x".repeat(3_000)}\nDB_PASSWORD=${PASSWORD}\n${"y".repeat(3_000)}`);
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]);
/** Cut in the middle of the password. */
const headLength = 3_000 + "\nDB_PASSWORD=".length + 5;
const head = output.toString("utf8", 0, headLength);

const turn = { turnId: "t1", member: "claude" };
const drafts: EventDraft[] = [
  created({ cwd: "/home/janedoe/app", title: `About ${KEY}` }),
  joined("claude", { spec: { name: "claude", kind: "claude", prompt: "Jane's Acme bot" } }),
  said("m1", ["claude"], { attachments: [{ name: "acme.png", mime: "image/png", blob: refOf(picture) }] }),
  started("t1", "claude", { messageIds: ["m1"] }),
  { type: "text_delta", ...turn, segmentId: "s1", text: `It is ${KEY.slice(0, 6)}` },
  { type: "text_delta", ...turn, segmentId: "s1", text: KEY.slice(6) },
  { type: "text_done", ...turn, segmentId: "s1", text: `It is ${KEY}` },
  { type: "tool_call_start", ...turn, toolCallId: "c1", name: "bash", args: { command: "env", token: KEY } },
  { type: "tool_output_delta", ...turn, toolCallId: "c1", text: `/home/janedoe/${KEY.slice(0, 9)}` },
  { type: "tool_output_delta", ...turn, toolCallId: "c1", text: KEY.slice(9) },
  {
    type: "tool_result",
    ...turn,
    toolCallId: "c1",
    ok: true,
    result: `${head}\n… more …\n`,
    truncated: { totalBytes: output.length, shownBytes: headLength, blob: { ...refOf(output), head } },
  },
  { type: "text_done", ...turn, segmentId: "s2", text: `The password was ${PASSWORD}, says Acme to janedoe` },
  ended("t1", "claude"),
];

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"));
}

test("[R209] no format contains redacted text, and content that cannot be inspected is left out with a note", async () => {
  await writeSession(dataDir, stamped(drafts), { blobs: [output, picture] });
  const redact = { terms: ["acme"], home: "/root", user: "root" };
  const made: string[] = [];
  const reports: (readonly string[])[] = [];
  for (const exporter of exporters) {
    const file = await exportSession({ dataDir, sessionId: SESSION_ID, exporter, redact });
    let text = "";
    for await (const piece of file.chunks) text += piece;
    made.push(text);
    reports.push(file.report());
  }
  for (const { name, load } of directoryExporters) {
    const [write, directory] = [await load(), path.join(dataDir, name)];
    reports.push((await write({ dataDir, sessionId: SESSION_ID, directory, redact })).report);
    made.push(...filesIn(directory));
  }
  const lines = made.find((text) => text.startsWith('{"roundtable"')) ?? "";
  const blobs = [...lines.matchAll(/"base64":"([^"]*)"/g)].map(([, text = ""]) =>
    Buffer.from(text, "base64").toString(),
  );
  expect(blobs).toHaveLength(1);
  expect(blobs[0]).toContain("DB_PASSWORD=[redacted]");
  const gone = new RegExp(`${KEY.slice(0, 9)}|${KEY.slice(9)}|${PASSWORD.slice(0, 5)}|janedoe|/home/|acme`, "i");
  expect([...made, ...blobs].map((text) => gone.exec(text)?.[0])).toEqual([...made, ...blobs].map(() => undefined));
  for (const report of reports) {
    expect(report[0]).toBe("Redacted 7 keys and tokens, 2 home paths, 1 user name and 3 chosen words.");
    expect(report.slice(1)).toEqual([
      "1 binary attachment that could not be scanned was left out.",
      'The user name "root" is too common a word to be redacted.',
    ]);
  }
});

/** A session in which every file here was allowed, as earlier versions offered it; opened anew from its log. */
import { createHash } from "node:crypto";
import { newId } from "../../src/kit/ids.ts";
import { FOR_EDITS, FOR_SESSION } from "../../src/protocol/index.ts";
import { MemoryLog } from "./memory-log.ts";
import type { ReopenOptions, SessionRun } from "./session-run.ts";

export async function reopenWithEdits(run: SessionRun, options: ReopenOptions = {}): Promise<SessionRun> {
  await run.session.close();
  const log = new MemoryLog(run.log.disk, { now: () => run.clock.now() });
  const call = JSON.stringify({ file_path: "earlier.ts" });
  const requestId = newId();
  const { committed } = log.append([
    {
      type: "ui_request",
      member: "ada",
      requestId,
      request: {
        method: "approval",
        title: "This?",
        tool: "Edit",
        call,
        callHash: createHash("sha256").update(call).digest("hex"),
        options: [
          { label: "Allow once", value: "accept" },
          { label: "For this session", value: FOR_SESSION },
          { label: "Every file here, for this session", value: FOR_EDITS },
          { label: "Refuse", value: "decline" },
        ],
        opts: { covers: [{ tool: "edit", kind: "path", text: "earlier.ts" }] },
      },
      timeoutMs: 1_000,
      default: false,
    },
    { type: "ui_response", member: "ada", requestId, result: FOR_EDITS, error: null },
  ]);
  await committed;
  await log.close();
  return run.reopen(options);
}

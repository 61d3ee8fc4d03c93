/** Whether Codex's own sandbox stands on this machine: a command that tries to write runs in it and must not succeed. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { textOf } from "../../../json-rpc/fields.ts";
import { isRecord, type RpcMessage } from "../../../json-rpc/messages.ts";

const LIMIT_MS = 10_000;
const RAN = "inside";

type Call = (method: string, params: object, limitMs: number) => Promise<RpcMessage | null>;

/** Null when it stands, else why it does not. Never rejects. */
export async function tryOwnSandbox(call: Call): Promise<string | null> {
  let folder: string;
  try {
    folder = mkdtempSync(path.join(tmpdir(), "roundtable-codex-"));
  } catch {
    return "it could not be tried";
  }
  try {
    const file = path.join(folder, "written");
    const params = {
      command: ["/bin/sh", "-c", `echo ${RAN}; : > "$0"`, file],
      cwd: path.parse(folder).root,
      timeoutMs: LIMIT_MS,
      sandboxPolicy: { type: "readOnly", networkAccess: false },
    };
    const answer = await call("command/exec", params, LIMIT_MS);
    if (existsSync(file)) return "a command wrote in it";
    if (answer?.kind === "error") return answer.error.message;
    const result = answer?.kind === "result" && isRecord(answer.result) ? answer.result : {};
    if ((textOf(result, "stdout") ?? "").trim() === RAN) return null;
    const [printed = ""] = (textOf(result, "stderr") ?? "").split("\n");
    return printed === "" ? "no command runs in it" : printed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

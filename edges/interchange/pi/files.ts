/** Pi: `sessions/--<directory>--/<time>_<id>.jsonl`. */
import { homedir } from "node:os";
import path from "node:path";
import * as piSession from "./pi-session.ts";
import { type Environment, type ExternalFormat, readLines } from "../../../src/host/index.ts";
import { countOf, fieldOf, partOf } from "../../../src/kit/fields.ts";

export const piFiles: ExternalFormat = {
  name: "pi",
  stores: (env) => [sessions(env)],
  storesOf: (env, cwd) => [path.join(sessions(env), `--${cwd.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")}--`)],
  isFile: (name) => name.endsWith(".jsonl"),
  recognise(_file, { values, isWhole }) {
    const header = piSession.headerOf(values[0]);
    if (header === undefined) return undefined;
    const entries = piSession.entriesOf(values.map((value, at) => ({ number: at + 1, value })));
    const messages = countOf(values, (value) =>
      ["user", "assistant"].includes(fieldOf(partOf(value, "message"), "role") ?? ""),
    );
    // The program's printed output starts the same way, but has no entries.
    if (isWhole && messages === 0) return undefined;
    return { nativeId: header.id, title: piSession.titleOf(entries), cwd: header.cwd, messages };
  },
  async read(file, { member }) {
    const source = await readLines({ path: file, name: path.basename(file), select: piSession.selectEntry });
    return piSession.readSession(source, { member });
  },
};

function sessions(env: Environment): string {
  const agent = env["PI_CODING_AGENT_DIR"] || path.join(homedir(), ".pi", "agent");
  return env["PI_CODING_AGENT_SESSION_DIR"] || path.join(agent, "sessions");
}

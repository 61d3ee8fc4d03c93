/** An editor that runs the real program. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { mainFile, type Home } from "../../../test/cli/program.ts";
import { EditorScreen, type EditorOptions } from "./editor-screen.ts";

export class Editor extends EditorScreen {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<number | null>;

  constructor(home: Home, options: EditorOptions = {}) {
    const child = spawn(process.execPath, [mainFile, "acp"], { cwd: home.project, env: home.env, stdio: "pipe" });
    const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
    super(acp.ndJsonStream(Writable.toWeb(child.stdin), output), options);
    this.child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.exit = new Promise((resolve) => void child.on("close", resolve));
  }

  async leave(): Promise<number | null> {
    this.child.stdin.end();
    return await this.exit;
  }
}

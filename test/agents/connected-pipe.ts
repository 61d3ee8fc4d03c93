/** Both ends of a pipe as a child process has it, connected; closed after the test. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export async function connectedPipe(): Promise<{ writer: Socket; reader: Socket }> {
  const folder = mkdtempSync(path.join(tmpdir(), "pipe-"));
  const server = createServer().listen(path.join(folder, "s"));
  await once(server, "listening");
  const writer = createConnection(path.join(folder, "s"));
  const [[reader]] = (await Promise.all([once(server, "connection"), once(writer, "connect")])) as [[Socket], unknown];
  onTestFinished(() => {
    for (const one of [writer, reader]) one.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { writer, reader };
}

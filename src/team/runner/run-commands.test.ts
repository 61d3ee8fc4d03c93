import { expect, test } from "vitest";
import { connect, createSession, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { newId } from "../../kit/ids.ts";
import { createHash } from "node:crypto";
import type { Command } from "../../protocol/index.ts";
import { CommandRunner } from "./run-commands.ts";

const bytes = new TextEncoder().encode("a file\n");
const blob = { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };

test("a message whose file does not come from the server is refused, and says which", async () => {
  const host = await openHost(newDataDir());
  const client = await connect(host);
  const sessionId = await createSession(client, newDataDir());
  let onServer: Uint8Array | undefined;
  const commands = new CommandRunner({
    host,
    journal: { stateOf: () => "new", begin: async () => {}, end: async () => {}, close: async () => {} },
    fetchBlob: async () => onServer,
    check: ({ command }) => command,
    start: async () => "",
  });
  const send = async () => {
    const attachments = [{ name: "notes.txt", mime: "text/plain", blob }];
    const command = { type: "send", commandId: newId(), clientMessageId: newId(), text: "read this", attachments };
    return await commands.run({ sessionId, sender: "ada.Q7XK", command: command as Command });
  };
  const refused = await send();
  expect(refused).toMatchObject({ ok: false, error: { code: "closed" } });
  expect(refused.ok ? "" : refused.error.message).toContain("did not receive the attachment notes.txt");
  onServer = bytes;
  expect(await send()).toMatchObject({ ok: true });
  expect(await host.readBlob(sessionId, blob.sha256)).toEqual(Buffer.from(bytes));
  commands.close();
  client.close();
  await host.close();
});

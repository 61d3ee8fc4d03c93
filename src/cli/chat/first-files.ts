/** Files given when the terminal app was started, attached to the first message in any session. */
import { attachFile, type AttachedFile, type Client, type CommandBody } from "../../client/index.ts";
import type { Ack } from "../../protocol/index.ts";
import type { OpenHostConnection } from "../connect/connect-to-host.ts";

/** Adds a notice that lists them to the connection. */
export function withFirstFiles(connection: OpenHostConnection, files: readonly AttachedFile[]): OpenHostConnection {
  if (files.length === 0) return connection;
  const names = files.map(({ name }) => name).join(", ");
  const notice = `${names} ${files.length === 1 ? "goes" : "go"} with your first message`;
  const warning = [connection.warning, notice].filter((one) => one !== undefined).join("; ");
  return { ...connection, client: withFilesFirst(connection.client, files), warning };
}

/** A rejected message leaves the files for the next one. */
export function withFilesFirst<Kind extends Client>(client: Kind, given: readonly AttachedFile[]): Kind {
  let files = given;

  async function command(sessionId: string, body: CommandBody): Promise<Ack> {
    const isMessage = body.type === "send" || body.type === "steer" || body.type === "queue_add";
    if (!isMessage || files.length === 0) return client.command(sessionId, body);
    const mine = files;
    // Cleared before the await: the next message must not get them too.
    files = [];
    try {
      const uploads = mine.map((file) => attachFile(client, sessionId, file));
      const attachments = [...(body.attachments ?? []), ...(await Promise.all(uploads))];
      const ack = await client.command(sessionId, { ...body, attachments });
      if (!ack.ok) files = mine;
      return ack;
    } catch (error) {
      files = mine;
      throw error;
    }
  }

  // Bind everything else to the client: its private fields cannot be reached through another object.
  return new Proxy(client, {
    get(target, key) {
      if (key === "command") return command;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

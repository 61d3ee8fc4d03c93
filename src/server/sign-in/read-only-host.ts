/** The host as a device sees it that may only read: what would change something is refused, whichever way it comes. */
import { excessOf } from "../../kit/nesting.ts";
import { ClientFrame, RoundtableError, type HostConnection } from "../../protocol/index.ts";
import type { ServedHost } from "../routes/policies.ts";

/** A frame without an entry does not compile. */
const IS_READING: Readonly<Record<ClientFrame["frame"], boolean>> = {
  hello: true,
  list: true,
  search: true,
  follow_list: true,
  trash: true,
  unsubscribe: true,
  snapshot: true,
  page: true,
  subscribe: true,
  command: false,
  create: false,
  delete: false,
  restore: false,
  compress: false,
  put_blob: false,
};

const READ_ONLY = "This device has read-only access.";

/** Its routes are the guard's to refuse, and the rest is refused here too. */
export function createReadOnlyHost(host: ServedHost): ServedHost {
  const refuse = async (): Promise<never> => {
    throw new RoundtableError("unsupported", READ_ONLY);
  };
  return {
    ...host,
    serve: (connection) => host.serve(readOnly(connection)),
    putBlob: refuse,
    openIdlePrompts: refuse,
    maintenance: { ...host.maintenance, delete: refuse, restore: refuse, compress: refuse },
  };
}

function readOnly(connection: HostConnection): HostConnection {
  const error = { code: "unsupported", message: READ_ONLY } as const;
  function receive(frame: ClientFrame, pass: (frame: ClientFrame) => void): void {
    // What is no frame is the host's to refuse.
    const parsed = excessOf(frame) === undefined ? ClientFrame.safeParse(frame).data : undefined;
    if (parsed === undefined || IS_READING[parsed.frame]) return pass(frame);
    if (parsed.frame === "command") {
      const { sessionId, command } = parsed;
      connection.send({ frame: "ack", sessionId, ack: { commandId: command.commandId, ok: false, error } });
    } else if ("id" in parsed) connection.send({ frame: "reply", id: parsed.id, ok: false, error });
  }
  return {
    send: (frame) => connection.send(frame),
    onFrame: (listener) => connection.onFrame((frame) => receive(frame, listener)),
    onClose: (listener) => connection.onClose(listener),
    close: (reason) => connection.close(reason),
    get backlogBytes() {
      return connection.backlogBytes;
    },
  };
}

/**
 * A door that stays where it is while the server behind it comes and goes: with a port and a token of its own, it leads to
 * the address and the token of whichever server is there now. Without one, it hangs up.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export interface Behind {
  readonly url: string;
  readonly token: string;
}

export interface StandingDoor extends Behind {
  leadTo(server: Behind | undefined): void;
  close(): void;
}

export async function openStandingDoor(): Promise<StandingDoor> {
  const token = randomBytes(32).toString("base64url");
  const streams = new Set<Duplex>();
  let behind: Behind | undefined;
  const server = createServer((asked, answer) => {
    if (behind === undefined) asked.destroy();
    else passOn(asked, answer, behind, (text) => translate(text, door, behind ?? door));
  });
  server.on("upgrade", (asked, socket, head) => {
    streams.add(socket);
    socket.on("error", () => socket.destroy());
    if (behind === undefined) socket.destroy();
    else join(socket, asked, head, behind, (text) => translate(text, door, behind ?? door));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const door: StandingDoor = {
    url: `http://127.0.0.1:${port}`,
    token,
    leadTo: (next) => (behind = next),
    close() {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
  return door;
}

function translate(text: string, from: Behind, to: Behind): string {
  return text.replaceAll(new URL(from.url).host, new URL(to.url).host).replaceAll(from.token, to.token);
}

function headersOf({ rawHeaders }: IncomingMessage, inOther: (text: string) => string): string[] {
  return rawHeaders.map((text) => inOther(text));
}

function passOn(asked: IncomingMessage, answer: ServerResponse, to: Behind, inOther: (text: string) => string): void {
  const url = new URL(asked.url ?? "/", to.url);
  const onward = request(url, { method: asked.method ?? "GET", headers: headersOf(asked, inOther) }, (found) => {
    answer.writeHead(found.statusCode ?? 500, found.rawHeaders);
    found.pipe(answer);
    found.on("error", () => answer.destroy());
  });
  onward.on("error", () => answer.destroy());
  asked.pipe(onward);
}

function join(near: Duplex, asked: IncomingMessage, head: Buffer, to: Behind, inOther: (text: string) => string): void {
  const far: Socket = connect(Number(new URL(to.url).port), "127.0.0.1");
  const headers = headersOf(asked, inOther);
  const lines = Array.from({ length: headers.length / 2 }, (_, at) => `${headers[2 * at]}: ${headers[2 * at + 1]}`);
  far.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  far.write(head);
  far.pipe(near).pipe(far);
  far.on("error", () => near.destroy());
  far.on("close", () => near.destroy());
  near.on("close", () => far.destroy());
}

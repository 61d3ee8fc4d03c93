/** A machine that is pointed at what is no server of a team: it says what answers there, and uses up nothing. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, expect, test } from "vitest";
import { RoundtableError, type ErrorCode } from "../../src/protocol/index.ts";
import { connectNode, openServerDevice } from "../../src/team/index.ts";
import { createHome } from "../cli/program.ts";
import { newMachine } from "./roles.ts";

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`;

/** Code, sentence and hint of the refusal of a link to this address. */
const refusal = async (origin: string, needsTeam = false): Promise<unknown[]> => {
  const error: RoundtableError = await openServerDevice(`${origin}/#code=abc`, {
    ...newMachine("box"),
    needsTeam,
  }).then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown as RoundtableError,
  );
  return [error.code, error.message, error.hint];
};

test("another site is not taken for a server, whatever its status, and a proxy without one is a failure", async () => {
  for (const status of [200, 404]) {
    const origin = await serve((_, answer) =>
      answer.writeHead(status, { "content-type": "text/html" }).end("<p>Welcome</p>"),
    );
    const message = `What answers at ${origin} is not a Roundtable server (${status}).`;
    expect(await refusal(origin)).toEqual(["bad_command", message, "Check the address."]);
  }
  const proxy = await serve((_, answer) => answer.writeHead(502, { "content-type": "text/html" }).end());
  expect(await refusal(proxy)).toEqual(["closed", `The server at ${proxy} answered 502.`, undefined]);
});

test("the server of one person is no team, and its code is not used up", async () => {
  const asked: unknown[] = [];
  const origin = await serve((request, answer) => {
    asked.push(request.url);
    answer.writeHead(200, { "content-type": "application/json" }).end('{"isTeam":false}');
  });
  const message = `The server at ${origin} serves one person and has no team to join.`;
  expect(await refusal(origin, true)).toEqual(["bad_command", message, expect.stringContaining("--server LINK")]);
  expect(asked).toEqual(["/v1/sign-in"]);
});

test("a certificate for another name, and a scheme that is not spoken there, are named", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "tls-"));
  const [key, cert] = [path.join(directory, "key.pem"), path.join(directory, "cert.pem")];
  const subject = ["-subj", "/CN=other", "-addext", "subjectAltName=DNS:other.example"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const pair = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  setDefaultCACertificates([...getCACertificates(), pair.cert]);
  const port = await listen(createTlsServer(pair, (_, answer) => answer.end()));
  const other = "its certificate is for another name; use the address that is in the certificate";
  expect(await refusal(`https://localhost:${port}`)).toEqual([
    "closed",
    `The server at https://localhost:${port} cannot be reached: ${other}.`,
    undefined,
  ]);
  const plain = await listen(createServer((_, answer) => answer.end()));
  for (const at of [`http://127.0.0.1:${port}`, `https://127.0.0.1:${plain}`])
    expect(await refusal(at)).toEqual([
      "closed",
      expect.stringMatching(/speaks another protocol.+https:\/\//),
      undefined,
    ]);
});

test("where no WebSocket opens, the answer to a plain request says why", async () => {
  const origin = await serve((_, answer) => answer.writeHead(426).end());
  const connect = async (code: ErrorCode): Promise<unknown> => {
    const ask = () => Promise.reject(new RoundtableError(code, "Not this one.", { hint: "Take another." }));
    const device = { origin, token: async () => "t", dropToken: () => {}, ask, download: ask };
    return await connectNode(device).catch(({ message, hint }: RoundtableError) => [message, hint]);
  };
  expect(await connect("locked")).toEqual(["Not this one.", "Take another."]);
  const unopened = `The server at ${origin} answers, but a WebSocket connection could not be opened.`;
  expect(await connect("bad_command")).toEqual([unopened, "A proxy in front of it must pass WebSockets."]);
});

test("folders that are none are refused before anything is sent to the server", async () => {
  const home = createHome();
  const join = async (folder: string) => await home.run(["join", "https://localhost:1/#code=abc", "--folders", folder]);
  expect(await join("none")).toMatchObject({
    code: 2,
    stderr: `roundtable: --folders none: ${path.join(home.project, "none")} does not exist.\n`,
  });
  expect(await join("src/parser.js")).toMatchObject({ code: 2, stderr: expect.stringContaining("is not a directory") });
});

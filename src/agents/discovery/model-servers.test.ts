import { createServer, type AddressInfo, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answersAsModelServer } from "./model-servers.ts";
import { patient } from "../../../test/patience.ts";

/** A server on a free local port with a fixed answer; null never answers. */
async function listen(answer: string | undefined): Promise<{ port: number; asked: () => string; server: Server }> {
  let asked = "";
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      asked += bytes.toString("latin1");
      if (answer !== undefined) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked: () => asked, server };
}

const LIST = '{"object":"list","data":[{"id":"qwen3","object":"model"}]}';
const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${body}`;

test("a server counts when it answers GET /v1/models with a list", async () => {
  const { port, asked } = await listen(ok(LIST));
  expect(await answersAsModelServer(port)).toBe(true);
  expect(asked()).toBe(
    `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`,
  );
  const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3a\r\n${LIST}\r\n0\r\n\r\n`;
  expect(await answersAsModelServer((await listen(chunked)).port)).toBe(true);
});

test.each([
  ["another page", ok("<html>a web server</html>")],
  ["a refusal", `HTTP/1.1 401 Unauthorized\r\n\r\n${LIST}`],
  ["a redirect, which is not followed", `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n${LIST}`],
  ["a list in the head", `HTTP/1.1 200 OK\r\nX-Odd: "data":[]\r\n\r\n`],
  ["no HTTP", `SSH-2.0-OpenSSH_9.6\r\n\r\n${LIST}`],
  ["an endless page", ok("x".repeat(1024 * 1024) + LIST)],
])("a program on a usual port that answers with %s is no model server", async (_what, answer) => {
  expect(await answersAsModelServer((await listen(answer)).port)).toBe(false);
});

test("a closed port and one that never responds are given up", async () => {
  const { port, server } = await listen(undefined);
  const startMs = performance.now();
  expect(await answersAsModelServer(port)).toBe(false);
  // Generous for a busy machine; the test is that waiting ends at all.
  expect(performance.now() - startMs).toBeLessThan(patient(5_000));
  await new Promise((resolve) => server.close(resolve));
  expect(await answersAsModelServer(port)).toBe(false);
});

/**
 * Answers an approval on the port that asks for no token, and prints the answer's status and body as JSON.
 * Usage: node answer-approval.ts PORT BODY [plain | forward | lend]
 * plain: over a connection of its own. forward: by way of a proxy in this process. lend: over a connection that a child
 * with a member's mark holds too.
 */
import { spawn } from "node:child_process";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

const [, , port = "", body = "", way = "plain"] = process.argv;
const request = (to: number) =>
  [
    "POST /api/ask-user-response HTTP/1.1",
    `Host: 127.0.0.1:${to}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");

function print(socket: Socket): void {
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => (text += part));
  socket.on("end", () => {
    const [head = "", ...rest] = text.split("\r\n\r\n");
    const said = /\{.*\}/s.exec(rest.join(""))?.[0] ?? "{}";
    process.stdout.write(
      `${JSON.stringify({ ...(JSON.parse(said) as object), status: Number(head.split(" ")[1]) })}\n`,
    );
    process.exit(0);
  });
}

if (way === "forward") {
  const proxy = createServer((inward) => {
    const outward = connect(Number(port), "127.0.0.1");
    inward.pipe(outward).pipe(inward);
  });
  proxy.listen(0, "127.0.0.1", () => {
    const socket = connect((proxy.address() as AddressInfo).port, "127.0.0.1");
    print(socket);
    socket.write(request(Number(port)));
  });
} else {
  const socket = connect(Number(port), "127.0.0.1", () => {
    if (way === "lend") {
      const env = { ...process.env, ROUNDTABLE_RUN: "a member's" };
      const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
      const child = spawn("/bin/sleep", ["30"], { env, stdio: ["ignore", "ignore", "ignore", fd] });
      process.on("exit", () => child.kill());
    }
    print(socket);
    socket.write(request(Number(port)));
  });
}

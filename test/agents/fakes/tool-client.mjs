/** Starts a tool server as an agent does, and speaks the Model Context Protocol with it, line by line. */
import { spawn } from "node:child_process";

export async function startToolServer({ command, args, env }) {
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const child = spawn(command, args, { env: { ...process.env, ...given }, stdio: ["pipe", "pipe", "pipe"] });
  const waiting = new Map();
  let nextId = 1;
  let rest = "";
  let stderr = "";
  const exited = new Promise((resolve) => child.once("exit", (code) => resolve({ code, stderr })));
  child.stdin.on("error", () => {});
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(JSON.parse(line));
  });
  void exited.then((end) => {
    for (const resolve of waiting.values()) resolve({ exit: end });
    waiting.clear();
  });

  function receive(message) {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  }
  const write = (text) => child.stdin.write(`${text}\n`);
  const send = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const client = {
    write,
    request(method, params, id = nextId++) {
      send({ id, method, params });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    cancel: (requestId) => send({ method: "notifications/cancelled", params: { requestId } }),
    kill() {
      child.kill("SIGKILL");
      return exited;
    },
  };
  const clientInfo = { name: "fake", version: "1" };
  await client.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return client;
}

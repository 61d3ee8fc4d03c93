/**
 * Model servers on this machine, found by requesting `/v1/models` on their usual ports.
 * Only 127.0.0.1 is asked, redirects are not followed, answer size and time are limited. The request is hand-written
 * because loading an HTTP client takes longer than all probes.
 */
import { connect } from "node:net";

export interface ModelServer {
  readonly name: string;
  readonly port: number;
}

export const modelServers: readonly ModelServer[] = [
  { name: "ollama", port: 11_434 },
  { name: "lmstudio", port: 1234 },
  { name: "llamacpp", port: 8080 },
  { name: "vllm", port: 8000 },
];

const LOOPBACK = "127.0.0.1";
const ANSWER_MS_MAX = 150;
/** The first part of the list is enough. */
const ANSWER_BYTES_MAX = 16 * 1024;

export function serverUrl(port: number): string {
  return `http://${LOOPBACK}:${port}/v1`;
}

/** Never rejects. */
export function answersAsModelServer(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    let answer = "";
    const end = (isOne: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isOne);
    };
    // A real timer: it limits another process.
    const timer = setTimeout(() => end(false), ANSWER_MS_MAX);
    socket.setEncoding("latin1");
    socket.on("connect", () => socket.write(request(port)));
    socket.on("data", (chunk: string) => {
      answer += chunk;
      if (isModelList(answer)) end(true);
      else if (answer.length > ANSWER_BYTES_MAX) end(false);
    });
    socket.on("error", () => end(false));
    socket.on("close", () => end(false));
  });
}

function request(port: number): string {
  const head = [`Host: ${LOOPBACK}:${port}`, "Accept: application/json", "Connection: close"];
  return `GET /v1/models HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`;
}

/** A partial answer is enough: nothing else on these ports starts like this. */
function isModelList(answer: string): boolean {
  const bodyAt = answer.indexOf("\r\n\r\n");
  return bodyAt > 0 && /^HTTP\/1\.[01] 200\b/.test(answer) && /"data"\s*:\s*\[/.test(answer.slice(bodyAt));
}

/**
 * The program that an agent starts to reach the table's own tools: it carries bytes between the agent and the process
 * that runs the agents, and understands none of them. A process of it runs for every member that needs it, so it loads
 * next to nothing. Where the table is and who the member is come through the environment, never through arguments.
 * Promise: it is gone when either side is.
 */
import { createConnection } from "node:net";
import { SOCKET_VARIABLE, TOKEN_VARIABLE } from "./program-path.ts";

function leave(message: string): void {
  process.stderr.write(`roundtable: ${message}\n`, () => process.exit(1));
}

const path = process.env[SOCKET_VARIABLE];
const token = process.env[TOKEN_VARIABLE];
if (path === undefined || token === undefined) {
  leave(`this program is started by an agent at the table, with ${SOCKET_VARIABLE} and ${TOKEN_VARIABLE} set.`);
} else {
  const socket = createConnection(path);
  let isOver = false;
  const end = (): void => {
    isOver = true;
    socket.end();
  };
  socket.once("connect", () => {
    socket.write(`${JSON.stringify({ token })}\n`);
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
  });
  process.stdin.once("end", end);
  // A broken pipe to the agent is its end too.
  process.stdin.once("error", end);
  process.stdout.once("error", () => socket.destroy());
  socket.once("error", (error) => leave(`the table cannot be reached: ${error.message}`));
  socket.once("close", () => (isOver ? process.exit(0) : leave("the table has closed the connection.")));
}

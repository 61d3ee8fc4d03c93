/**
 * Bridge process that an agent starts to reach our host tools: copies bytes between the agent and the host. One runs
 * per member that needs it, so it loads almost nothing. Socket and token come from the environment, never from
 * arguments. It exits when either side does.
 */
import { createConnection } from "node:net";
import { SOCKET_VARIABLE, TOKEN_VARIABLE } from "./program-path.ts";

function leave(message: string): void {
  process.stderr.write(`roundtable: ${message}\n`, () => process.exit(1));
}

const path = process.env[SOCKET_VARIABLE];
const token = process.env[TOKEN_VARIABLE];
if (path === undefined || token === undefined) {
  leave(`this program is started by an agent, with ${SOCKET_VARIABLE} and ${TOKEN_VARIABLE} set.`);
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
  // A broken pipe to the agent ends it too.
  process.stdin.once("error", end);
  process.stdout.once("error", () => socket.destroy());
  socket.once("error", (error) => leave(`cannot reach the host: ${error.message}`));
  socket.once("close", () => (isOver ? process.exit(0) : leave("the host closed the connection.")));
}

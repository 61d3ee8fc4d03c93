/** `main.mjs [--port N] [--delay MS]`: starts the model server, prints its address on a line, ends with its input. */
import { startModelServer } from "./server.mjs";

const after = (flag) => process.argv[process.argv.indexOf(flag, 2) + 1];
const numberAfter = (flag, usual) => (process.argv.includes(flag) ? Number(after(flag)) : usual);

const server = await startModelServer({ port: numberAfter("--port", 0), delay: numberAfter("--delay", 4) });
process.stdout.write(`${server.url}\n`);
const end = () => void server.close().then(() => process.exit(0));
process.on("SIGINT", end).on("SIGTERM", end);
process.stdin.on("end", end).resume();

/** The thread that keeps the index of a host, started by `search-thread.ts`. It ends when it is told to close. */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../kit/clock.ts";
import { IndexWorker } from "./index-worker.ts";
import type { ToWorker } from "./worker-messages.ts";

if (parentPort === null) throw new Error("this is the thread of a host, not a program");
const port = parentPort;
const { dataDir } = workerData as { dataDir: string };
const indexWorker = new IndexWorker({ dataDir, clock: systemClock, send: (message) => port.postMessage(message) });
port.on("message", (message: ToWorker) => {
  indexWorker.onMessage(message);
  if (message.kind === "close") port.close();
});

/** Entry point of the index thread, started by `search-thread.ts`. Ends on the message "close". */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../kit/clock.ts";
import { IndexWorker } from "./index-worker.ts";
import type { ToWorker } from "./index-worker.ts";

if (parentPort === null) throw new Error("search/program.ts runs only as a worker thread");
const port = parentPort;
const { dataDir } = workerData as { dataDir: string };
const indexWorker = new IndexWorker({ dataDir, clock: systemClock, send: (message) => port.postMessage(message) });
port.on("message", (message: ToWorker) => {
  indexWorker.onMessage(message);
  if (message.kind === "close") port.close();
});

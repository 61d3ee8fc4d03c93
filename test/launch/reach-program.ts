/** Many clients in one process that need the server of a data directory at the same moment: prints whom each found. */
import { reachServer } from "../../src/cli/connect/background-server.ts";

const [dataDir = "", cwd = "", clients = "1", atTs = "0", program = "", startMs = "0"] = process.argv.slice(2);
process.argv[1] = program;
await new Promise((resolve) => setTimeout(resolve, Number(atTs) - Date.now()));
const found = await Promise.all(
  Array.from({ length: Number(clients) }, () => reachServer({ dataDir, cwd, startMs: Number(startMs) })),
);
process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0));

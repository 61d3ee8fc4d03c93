/** Many clients in one process that need the server of a data directory at the same moment: prints whom each found. */
import { mainFile } from "../cli/program.ts";

const [dataDir = "", cwd = "", clients = "1", atTs = "0"] = process.argv.slice(2);
const { reachServer } = await import("../../src/cli/connect/background-server.ts");
process.argv[1] = mainFile;
await new Promise((resolve) => setTimeout(resolve, Number(atTs) - Date.now()));
const found = await Promise.all(Array.from({ length: Number(clients) }, () => reachServer({ dataDir, cwd })));
process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0));

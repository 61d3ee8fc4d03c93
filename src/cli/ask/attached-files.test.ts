import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../../client/index.ts";
import type { Ack, Command } from "../../protocol/index.ts";
import { readAttachedFiles } from "./attached-files.ts";
import { withFilesFirst } from "../chat/first-files.ts";
import { failureLine, toFailure } from "../../kit/failure.ts";

function scratch(): string {
  return mkdtempSync(path.join(tmpdir(), "rt-files-"));
}

async function refusalOf(names: readonly string[]): Promise<string> {
  try {
    await readAttachedFiles(names);
    return "taken";
  } catch (error) {
    const failure = toFailure(error);
    return `${failure.exitCode} ${failureLine(failure)}`;
  }
}

test("files passed with -f are read in full and keep their names", async () => {
  const directory = scratch();
  writeFileSync(path.join(directory, "notes.md"), "grüße\n");
  writeFileSync(path.join(directory, "dot.png"), Buffer.from("89504e470d0a1a0a00", "hex"));
  const files = await readAttachedFiles(["notes.md", "dot.png"].map((name) => path.join(directory, name)));
  expect(files.map(({ name, bytes }) => [name, bytes.length])).toEqual([
    ["notes.md", 8],
    ["dot.png", 9],
  ]);
  expect(await readAttachedFiles()).toEqual([]);
});

test("an attachment that no message can carry fails with exit code 2, the reason and a hint", async () => {
  const directory = scratch();
  const at = (name: string) => path.join(directory, name);
  writeFileSync(at("large"), "x");
  truncateSync(at("large"), 20 * 1024 * 1024 + 1);
  writeFileSync(at("empty"), "");
  writeFileSync(at("program"), Buffer.from([0, 1, 2]));
  mkdirSync(at("folder"));
  execFileSync("mkfifo", [at("pipe")]);
  const names = ["gone", "gone/x", "folder", "pipe", "large", "empty", "program"];
  const said = await Promise.all(names.map((name) => refusalOf([at(name)])));
  const start = (name: string) => `2 roundtable: -f ${at(name)}: `;
  expect(said.map((line, index) => line.replace(start(names[index] ?? ""), ""))).toEqual([
    "there is no such file. Give a path relative to the current directory.\n",
    "there is no such file. Give a path relative to the current directory.\n",
    "it is a directory. Attach the files in it, each with -f.\n",
    "it is not a regular file. Give a path relative to the current directory.\n",
    "it is larger than 20 MB. Attach a part of it, or name it in the question.\n",
    "it is empty. Remove it.\n",
    "it is neither an image (PNG, JPEG, GIF, WebP) nor UTF-8 text. Convert it, or name it in the question.\n",
  ]);
  writeFileSync(at("long"), "x".repeat(17 * 1024 * 1024));
  expect(await refusalOf(Array(4).fill(at("long")) as string[])).toBe(
    "2 roundtable: the files given with -f exceed 64 MB in total. Attach fewer, or name them in the question: " +
      "members can read the directory.\n",
  );
  expect(await refusalOf(Array(33).fill(at("empty")) as string[])).toContain(
    "2 roundtable: a message can have at most 32 files, but 33 were given with -f.",
  );
});

test("in the terminal app they are sent with the first accepted message only", async () => {
  const commands: Command[] = [];
  const acks: Ack[] = [
    { commandId: "1", ok: true, seq: 1 },
    { commandId: "2", ok: false, error: { code: "busy", message: "Not now." } },
  ];
  class Fake {
    #isPrivate = true;
    async putBlob(_sessionId: string, bytes: Uint8Array) {
      return { sha256: "0".repeat(64), bytes: bytes.length, mime: "text/plain" };
    }
    async command(_sessionId: string, command: Command): Promise<Ack> {
      commands.push(command);
      return acks.shift() ?? { commandId: "3", ok: true, seq: 3 };
    }
    get isOpen() {
      return this.#isPrivate;
    }
  }
  const files = [{ name: "a.txt", bytes: new Uint8Array(3) }];
  const client = withFilesFirst(new Fake() as unknown as Client & Fake, files);
  const send = (text: string) => client.command("s", { type: "send", text, clientMessageId: text });
  await client.command("s", { type: "rename", title: "x" });
  await send("refused");
  await Promise.all([send("first"), send("second")]);
  expect(client.isOpen).toBe(true);
  expect(commands.map((one) => ("attachments" in one ? one.attachments?.map(({ name }) => name) : undefined))).toEqual([
    undefined,
    ["a.txt"],
    undefined,
    ["a.txt"],
  ]);
});

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RestingPipe } from "./resting-pipe.ts";

async function resting(): Promise<{
  writer: Socket;
  reader: Socket;
  pipe: RestingPipe;
  taken: string[];
  read: string[];
}> {
  const folder = mkdtempSync(path.join(tmpdir(), "resting-"));
  const server = createServer().listen(path.join(folder, "s"));
  await once(server, "listening");
  const writer = createConnection(path.join(folder, "s"));
  const [reader] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    for (const one of [writer, reader]) one.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const [taken, read] = [[] as string[], [] as string[]];
  reader.on("data", (chunk: Buffer) => read.push(chunk.toString()));
  const pipe = new RestingPipe(reader, (chunk) => taken.push(chunk.toString()));
  return { writer, reader, pipe, taken, read };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const onPipes = test.skipIf(process.platform === "win32");

onPipes("[A683] a pipe that rests is looked into with every beat, whatever is done with what it gave", async () => {
  const { writer, pipe, taken, read } = await resting();
  pipe.rest();
  for (const text of ["one", "two", "three"]) {
    writer.write(text);
    await until(() => taken.includes(text));
  }
  expect([taken, read]).toEqual([["one", "two", "three"], []]);
});

onPipes("[A683] a beat that finds nothing ends the rest, and so does an end", async () => {
  const { writer, reader, pipe, taken, read } = await resting();
  pipe.rest();
  await new Promise((resolve) => setTimeout(resolve, 150));
  writer.write("at once");
  await until(() => read.length > 0);
  expect([taken, read]).toEqual([[], ["at once"]]);
  pipe.rest();
  writer.end("last");
  await once(reader, "end");
  expect([...taken, ...read].toSorted()).toEqual(["at once", "last"]);
});

onPipes("[A683] a stream that was paused meanwhile gives everything when it goes on", async () => {
  const { writer, reader, pipe, taken, read } = await resting();
  pipe.rest();
  reader.pause();
  writer.write("kept");
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect([taken, read]).toEqual([[], []]);
  reader.resume();
  await until(() => read.length > 0);
  expect([taken, read]).toEqual([[], ["kept"]]);
});

onPipes("[A683] where a pipe has no number, the stream reads what comes", async () => {
  const { writer, reader, pipe, taken, read } = await resting();
  const handle = (reader as unknown as { _handle: object })._handle;
  Object.defineProperty(handle, "fd", { value: -1 });
  pipe.rest();
  writer.write("read");
  await until(() => read.length > 0);
  expect([taken, read]).toEqual([[], ["read"]]);
});

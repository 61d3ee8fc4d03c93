import { once } from "node:events";
import { expect, test } from "vitest";
import { connectedPipe } from "../../../test/agents/connected-pipe.ts";
import { RestingPipe } from "./resting-pipe.ts";

async function resting() {
  const { writer, reader } = await connectedPipe();
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

/** Files that go with a message, at the whole app. */
import { expect, test } from "vitest";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { keys } from "../../../../test/tui/key-bytes.ts";
import { openApp } from "../../../../test/tui/open-app.ts";
import type { ScreenOptions } from "../options.ts";

async function sit(read: ScreenOptions["files"]["read"]) {
  const shown = await openApp({ events: sessionLog([]), more: { files: { read, complete: async () => [] } } });
  const enterLine = async (line: string) => {
    shown.type(line);
    shown.type(keys.enter);
    await shown.settle();
    return shown.screen().join("\n");
  };
  const sent = () =>
    shown.peer.commands.flatMap((one) =>
      one.type === "send" ? [[one.text, one.attachments?.map(({ name, blob }) => `${name} ${blob.bytes}`)]] : [],
    );
  return { shown, enterLine, sent };
}

const words = (text: string) => new TextEncoder().encode(text);

test("attached files stand over the box and go with the next message, and with no other", async () => {
  const { shown, enterLine, sent } = await sit(async (path) => ({ name: path, bytes: words("hello") }));
  expect(await enterLine("/attach notes.md")).toMatch(
    /\+ notes\.md \(5 B\) · with your next message[^]*\n─ to everyone ─+\n ❯/,
  );
  expect(await enterLine("look at this")).not.toContain("with your next message");
  await enterLine("and go on");
  expect(sent()).toEqual([
    ["look at this", ["notes.md 5"]],
    ["and go on", undefined],
  ]);
  await shown.close();
});

test("when a file is gone by then, the message is the draft again and the file stays attached", async () => {
  let isThere = true;
  const { shown, enterLine, sent } = await sit(async (path) => {
    if (!isThere) throw new Error("there is no such file");
    return { name: path, bytes: words("hello") };
  });
  await enterLine("/attach notes.md");
  isThere = false;
  expect(await enterLine("look at this")).toMatch(/notes\.md: there is no such file\. The message was not sent\./);
  expect([sent(), shown.app.prompt.text]).toEqual([[], "look at this"]);
  expect(shown.app.attached.list.map(({ name }) => name)).toEqual(["notes.md"]);
  isThere = true;
  shown.type(keys.enter);
  await shown.settle();
  expect(sent()).toEqual([["look at this", ["notes.md 5"]]]);
  await shown.close();
});

test("a message whose files take a while is not overtaken by the next", async () => {
  let reads = 0;
  const slow = Promise.withResolvers<void>();
  const { shown, enterLine, sent } = await sit(async (path) => {
    reads += 1;
    if (reads === 2) await slow.promise;
    return { name: path, bytes: words("hello") };
  });
  await enterLine("/attach notes.md");
  await enterLine("first");
  await enterLine("second");
  expect(sent()).toEqual([]);
  slow.resolve();
  await shown.settle();
  expect(sent().map(([text]) => text)).toEqual(["first", "second"]);
  await shown.close();
});

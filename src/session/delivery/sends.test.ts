import { expect, test } from "vitest";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";
import { TEXT_BYTES_MAX } from "../limits.ts";

const hanging: Behaviour = { script: () => [{ hang: true }] };

test("[S10] a repeated send is the same message with the first answer; the same id with another body is a conflict", async () => {
  const state = await startSession({ ada: {}, bob: hanging });
  await state.send("@bob busy");
  const first = await state.send("hello", { clientMessageId: "id-1" });
  const queued = await state.send("@bob wait", { clientMessageId: "id-2" });
  const strip = ({ ...ack }: object) => ({ ...ack, commandId: "" });
  expect(strip(await state.send("hello", { clientMessageId: "id-1", clientId: "other" }))).toEqual(strip(first));
  expect(strip(await state.send("@bob wait", { clientMessageId: "id-2" }))).toEqual(strip(queued));
  expect(state.events("user_message").length).toBe(2);
  expect(state.session.transcript.head.queue.length).toBe(1);
  for (const text of ["hello!", "@ada hello"]) {
    expect(await state.send(text, { clientMessageId: "id-1" })).toMatchObject({
      ok: false,
      error: { code: "conflict" },
    });
  }
  const item = state.session.transcript.head.queue[0]!;
  await state.command({ type: "queue_edit", messageId: item.messageId, text: "edited" });
  await state.command({ type: "interrupt", scope: "all" });
  await state.send("@bob next");
  expect(strip(await state.send("@bob wait", { clientMessageId: "id-2" }))).toEqual(strip(queued));
});

test("[S10] a repeat is known after a restart, from the log and from a snapshot", async () => {
  const strip = ({ ...ack }: object) => ({ ...ack, commandId: "" });
  for (const withSnapshot of [false, true]) {
    const state = await startSession({ ada: {}, bob: hanging });
    await state.send("@bob busy");
    const first = await state.send("hello", { clientMessageId: "id-1" });
    const queued = await state.send("@bob wait", { clientMessageId: "id-2" });
    if (withSnapshot) await state.session.saveSnapshot();
    const later = await state.reopen();
    expect(later.log.disk.snapshot !== undefined).toBe(withSnapshot);
    expect(strip(await later.send("hello", { clientMessageId: "id-1" }))).toEqual(strip(first));
    expect(strip(await later.send("@bob wait", { clientMessageId: "id-2" }))).toEqual(strip(queued));
    expect(await later.send("other", { clientMessageId: "id-1" })).toMatchObject({ error: { code: "conflict" } });
    expect(later.events("user_message").length).toBe(2);
  }
});

test("[S10] a repeat of a message sent while a member was muted is still the same message", async () => {
  const state = await startSession({ ada: {}, bob: {} });
  await state.command({ type: "mute", member: "bob" });
  await state.send("@ada @bob hi", { clientMessageId: "id" });
  await state.command({ type: "unmute", member: "bob" });
  expect(await state.send("@ada @bob hi", { clientMessageId: "id" })).toMatchObject({
    ok: true,
    result: { messageId: state.events("user_message")[0]!.messageId },
  });
  expect(state.events("user_message").length).toBe(1);
});

test("[S7] a text over 192 KiB goes to a blob, its beginning into the event, and the agent gets the whole", async () => {
  const text = `begin ${"x".repeat(300_000)} end`;
  const state = await startSession({ ada: {} });
  const [first, second] = await Promise.all([
    state.send(text, { clientMessageId: "big" }),
    state.send(text, { clientMessageId: "big" }),
  ]);
  expect(second).toMatchObject({ ok: true, seq: first.ok ? first.seq : 0 });
  const message = state.events("user_message")[0]!;
  expect(state.events("user_message").length).toBe(1);
  expect(message.text).toBe(text.slice(0, 8192));
  expect(message.textBlob).toMatchObject({ bytes: text.length });
  expect(state.agents.last("ada").inputs[0]?.text === text).toBe(true);
  expect(await state.send("x".repeat(TEXT_BYTES_MAX + 1))).toMatchObject({ error: { code: "too_large" } });
});

test("[S7] messages keep their order while a long one is being stored, and an interrupt does not wait behind it", async () => {
  const state = await startSession({ ada: {} });
  const long = state.send("x".repeat(300_000));
  const short = state.send("short");
  await Promise.all([long, short]);
  expect(state.events("user_message").map((event) => event.text.slice(0, 5))).toEqual(["xxxxx", "short"]);

  state.log.blobMode = "hanging";
  const stuck = state.send("y".repeat(300_000));
  const behind = state.send("behind");
  expect(await state.command({ type: "interrupt", scope: "all" })).toMatchObject({ ok: true });
  await state.clock.advance(5_000);
  expect(await stuck).toMatchObject({ error: { code: "store_unavailable" } });
  expect(await behind).toMatchObject({ ok: true });
});

test("[S8] a command is acknowledged only once its event is durable", async () => {
  const state = await startSession({ ada: {} });
  state.log.holdCommits();
  let isAcknowledged = false;
  void state.send("hello").then(() => (isAcknowledged = true));
  await settle();
  expect(state.events("user_message").length).toBe(1);
  expect(isAcknowledged).toBe(false);
  state.log.releaseCommits();
  await settle(200);
  expect(isAcknowledged).toBe(true);
});

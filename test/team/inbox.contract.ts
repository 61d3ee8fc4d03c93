/** How commands pass through any store of a team server. */
import { expect, test } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import type { PostedCommand, TeamStore } from "../../src/team/store/team-store.ts";
import { refusal } from "./events.ts";

const post = (runnerId: string, commandId: string, sender = "ada"): PostedCommand => ({
  runnerId,
  sessionId: "01J0000000000000000000000A",
  sender,
  command: { type: "rename", commandId, title: "New" },
});

export function passesCommands(opened: () => TeamStore): void {
  test("a command reaches its runner once per connection, until it is acknowledged", async () => {
    const { inbox } = opened();
    const runnerId = newId();
    const over = new AbortController();
    const first = post(runnerId, newId());
    const second = post(runnerId, newId());
    await inbox.post(first);
    await inbox.post(first);
    await inbox.post(post(newId(), newId()));
    const received = inbox.receive(runnerId, over.signal);
    expect((await received.next()).value).toEqual(first);
    const next = received.next();
    await inbox.post(second);
    expect((await next).value).toEqual(second);
    await inbox.acknowledge(first, { commandId: first.command.commandId, ok: true, seq: 4 });
    const again = inbox.receive(runnerId, over.signal);
    expect((await again.next()).value).toEqual(second);
    const waiting = again.next();
    over.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test("the first acknowledgement counts, and reaches whoever waits for it", async () => {
    const { inbox } = opened();
    const command = post(newId(), newId());
    await inbox.post(command);
    const { signal } = new AbortController();
    const answers = [inbox.answer(command, signal), inbox.answer(command, signal)];
    const ack = { commandId: command.command.commandId, ok: true as const, seq: 7 };
    expect(await inbox.acknowledge(command, ack)).toEqual(ack);
    expect(await inbox.acknowledge(command, { ...ack, seq: 99 })).toEqual(ack);
    expect(await Promise.all(answers)).toEqual([ack, ack]);
    expect(await refusal(inbox.acknowledge({ ...command, runnerId: newId() }, ack))).toEqual({ code: "conflict" });
    expect(await inbox.answer(post(newId(), "none"), AbortSignal.abort())).toBe(undefined);
  });
}

export function keepsCommands(opened: () => TeamStore): void {
  test("commands that are too old are refused, and who continues a session is known, whatever their text holds", async () => {
    const { inbox } = opened();
    const [runnerId, copied, commandId] = [newId(), newId(), newId()];
    const error = { code: "locked", message: "too late" } as const;
    const send = { type: "send", commandId, text: "a\u0000 and half of \ud83d", clientMessageId: newId() } as const;
    const from = { sessionId: copied, seq: 1 };
    const start = { type: "start", commandId: newId(), cwd: "/", title: "half of \ud83d", from } as const;
    const sent = { ...post(runnerId, commandId), command: send };
    await inbox.post(sent);
    await inbox.post({ ...post(runnerId, start.commandId, "bob"), sessionId: "", command: start });
    expect([await inbox.continuing(runnerId, copied), await inbox.continuing(runnerId, newId())]).toEqual([
      ["bob"],
      [],
    ]);
    await inbox.expire(runnerId, -1, error);
    expect(await inbox.answer(sent, new AbortController().signal)).toEqual({ commandId, ok: false, error });
    expect(await inbox.continuing(runnerId, copied)).toEqual([]);
  });

  test("commands of two people with the same id are two commands", async () => {
    const { inbox } = opened();
    const runnerId = newId();
    const commandId = newId();
    await inbox.post(post(runnerId, commandId, "ada"));
    await inbox.post(post(runnerId, commandId, "bob"));
    const received = inbox.receive(runnerId, new AbortController().signal);
    expect([(await received.next()).value, (await received.next()).value].map((one) => one?.sender)).toEqual([
      "ada",
      "bob",
    ]);
  });
}

/** Rights over connections: every frame of a viewer and of a runner, for every role and scope. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectWebSocket } from "../../src/client/index.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/ids.ts";
import { ClientFrame, type HostFrame, type Json } from "../../src/protocol/index.ts";
import { connectNode } from "../../src/team/index.ts";
import { readFrame, RUNNER_PROTOCOL, RunnerFrame, type NodeFrame } from "../../src/team/frames.ts";
import { RunnerConnection, type RunnerLink } from "../../src/team/node/runner-connection.ts";
import { SessionDirectory } from "../../src/team/node/session-directory.ts";
import { LivePeople } from "../../src/team/people/live-people.ts";
import { hasPostgres } from "./database.ts";
import { readAll, shipped } from "./events.ts";
import { PEOPLE, ROLES, SCOPES, SECRET, SETTINGS, startTeamOfRoles, type TeamOfRoles } from "./roles.ts";

type Answer = "yes" | "no" | "hidden";

/** viewer, driver, driver where answers are open, owner by a role, owner of the machine: Y yes, . no; and the scope. */
const OF_SESSIONS: Readonly<Record<string, [string, "read" | "use"]>> = {
  snapshot: ["YYYYY", "read"],
  page: ["YYYYY", "read"],
  subscribe: ["YYYYY", "read"],
  unsubscribe: ["YYYYY", "read"],
  command: [".YYYY", "use"],
  put_blob: [".YYYY", "use"],
};
/** About what one may see; nothing of other sessions is in the answer. */
const OF_ANYBODY = ["hello", "list", "search", "follow_list", "trash"];
/** Only the machine does that, and a new session needs one. */
const OF_MACHINES = ["create", "delete", "restore", "compress"];

/** What a runner is told that ships, reads or deletes a session of somebody else's machine. */
const OF_RUNNERS: Readonly<Record<string, "refused" | "ignored">> = {
  hello: "ignored",
  alive: "ignored",
  where: "refused",
  batch: "refused",
  blob: "refused",
  want: "refused",
  read: "refused",
  forget: "ignored",
  done: "ignored",
};

describe.runIf(hasPostgres)("frames on a node", () => {
  let team: TeamOfRoles;
  beforeAll(async () => {
    team = await startTeamOfRoles();
  });
  afterAll(() => team.close());

  const bytes = Buffer.from("bytes");
  const blob = { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };
  const data = bytes.toString("base64");
  const text = { type: "send", text: "hi" } as const;

  const frameOf = (name: string, sessionId: string): ClientFrame => {
    const id = newId();
    const bodies: Record<string, object> = {
      hello: { protocol: 1, clientId: "c" },
      search: { query: { words: "plan" } },
      create: { cwd: "/", title: "mine", settings: SETTINGS, members: [] },
      page: { page: 0 },
      subscribe: { cursor: { epoch: 0, seq: 0 } },
      command: { command: { ...text, commandId: id, clientMessageId: id } },
      put_blob: { ...blob, offset: 0, data },
    };
    return ClientFrame.parse({ frame: name, id, sessionId, ...bodies[name] });
  };

  /** One after the other on a connection of this device. */
  const connect = async (name: (typeof PEOPLE)[number], scope: (typeof SCOPES)[number]) => {
    const connection = await connectWebSocket(team.url, await team.deviceOf(name, scope).token());
    const seen: HostFrame[] = [];
    let look = (): void => {};
    connection.onFrame((frame) => {
      seen.push(frame);
      look();
    });
    const find = (isWanted: (frame: HostFrame) => boolean): Promise<HostFrame> =>
      new Promise((resolve) => {
        look = () => {
          const found = seen.find(isWanted);
          if (found !== undefined) resolve(found);
        };
        look();
      });
    connection.send(frameOf("hello", newId()));
    await find(({ frame }) => frame === "welcome");
    const ask = async (kind: string, sessionId: string) => {
      const frame = frameOf(kind, sessionId);
      seen.length = 0;
      connection.send(frame);
      const last = frameOf("list", sessionId) as { id: string } & ClientFrame;
      // These have no answer of their own: what comes before the next answer is all.
      if (kind === "unsubscribe" || kind === "hello") {
        connection.send(last);
        return await find((one) => one.frame === "reply" && one.id === last.id);
      }
      const { id } = frame as { id: string };
      return await find((one) => one.frame === "ack" || (one.frame === "reply" && one.id === id));
    };
    return { ask, seen, close: () => connection.close("done") };
  };

  const answerOf = (frame: HostFrame): Answer => {
    const failed =
      frame.frame === "ack"
        ? frame.ack.ok
          ? undefined
          : frame.ack.error
        : frame.frame === "reply" && !frame.ok
          ? frame.error
          : undefined;
    if (failed?.code === "unknown_session") return "hidden";
    const isRefused =
      /^Your role in this session does not allow that\.|^This device has read-only access\.|^Only ada can answer/;
    return isRefused.test(failed?.message ?? "") ? "no" : "yes";
  };

  test("every frame has an entry", () => {
    const own = ClientFrame.options.map(({ shape }) => shape.frame.value);
    expect([...own].sort()).toEqual([...Object.keys(OF_SESSIONS), ...OF_ANYBODY, ...OF_MACHINES].sort());
    const runners = RunnerFrame.options.map(({ shape }) => shape.frame.value);
    expect([...runners].sort()).toEqual(Object.keys(OF_RUNNERS).sort());
  });

  test("frames of viewers: every role and scope, on a session that is shared and on a foreign one", async () => {
    for (const name of PEOPLE)
      for (const scope of SCOPES) {
        const connection = await connect(name, scope);
        const own = name === "opened" ? team.sessions.open : team.sessions.shared;
        for (const [kind, [row, needed]] of Object.entries(OF_SESSIONS)) {
          const isAllowed = row[ROLES.indexOf(name as "ada")] === "Y" && (needed === "read" || scope !== "read");
          const expected = name === "stranger" ? "hidden" : isAllowed ? "yes" : "no";
          const isSilent = kind === "unsubscribe";
          const answer = answerOf(await connection.ask(kind, own));
          expect([kind, name, scope, answer]).toEqual([kind, name, scope, isSilent ? "yes" : expected]);
          if (name === "ada") continue;
          const foreign = answerOf(await connection.ask(kind, team.sessions.foreign));
          expect([kind, name, scope, foreign]).toEqual([kind, name, scope, isSilent ? "yes" : "hidden"]);
          const isLeak = (one: HostFrame) => one.frame === "events" && one.sessionId === team.sessions.foreign;
          expect(connection.seen.filter(isLeak)).toEqual([]);
        }
        for (const kind of OF_ANYBODY) {
          await connection.ask(kind, team.sessions.foreign);
          const shown = JSON.stringify(connection.seen);
          if (name !== "ada")
            expect([kind, name, shown]).not.toEqual([kind, name, expect.stringContaining(team.sessions.foreign)]);
          if (name === "stranger") expect(shown).not.toContain(SECRET);
        }
        for (const kind of OF_MACHINES) {
          const answer = await connection.ask(kind, team.sessions.foreign);
          expect([kind, name, scope, answer]).toMatchObject([kind, name, scope, { frame: "reply", ok: false }]);
        }
        connection.close();
      }
  });

  test("a device that only reads is no runner", async () => {
    for (const name of PEOPLE)
      await expect(connectNode(team.deviceOf(name, "read"))).rejects.toThrow("This device may not do that.");
  });

  test("a machine with another version is told which one to update, and tries no further", async () => {
    const greet = async (frame: object): Promise<unknown> => {
      const link = await connectNode(team.deviceOf("driver", "use"));
      const goodbye = new Promise((resolve) =>
        link.onFrame((one) => ((one as NodeFrame).frame === "goodbye" ? resolve(one) : undefined)),
      );
      link.send(frame as RunnerFrame);
      return await goodbye;
    };
    const hello = { frame: "hello", protocol: RUNNER_PROTOCOL, version: "7", name: "box", instance: newId() };
    const both = "Roundtable 7 on this machine and 0 on the server are not compatible.";
    const sentences = [
      [{ ...hello, protocol: 0 }, `${both} Update Roundtable on this machine.`],
      [{ ...hello, protocol: 99 }, `${both} Update the server.`],
      [
        { ...hello, offers: [{ folder: 7 }] },
        "Roundtable 7 on this machine sent something that the server, version 0, does not understand. Install the same version on both.",
      ],
      [
        { ...hello, offers: [{ folder: "/", settings: { ...SETTINGS, preamble: "x".repeat(300_000) }, members: [] }] },
        "The settings of its folders are larger than 256 KiB. Share fewer folders, or shorten the prompts of members.",
      ],
    ] as const;
    for (const [frame, reason] of sentences)
      expect(await greet(frame)).toEqual({ frame: "goodbye", reason, isFinal: true });
  });

  test("frames of a runner on the session of somebody else's machine change and show nothing", async () => {
    for (const name of PEOPLE.filter((one) => one !== "ada")) {
      const link = await connectNode(team.deviceOf(name, "use"));
      const sessionId = team.sessions.shared;
      const bodies: Record<string, object> = {
        batch: { epoch: 9, events: shipped(sessionId, 4, 4, 9) },
        blob: { blob, data },
        want: { sha256: blob.sha256 },
        read: { after: { epoch: 0, seq: 0 } },
        done: {
          sender: "ada",
          command: { ...text, commandId: newId(), clientMessageId: newId() },
          ack: { commandId: newId(), ok: true, seq: 9 },
        },
      };
      const seen: NodeFrame[] = [];
      let look = (): void => {};
      link.onFrame((frame) => {
        seen.push(frame as NodeFrame);
        look();
      });
      const until = (isDone: () => boolean): Promise<void> =>
        new Promise((resolve) => {
          look = () => (isDone() ? resolve() : undefined);
          look();
        });
      link.send({ frame: "hello", protocol: RUNNER_PROTOCOL, version: "0", name: "own", instance: newId() });
      await until(() => seen.some(({ frame }) => frame === "welcome"));
      for (const [kind, wanted] of Object.entries(OF_RUNNERS)) {
        if (kind === "hello") continue;
        seen.length = 0;
        link.send({ frame: kind, id: 1, sessionId, ...bodies[kind] } as unknown as RunnerFrame);
        // Answered in order: what comes before the answer to the last one is all.
        link.send({ frame: "where", id: 2, sessionId });
        const refused = () => seen.filter(({ frame }) => frame === "refused").length;
        await until(() => refused() >= (wanted === "refused" ? 2 : 1));
        expect([name, kind, seen.filter(({ frame }) => frame !== "refused" && frame !== "alive")]).toEqual([
          name,
          kind,
          [],
        ]);
        expect([name, kind, refused()]).toEqual([name, kind, wanted === "refused" ? 2 : 1]);
      }
      link.close("done");
      expect(await readAll(team.store, sessionId)).toEqual(shipped(sessionId, 1, 3, 1, SECRET));
    }
  });

  test("a copy that a machine never finishes shows it nothing once the role of whoever began it is taken back", async () => {
    const sessionId = team.sessions.shared;
    const access = (role: string | null) =>
      team.deviceOf("ada", "manage").ask("/v1/team/access", { person: "viewer", role, sessionId });
    const link = await connectNode(team.deviceOf("viewer", "use"));
    let receive = (_frame: NodeFrame): void => {};
    const next = (isWanted: (frame: NodeFrame) => boolean): Promise<NodeFrame> =>
      new Promise((resolve) => (receive = (frame) => (isWanted(frame) ? resolve(frame) : undefined)));
    link.onFrame((frame) => receive(frame as NodeFrame));
    const offers = [{ folder: "/own", settings: SETTINGS, members: [] }];
    const own = { version: "0", name: "slow", instance: newId(), offers };
    link.send({ frame: "hello", protocol: RUNNER_PROTOCOL, ...own });
    await next(({ frame }) => frame === "welcome");
    const asked = next(({ frame }) => frame === "command");
    const forked = team.deviceOf("viewer", "use").ask("/v1/team/forks", { sessionId, at: "slow" });
    const refused = expect(forked).rejects.toThrow("you lost it");
    const { sender, command } = (await asked) as Extract<NodeFrame, { frame: "command" }>;
    let id = 0;
    const read = async () => {
      const answer = next((frame) => "id" in frame && frame.id === id);
      link.send({ frame: "read", id: (id += 1), sessionId, after: { epoch: 0, seq: 0 } });
      return (await answer).frame;
    };
    expect(await read()).toBe("page");
    await access(null);
    expect(await read()).toBe("refused");
    await access("viewer");
    expect(await read()).toBe("page");
    const error = { code: "closed", message: "you lost it" } as const;
    link.send({
      frame: "done",
      sender,
      sessionId: "",
      command,
      ack: { commandId: command.commandId, ok: false, error },
    });
    await refused;
    expect(await read()).toBe("refused");
    link.close("done");
  });

  test("a frame that nests without end or has millions of values ends its connection and nothing else", async () => {
    const deep = JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`) as Json;
    const many = Array.from({ length: 3_000_000 }, () => 0);
    const done = (result: Json) => {
      const command = { ...text, commandId: "c", clientMessageId: "c" };
      return { frame: "done", sender: "x", sessionId: "", command, ack: { commandId: "c", ok: true, seq: 0, result } };
    };
    const sessionId = newId();
    const hostile = [done(deep), done(many), { frame: "batch", id: 1, sessionId, epoch: 1, events: many }];
    for (const frame of hostile) {
      const link = await connectNode(team.deviceOf("stranger", "use"));
      const said = Promise.withResolvers<unknown>();
      link.onFrame((one) => (one as NodeFrame).frame === "goodbye" && said.resolve(one));
      link.send(frame as unknown as RunnerFrame);
      expect(await said.promise).toMatchObject({ frame: "goodbye", isFinal: true });
      link.close("done");
    }
    const event = { seq: 1, epoch: 1, sessionId, type: "extra", extra: many };
    const batch = { frame: "batch", id: 1, sessionId, epoch: 1, events: [event] };
    expect(readFrame(RunnerFrame, batch)).toEqual(batch);
    expect((await fetch(`${team.url}/healthz`)).status).toBe(200);
  });

  test("a runner that sends more than the server stores in time is told so, and what it sent is stored", async () => {
    const people = await LivePeople.open(team.store.people, systemClock);
    const person = [...people.records.people.values()].find(({ name }) => name === "driver")?.id ?? "";
    const sent: NodeFrame[] = [];
    const reports: unknown[] = [];
    let receive: (frame: unknown, bytes?: number) => void = () => {};
    const greeted = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<string>();
    let onClose: (reason: string) => void = () => {};
    const link: RunnerLink = {
      send(frame) {
        sent.push(frame);
        if (frame.frame === "welcome") greeted.resolve();
      },
      onFrame: (listener) => void (receive = listener),
      onClose: (listener) => void (onClose = listener),
      close(reason) {
        onClose(reason);
        closed.resolve(reason);
      },
      backlogBytes: 0,
    };
    const directory = await SessionDirectory.open(team.store, systemClock);
    const deps = { store: team.store, people, directory, clock: systemClock, version: "0" };
    const counts = { events: 0, commands: 0, refused: 0 };
    const log = (event: string, fields = {}) => void reports.push([event, fields]);
    const principal = { person, device: newId(), scope: "use", scopes: ["use"] } as const;
    const runner = new RunnerConnection(link, principal, { ...deps, counts, log }, () => {});
    receive({ frame: "hello", protocol: RUNNER_PROTOCOL, version: "0", name: "fast", instance: newId() });
    await greeted.promise;
    const sessionId = newId();
    const batch = (from: number) => ({
      frame: "batch",
      id: from,
      sessionId,
      epoch: 1,
      events: shipped(sessionId, from, from),
    });
    const half = 130 * 1024 * 1024;
    receive(batch(1), half);
    receive(batch(2), half);
    expect(await closed.promise).toBe("This machine sent more than the server could store in time. It will reconnect.");
    expect(sent.at(-1)).toMatchObject({ frame: "goodbye", isFinal: false });
    expect(reports).toContainEqual(["runner_refused", expect.objectContaining({ reason: "backlog", bytes: half })]);
    await expect.poll(() => readAll(team.store, sessionId).catch(() => [])).toHaveLength(1);
    runner.drain();
    directory.close();
    people.close();
  });
});

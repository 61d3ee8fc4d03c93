/** Who belongs to the team, on PostgreSQL: removals while somebody joins, and what older versions stored of people. */
import { Client } from "pg";
import { describe, expect, test, vi } from "vitest";
import { exporters } from "../../src/cli/edges.ts";
import { connectWebSocket, createClient } from "../../src/client/index.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { newId, newIdAt } from "../../src/kit/ids.ts";
import { senderId } from "../../src/protocol/index.ts";
import { openPostgresStore, openServerDevice, startNode, type ServerDevice } from "../../src/team/index.ts";
import { LivePeople } from "../../src/team/people/live-people.ts";
import type { NewTeamDevice, PeopleStore } from "../../src/team/people/people-store.ts";
import { message } from "../log/drafts.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { shipped, stamp } from "./events.ts";
import { administer } from "./postgres-cluster.ts";
import { newMachine, SETTINGS } from "./roles.ts";
import { freePort } from "./team-program.ts";

const newDevice = (): NewTeamDevice => ({
  id: newId(),
  name: "laptop",
  origin: "http://localhost",
  key: { kty: "EC", crv: "P-256", x: "x", y: "y" },
});
const invitation = (personName: string) => ({ personName, isAdmin: false, scope: "manage" }) as const;
const MINUTE_MS = 60_000;

/** A node with a first person, and a store of its database beside it. */
async function startTeam() {
  const database = await createDatabase();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const node = await startNode({
    database,
    port,
    reach: { address: "127.0.0.1", origin },
    version: "0",
    pageFiles: [],
    defaults: { cwd: "/", settings: SETTINGS, members: [] },
    exporters,
    writeLog: () => {},
  });
  const store = await openPostgresStore({ url: database });
  const ada = await openServerDevice((await node.firstInvitation("ada")) ?? "", newMachine("ada"));
  const close = async (): Promise<void> => {
    await store.close();
    await node.close();
  };
  return { database, origin, store, ada, close };
}

const namesIn = async ({ people }: Awaited<ReturnType<typeof openPostgresStore>>) =>
  [...(await people.records()).people.values()].map(({ name }) => name).sort();

describe.runIf(hasPostgres)("people of a team", () => {
  test("people have ids in the order in which they joined, also where the clock of a node is hours ahead", async () => {
    const store = await openPostgresStore({ url: await createDatabase() });
    const device = newDevice();
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 180 * MINUTE_MS);
    await store.people.addCode("bob", invitation("bob"), MINUTE_MS);
    const former = await store.people.redeemCode("bob", device).finally(() => clock.mockRestore());
    expect((former?.person ?? "~") < newIdAt(Date.now() + MINUTE_MS)).toBe(true);
    await store.close();
  });

  test("a removal finds whoever has just joined through another node, and ends what else could let them in", async () => {
    const url = await createDatabase();
    const [here, there] = await Promise.all([openPostgresStore({ url }), openPostgresStore({ url })]);
    for (let round = 0; round < 30; round += 1) {
      const name = `p${round}`;
      await here.people.addCode(`a${round}`, invitation(name), MINUTE_MS);
      await here.people.addCode(`b${round}`, invitation(name.toUpperCase()), MINUTE_MS);
      const joining = there.people.redeemCode(`a${round}`, newDevice());
      const [isRemoved, device] = await Promise.all([here.people.removePerson(name), joining]);
      expect(isRemoved).toBe(true);
      if (device !== undefined) expect((await here.people.pulse()).revoked).toContain(device.id);
    }
    expect([(await there.people.records()).people.size, await there.people.invitations()]).toEqual([0, []]);
    expect(await here.people.removePerson("p0")).toBe(false);
    await Promise.all([here.close(), there.close()]);
  });

  test("a device that is added while the removal of its person waits is revoked with the others", async () => {
    const url = await createDatabase();
    const store = await openPostgresStore({ url });
    const { people } = store;
    await people.addCode("join", invitation("bob"), MINUTE_MS);
    const first = await people.redeemCode("join", newDevice());
    await people.addCode("add", { person: first?.person ?? "", scope: "manage" }, MINUTE_MS);
    await people.addCode("open", invitation("bob"), MINUTE_MS);
    // Somebody is using the invitation, so that the removal waits.
    const other = new Client(url);
    await other.connect();
    await other.query("begin");
    await other.query("delete from roundtable.code where person_name = 'bob'");
    const removal = people.removePerson("bob");
    const waits = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect(await administer(url, waits)).toHaveLength(1), 10_000);
    const adding = people.redeemCode("add", newDevice());
    await other.query("rollback");
    await other.end();
    expect(await removal).toBe(true);
    const second = await adding;
    const { revoked } = await people.pulse();
    expect(revoked).toContain(first?.id);
    if (second !== undefined) expect(revoked).toContain(second.id);
    expect(await administer(url, "select id from roundtable.device")).toEqual([]);
    await store.close();
  });

  test("a device whose time is over ends on every node, also when another one takes its place at once", async () => {
    const store = await openPostgresStore({ url: await createDatabase() });
    const { people } = store;
    await people.addCode("bob", invitation("bob"), MINUTE_MS);
    const { person = "" } = (await people.redeemCode("bob", newDevice())) ?? {};
    await people.addCode("short", { person, scope: "read", deviceLifeMs: 20 }, MINUTE_MS);
    await people.addCode("next", { person, scope: "read" }, MINUTE_MS);
    const short = await people.redeemCode("short", newDevice());
    const isOver = async () => (await people.device(short?.id ?? "")) === undefined;
    await expect.poll(isOver).toBe(true);
    await people.redeemCode("next", newDevice());
    expect([...(await people.pulse()).revoked]).toEqual([short?.id]);
    await store.close();
  });

  test("roles on folders of a machine are limited, since every node holds them", async () => {
    const store = await openPostgresStore({ url: await createDatabase() });
    const { people } = store;
    await people.addCode("bob", invitation("bob"), MINUTE_MS);
    const { person = "" } = (await people.redeemCode("bob", newDevice())) ?? {};
    const { id: runnerId } = await people.runner(person, "box");
    const grant = (folder: string) => people.setAccess({ person: undefined, role: "viewer", on: { runnerId, folder } });
    for (let at = 0; at < 1_000; at += 1) await grant(`/${at}`);
    await expect(grant("/more")).rejects.toMatchObject({ code: "too_large" });
    await people.setAccess({ person, role: "viewer", on: { sessionId: newId() } });
    await people.setAccess({ person: undefined, role: undefined, on: { runnerId, folder: "/0" } });
    await grant("/more");
    // Changed at once on several nodes, there is one role in the end; what is refused leaves the one that was there.
    const everybody = { person: undefined, on: { runnerId, folder: "/more" } };
    await Promise.all((["driver", "owner"] as const).map((role) => people.setAccess({ ...everybody, role })));
    await expect(people.setAccess({ person, role: "viewer", on: everybody.on })).rejects.toThrow("already 1000 roles");
    await people.setAccess({ ...everybody, role: "driver" });
    const { access } = await people.records();
    expect(access.filter(({ on }) => "folder" in on && on.folder === "/more").map(({ role }) => role)).toEqual([
      "driver",
    ]);
    await store.close();
  });

  test("messages that were indexed before senders were stored have the name of whoever wrote them", async () => {
    const { database, origin, store, ada, close } = await startTeam();
    const { code } = await ada.ask<{ code: string }>("/v1/team/invitations", { name: "bob" });
    const bob = await openServerDevice(`${origin}/#code=${code}`, newMachine("bob"));
    const people = [...(await store.people.records()).people.values()];
    const idOf = (name: string): string => people.find((one) => one.name === name)?.id ?? "";
    const { id: runnerId } = await store.people.runner(idOf("ada"), "box");
    const sessionId = newId();
    const clientId = senderId({ id: idOf("bob"), name: "bob" }, newId());
    const written = { ...stamp(sessionId, 2, 1, message("zebra please")), clientId };
    await store.ingest({ sessionId, runnerId, epoch: 1 }, [...shipped(sessionId, 1, 1), written]);
    await vi.waitFor(async () => expect(await ada.ask("/v1/sessions")).toHaveLength(1), 20_000);
    await ada.ask("/v1/team/access", { person: "bob", role: "viewer", sessionId });
    const writer = async (device: ServerDevice): Promise<unknown> => {
      const client = await createClient(async () => connectWebSocket(origin, await device.token()));
      const { hits } = await client.search({ words: "zebra" });
      client.close();
      return hits.map(({ member }) => member);
    };
    expect([await writer(ada), await writer(bob)]).toEqual([["bob"], [undefined]]);
    await administer(database, "update roundtable.entry set sender = null");
    expect([await writer(ada), await writer(bob)]).toEqual([["bob"], ["bob"]]);
    await close();
  });

  test("a change is known on another node by its announcement, and without one by whoever asks for it", async () => {
    const database = await createDatabase();
    const [here, there] = [await openPostgresStore({ url: database }), await openPostgresStore({ url: database })];
    /** Of a node whose time never comes. */
    const timeless = (isDeaf: boolean): PeopleStore => ({
      ...there.people,
      changes(signal) {
        const changes = there.people.changes(signal);
        const never = new Promise<void>(() => {});
        return { seen: 0, next: async () => await (isDeaf ? never : changes.next()), end: () => changes.end() };
      },
    });
    const [told, deaf] = [
      await LivePeople.open(timeless(false), systemClock),
      await LivePeople.open(timeless(true), systemClock),
    ];
    const changing = await LivePeople.open(here.people, systemClock);
    await here.people.addCode("bob", invitation("bob"), MINUTE_MS);
    await here.people.redeemCode("bob", newDevice());
    await changing.changed();
    expect(changing.named("bob")).toMatchObject({ name: "bob" });
    await vi.waitFor(() => expect(told.named("bob")).toMatchObject({ name: "bob" }), 20_000);
    expect(deaf.named("bob")).toBeUndefined();
    expect(await deaf.known(() => deaf.named("bob"))).toMatchObject({ name: "bob" });
    for (const people of [told, deaf, changing]) people.close();
    await Promise.all([here.close(), there.close()]);
  });

  test("a person is found by name in any case and form, and nobody joins under a name that looks like another", async () => {
    const { origin, store, ada, close } = await startTeam();
    const invite = (name: string) => ada.ask<{ code: string }>("/v1/team/invitations", { name });
    const join = async (name: string) =>
      openServerDevice(`${origin}/#code=${(await invite(name)).code}`, newMachine(name));
    await join("E\u0301va");
    await join("Страус");
    expect(await namesIn(store)).toEqual(["ada", "Éva", "Страус"]);
    for (const name of ["éVA", "e\u0301va", "СТРАУС", "ＡＤＡ"])
      await expect(invite(name)).rejects.toThrow("There is already a person called");
    const mixed =
      '"\u0430da" cannot be the name of a person: a name has letters of one script only, such as Latin or Cyrillic.';
    await expect(invite("\u0430da")).rejects.toThrow(mixed);
    const on = { runner: "box", folder: "/src" };
    const { people } = await store.people.records();
    const idOf = (name: string) => [...people.values()].find((one) => one.name === name)?.id ?? "";
    await store.people.runner(idOf("ada"), "box");
    await vi.waitFor(
      async () =>
        expect(await ada.ask("/v1/team/access", { person: "ÉVA", role: "viewer", ...on })).toEqual({
          ok: true,
          personId: idOf("Éva"),
        }),
      20_000,
    );
    await invite("Ünal");
    await ada.ask("/v1/team/removals", { name: "u\u0308NAL" });
    await ada.ask("/v1/team/removals", { name: "страус" });
    expect([await store.people.invitations(), await namesIn(store)]).toEqual([[], ["ada", "Éva"]]);
    await expect(ada.ask("/v1/team/removals", { name: "ADA" })).rejects.toThrow("You cannot remove yourself.");
    await close();
  });

  test("names of one key join once, whatever the locale of the database", async () => {
    const store = await openPostgresStore({ url: await createDatabase() });
    const { people } = store;
    const names = ["Ärger", "ärger", "A\u0308RGER"];
    for (const name of names) await people.addCode(name, invitation(name), MINUTE_MS);
    const joined = await Promise.allSettled(names.map((name) => people.redeemCode(name, newDevice())));
    expect(joined.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    const account = { issuer: "https://example.org", subject: "1" };
    await expect(people.joinWith(account, "äRGER", newDevice())).rejects.toMatchObject({ code: "conflict" });
    expect(await people.removePerson("ÄRGER")).toBe(true);
    expect([await namesIn(store), await people.invitations()]).toEqual([[], []]);
    await store.close();
  });

  test("people and invitations from before names had keys are found by any form, those of one key by their own", async () => {
    const url = await createDatabase();
    await (await openPostgresStore({ url })).close();
    const before = ["\u0430da", "Straße", "STRASSE", "ärger", "Ärger", "e\u0301va"];
    await administer(
      url,
      `alter table roundtable.person drop column name_key;
      drop index roundtable.person_name_idx;
      create unique index on roundtable.person (lower(name));
      alter table roundtable.code drop column person_name_key;
      delete from roundtable.migration where version = 9;
      ${before.map((name, index) => `insert into roundtable.person (id, name) values ('${index}', '${name}');`).join("\n")}
      insert into roundtable.code (hash, person_name, scope, expires) values ('', 'Ünal', 'use', now() + interval '1 day');`,
    );
    const store = await openPostgresStore({ url });
    const { people } = store;
    expect(await namesIn(store)).toEqual(before.toSorted());
    expect(await people.removePerson("STRASSE")).toBe(true);
    expect(await people.removePerson("Ärger")).toBe(true);
    expect(await namesIn(store)).toEqual(["\u0430da", "Straße", "ärger", "e\u0301va"].sort());
    for (const name of ["strasse", "ÄRGER", "ÉVA", "\u0410DA"]) expect(await people.removePerson(name)).toBe(true);
    expect([await namesIn(store), (await people.invitations()).length]).toEqual([[], 1]);
    expect([await people.removePerson("ünal"), await people.invitations()]).toEqual([true, []]);
    await store.close();
  });
});

/** Routes that only a node has: team, rights, runner connections and operations. */
import * as z from "zod";
import type { Clock } from "../../kit/clock.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { answer, readBody, type Policy, type Principal, type Route } from "../../server/index.ts";
import { RUNNER_PATH } from "../frames.ts";
import type { LivePeople } from "../people/live-people.ts";
import type { Access, Person, TeamRunner } from "../people/people-store.ts";
import { GivenName, PersonName } from "../people/person-name.ts";
import { asTeamPrincipal, isTeamPrincipal, type TeamSignIn } from "../people/team-sign-in.ts";
import type { PostgresStore } from "../store/postgres/open-store.ts";
import { asAnswer } from "../store/team-store.ts";
import type { RunnerLink } from "./runner-connection.ts";
import { Rights } from "./rights.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { forkElsewhere } from "./start-session.ts";
import type { TeamDevicePrincipal } from "../people/team-sign-in.ts";

export interface TeamRouteDeps {
  readonly store: PostgresStore;
  readonly people: LivePeople;
  readonly signIn: TeamSignIn;
  readonly directory: SessionDirectory;
  readonly clock: Clock;
  readonly connectRunner: (link: RunnerLink, principal: TeamDevicePrincipal) => void;
  /** Why the node should get no more requests; undefined while it should. */
  readonly whyNotReady: () => Promise<string | undefined>;
}

const publicPolicy: Policy = { access: "public", carrier: "http", bodyBytesMax: 0, isLandingPage: false };
const reading: Policy = { ...publicPolicy, access: "token" };
const managing: Policy = { ...reading, scope: "manage", bodyBytesMax: 8_192 };

const Done = z.object({ ok: z.literal(true) });
const Invitation = z.strictObject({
  name: z
    .string()
    .max(1_024)
    .meta({ description: "Up to 32 letters of one script, digits, dots, underscores and dashes." }),
  isAdmin: z.boolean().optional(),
});
const Removal = z.strictObject({ name: GivenName });
const Sharing = z.strictObject({
  person: GivenName.optional().meta({ description: "Everybody in the team when absent." }),
  role: z.enum(["viewer", "driver", "owner"]).nullable().meta({ description: "null removes the role." }),
  sessionId: z.string().max(64).optional(),
  runner: z
    .string()
    .max(64)
    .optional()
    .meta({ description: "Name of one of your runners; given together with folder." }),
  folder: z.string().max(4_096).optional(),
});
const Forking = z.strictObject({
  sessionId: z.string().max(64),
  seq: z.int().positive().optional(),
  title: z.string().max(200).optional(),
  at: z.string().max(4_096).optional().meta({ description: "MACHINE or MACHINE:FOLDER; the default when absent." }),
});
const Answers = z.strictObject({ sessionId: z.string().max(64), areOpen: z.boolean() });
const Invited = z.object({
  name: z.string(),
  isAdmin: z.boolean(),
  by: z.string().optional(),
  expiresTs: z.number(),
});
const Member = z.object({ id: z.string(), name: z.string(), isAdmin: z.boolean() });
const Team = z.object({
  me: Member,
  scope: z.enum(["read", "use", "manage"]).meta({ description: "What this device may do." }),
  people: z.array(Member),
  runners: z.array(z.object({ name: z.string(), person: z.string(), isConnected: z.boolean() })),
  invitations: z.array(Invited).optional().meta({ description: "Not used yet. For administrators." }),
});

export function createTeamRoutes(deps: TeamRouteDeps, principal: Principal): readonly Route[] {
  return [
    ...healthRoutes(deps),
    runnerRoute(deps),
    ...peopleRoutes(deps, principal),
    ...rightRoutes(deps, principal),
    ...forkRoutes(deps, principal),
  ];
}

export function createProbeRoutes(deps: Pick<TeamRouteDeps, "whyNotReady">, metrics: () => string): readonly Route[] {
  const handle = () =>
    new Response(metrics(), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
  return [...healthRoutes(deps), { method: "GET", path: "/metrics", policy: publicPolicy, handle }];
}

function healthRoutes({ whyNotReady }: Pick<TeamRouteDeps, "whyNotReady">): Route[] {
  return [
    { method: "GET", path: "/healthz", policy: publicPolicy, handle: () => answer(200, { ok: true }) },
    {
      method: "GET",
      path: "/readyz",
      policy: publicPolicy,
      async handle() {
        const why = await whyNotReady();
        return why === undefined ? answer(200, { ok: true }) : answer(503, { error: { message: why } });
      },
    },
  ];
}

function runnerRoute({ connectRunner }: TeamRouteDeps): Route {
  return {
    method: "GET",
    path: RUNNER_PATH,
    policy: { ...reading, scope: "use", carrier: "websocket" },
    handle: () => answer(426, { error: { message: "This path accepts only WebSocket connections." } }),
    connect(connection, principal) {
      if (isTeamPrincipal(principal) && principal.scope !== "read")
        connectRunner(connection as unknown as RunnerLink, principal);
      else connection.close("this device cannot be a runner");
    },
  };
}

async function expectSelf(people: LivePeople, { person: id = "" }: Principal): Promise<Person> {
  const self = await people.known(() => people.records.people.get(id));
  if (self !== undefined) return self;
  throw new RoundtableError("unsupported", "You were removed from this team.");
}

async function expectAdmin(people: LivePeople, principal: Principal): Promise<void> {
  const { isAdmin } = await expectSelf(people, principal);
  if (!isAdmin) throw new RoundtableError("unsupported", "Only an administrator of the team may do that.");
}

function peopleRoutes({ people, signIn }: TeamRouteDeps, principal: Principal): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/team",
      policy: reading,
      api: { summary: "The people in the team and their runners.", answer: Team },
      async handle() {
        const me = await expectSelf(people, principal);
        const invitations = me.isAdmin ? await openInvitations(people) : undefined;
        const { records } = people;
        const runners = [...records.runners.values()].flatMap(({ id, name, person }) =>
          person === undefined
            ? []
            : [{ name, person: people.nameOf(person) ?? "", isConnected: people.isConnected(id) }],
        );
        const scope = isTeamPrincipal(principal) ? principal.scope : "read";
        return answer(200, Team.parse({ me, scope, people: [...records.people.values()], runners, invitations }));
      },
    },
    {
      method: "POST",
      path: "/v1/team/invitations",
      policy: managing,
      api: {
        summary: "A one-time code, valid for a week, with which a new person joins the team. For administrators.",
        body: Invitation,
        answer: z.object({ code: z.string() }),
      },
      async handle(c) {
        await expectAdmin(people, principal);
        const { name, isAdmin = false } = await readInvitation(c.req);
        if (people.named(name) !== undefined)
          throw new RoundtableError("conflict", `There is already a person called ${name}.`);
        return answer(200, { code: await signIn.invite(name, { isAdmin, inviter: principal.person }) });
      },
    },
    {
      method: "POST",
      path: "/v1/team/removals",
      policy: managing,
      api: {
        summary:
          "Removes a person with all devices, rights and open invitations; what they shared stays. For administrators.",
        body: Removal,
        answer: Done,
      },
      async handle(c) {
        await expectAdmin(people, principal);
        const { name } = await readBody(c.req, Removal);
        await remove(people, name, principal);
        await people.changed();
        return answer(200, { ok: true });
      },
    },
  ];
}

async function readInvitation(request: Parameters<typeof readBody>[0]): Promise<z.infer<typeof Invitation>> {
  const body = await readBody(request, Invitation);
  const { data: name, error } = PersonName.safeParse(body.name);
  if (name !== undefined) return { ...body, name };
  const rule = error?.issues[0]?.message ?? "";
  throw new RoundtableError("bad_command", `"${body.name}" cannot be the name of a person: ${rule}.`);
}

/** A person, or an open invitation. */
async function remove(people: LivePeople, name: string, { person: self }: Principal): Promise<void> {
  const { store } = people;
  if (people.named(name)?.id === self) throw new RoundtableError("conflict", "You cannot remove yourself.");
  // The database decides who has the name: somebody may have joined on another node just now.
  if (!(await asAnswer(store.removePerson(name)))) throw noSuchPerson(name);
}

async function openInvitations(people: LivePeople): Promise<z.infer<typeof Invited>[]> {
  const all = await asAnswer(people.store.invitations());
  // An invitation is void once its name is taken.
  const open = all.filter(({ personName }) => people.named(personName) === undefined);
  return open.map(({ personName, isAdmin, inviter, expiresTs }) => ({
    name: personName,
    isAdmin,
    by: people.nameOf(inviter),
    expiresTs,
  }));
}

function rightRoutes({ store, people, directory }: TeamRouteDeps, principal: Principal): Route[] {
  const expectShared = async (sessionId: string): Promise<void> => {
    if (!isTeamPrincipal(principal)) throw new RoundtableError("unsupported", "Sign in first.");
    await new Rights(asTeamPrincipal(principal), people, directory).expect("share", sessionId);
  };
  /** A session that the person may share, or a folder of one of their runners. */
  const scopeOf = async ({ sessionId, runner, folder }: z.infer<typeof Sharing>): Promise<Access["on"]> => {
    if (sessionId !== undefined) {
      await expectShared(sessionId);
      return { sessionId };
    }
    const isMeant = (one: TeamRunner) =>
      one.person === principal.person && one.name.toLowerCase() === runner?.toLowerCase();
    const own = await people.known(() => [...people.records.runners.values()].find(isMeant));
    if (own === undefined) throw new RoundtableError("bad_command", `You have no machine called ${runner ?? ""}.`);
    if (folder === undefined || !/^(?:\/|[A-Za-z]:\\)/.test(folder))
      throw new RoundtableError("bad_command", "The folder must be an absolute path on that machine.");
    return { runnerId: own.id, folder };
  };
  return [
    {
      method: "POST",
      path: "/v1/team/access",
      policy: managing,
      api: {
        summary: "Grants or removes a role on a session or on a folder of a runner.",
        body: Sharing,
        answer: Done.extend({
          personId: z.string().optional().meta({ description: "The person whose role was granted or removed." }),
        }),
      },
      async handle(c) {
        const body = await readBody(c.req, Sharing);
        const person = body.person === undefined ? undefined : (await expectPerson(people, body.person)).id;
        const on = await scopeOf(body);
        await asAnswer(store.people.setAccess({ person, role: body.role ?? undefined, on }));
        await people.changed();
        return answer(200, { ok: true, personId: person });
      },
    },
    {
      method: "POST",
      path: "/v1/team/answers",
      policy: managing,
      api: { summary: "Sets whether drivers may answer the requests of a session.", body: Answers, answer: Done },
      async handle(c) {
        const { sessionId, areOpen } = await readBody(c.req, Answers);
        await expectShared(sessionId);
        await asAnswer(store.people.openAnswers(sessionId, areOpen));
        await directory.refresh();
        return answer(200, { ok: true });
      },
    },
  ];
}

function forkRoutes({ store, people, directory, clock }: TeamRouteDeps, principal: Principal): Route[] {
  return [
    {
      method: "POST",
      path: "/v1/team/forks",
      policy: { ...managing, scope: "use" },
      api: {
        summary: "Continues a copy of a session on another machine.",
        body: Forking,
        answer: z.object({ sessionId: z.string() }),
      },
      async handle(c) {
        const body = await readBody(c.req, Forking);
        if (!isTeamPrincipal(principal)) throw new RoundtableError("unsupported", "Sign in first.");
        const rights = new Rights(asTeamPrincipal(principal), people, directory);
        return answer(200, { sessionId: await forkElsewhere({ store, rights, clock, directory }, body) });
      },
    },
  ];
}

export async function expectPerson(people: LivePeople, name: string): Promise<Person> {
  const person = await people.known(() => people.named(name));
  if (person !== undefined) return person;
  throw noSuchPerson(name);
}

function noSuchPerson(name: string): RoundtableError {
  return new RoundtableError("bad_command", `Nobody in the team is called ${name}.`, {
    hint: "Invited people join the team when they use their link.",
  });
}

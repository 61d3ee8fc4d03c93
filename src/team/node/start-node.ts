/** A node of a team server: the page, the terminal app's connections and the runners, over one store. */
import { systemClock, type Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import type { RoundtableError } from "../../protocol/index.ts";
import type { Exporter, ServedConnection } from "../../host/index.ts";
import {
  startProbePort,
  startServer,
  type PageFile,
  type Route,
  type RunningServer,
  type ServedPeople,
  type ServerAddress,
  type SessionDefaults,
} from "../../server/index.ts";
import { LivePeople } from "../people/live-people.ts";
import { Provider, type ProviderSettings } from "../people/provider.ts";
import { ProviderSignIn } from "../people/provider-sign-in.ts";
import { asTeamPrincipal, isTeamPrincipal, TeamSignIn } from "../people/team-sign-in.ts";
import { openPostgresStore, type PostgresStore } from "../store/postgres/open-store.ts";
import { TeamStoreError, toAnswer } from "../store/team-store.ts";
import { createDatabaseLog, createNodeLog, type DatabaseLog, type NodeLog } from "./node-log.ts";
import { createProviderRoutes } from "./provider-routes.ts";
import { Rights } from "./rights.ts";
import { createProbeRoutes, createTeamRoutes, expectPerson, type TeamRouteDeps } from "./routes.ts";
import { RunnerConnection } from "./runner-connection.ts";
import { SessionDirectory } from "./session-directory.ts";
import { targetDefaults, targetNames } from "./start-session.ts";
import { createClosedHost, createTeamHost } from "./team-host.ts";

/** Time for runners and pages to reconnect elsewhere before the node stops. */
const DRAIN_MS = 1_000;
/** Of links that are printed where the node runs. */
const PRINTED_LIFE_MS = 3_600_000;

export interface NodeOptions {
  readonly database: string;
  readonly blobDirectory?: string;
  readonly reach: ServerAddress;
  /** Where probes and metrics are answered in plain HTTP. */
  readonly probes?: { readonly address: string; readonly port: number };
  /** OpenID Connect provider for sign-ins without an invitation. */
  readonly provider?: ProviderSettings;
  readonly port: number;
  readonly version: string;
  readonly pageFiles: readonly PageFile[];
  readonly defaults: SessionDefaults;
  readonly exporters: readonly Exporter[];
  readonly writeLog: (line: string) => void;
  readonly clock?: Clock;
}

export interface TeamNode {
  readonly url: string;
  readonly routes: RunningServer["routes"];
  /** Invitation for the first person of the team; undefined once somebody has joined. */
  firstInvitation(name: string): Promise<string | undefined>;
  /** For somebody whose devices are all lost. Rejects when nobody has this name. */
  linkFor(name: string): Promise<string>;
  /** Refuses new connections, tells open ones to connect elsewhere, and closes. */
  close(): Promise<void>;
}

/** Refuses with a `TeamStoreError` that says what is wrong with the database. */
export async function startNode(options: NodeOptions): Promise<TeamNode> {
  const { reach, port, version, pageFiles, defaults, clock = systemClock } = options;
  const log = createNodeLog(options.writeLog);
  const services = await openServices(options, clock, createDatabaseLog(log, clock));
  const { people, signIn, connections, runners, closeStore } = services;
  const state = { isDraining: false };
  const { served, probeRoutes } = servedPeople(services, { options, clock, log, state });
  const warn = (message: string): void => log("warning", { message });
  const own = { host: createClosedHost(), pageFiles, defaults, version, port, reach, clock, warn };
  const undo = async (error: unknown): Promise<never> => {
    await closeStore();
    throw error;
  };
  const probes = await (options.probes && startProbePort(options.probes, probeRoutes))?.catch(undo);
  const server = await startServer({ ...own, people: served }).catch(async (error: unknown) => {
    await probes?.close();
    return await undo(error);
  });
  log("node_started", { version, port });
  // Checked again at the next sign-in.
  void services.provider
    ?.check()
    .catch(({ message, hint = "" }: RoundtableError) => log("provider_unavailable", { message, hint }));
  return {
    url: server.url,
    routes: server.routes,
    async firstInvitation(name) {
      if (people.records.people.size > 0) return undefined;
      return `${server.url}/#code=${await signIn.invite(name, { isAdmin: true, lifeMs: PRINTED_LIFE_MS })}`;
    },
    async linkFor(name) {
      const { id } = await expectPerson(people, name);
      return `${server.url}/#code=${await signIn.codeFor(id, PRINTED_LIFE_MS)}`;
    },
    async close() {
      state.isDraining = true;
      log("node_draining", { runners: runners.size, viewers: connections.size });
      server.stop();
      for (const runner of runners) runner.drain();
      for (const connection of connections) connection.shutdown("this node of the server is stopping");
      await new Promise<void>((resolve) => void clock.after(DRAIN_MS, resolve));
      await server.cut();
      await probes?.close();
      await closeStore();
      log("node_stopped");
    },
  };
}

type Services = Awaited<ReturnType<typeof openServices>>;

async function openServices(
  { database: url, blobDirectory, provider, reach }: NodeOptions,
  clock: Clock,
  databaseLog: DatabaseLog,
) {
  const store = await openPostgresStore({
    url,
    clock,
    onFailure: databaseLog.failed,
    ...(blobDirectory === undefined ? {} : { blobDirectory }),
  });
  const people = await LivePeople.open(store.people, clock);
  people.onPulse(databaseLog.answered);
  const signIn = await TeamSignIn.open(people, { url: reach.origin, ...(provider && { provider: provider.name }) });
  const directory = await SessionDirectory.open(store, clock);
  return {
    store,
    people,
    signIn,
    provider: provider && new Provider(provider, () => people.nowTs),
    directory,
    connections: new Set<ServedConnection>(),
    runners: new Set<RunnerConnection>(),
    closeStore: async () => {
      people.close();
      directory.close();
      await store.close();
    },
  };
}

interface Serving {
  readonly options: NodeOptions;
  readonly clock: Clock;
  readonly log: NodeLog;
  readonly state: { readonly isDraining: boolean };
}

interface ServedTeam {
  readonly served: ServedPeople;
  readonly probeRoutes: readonly Route[];
}

function servedPeople(services: Services, { options, clock, log, state }: Serving): ServedTeam {
  const { store, people, signIn, directory, connections, runners } = services;
  const { version, exporters, pageFiles, reach } = options;
  const provider = services.provider && {
    provider: new ProviderSignIn({ provider: services.provider, people, signIn }),
    origin: reach.origin,
    landingPage: pageFiles.find(({ path }) => path === "/"),
    isBehindProxy: reach.admits !== undefined,
  };
  const counts = { events: 0, commands: 0, refused: 0 };
  const hostDeps = { nodeId: newId(), version, store, exporters, clock, connections, directory };
  const routeDeps: TeamRouteDeps = {
    store,
    people,
    signIn,
    directory,
    clock,
    whyNotReady: async () => (state.isDraining ? "The node is stopping." : await whyNotStored(store)),
    connectRunner(link, principal) {
      const deps = { store, people, directory, clock, log, version, counts };
      const runner: RunnerConnection = new RunnerConnection(link, principal, deps, () => runners.delete(runner));
      runners.add(runner);
    },
  };
  const metrics = (): string =>
    formatMetrics({
      events_stored_total: counts.events,
      commands_done_total: counts.commands,
      batches_refused_total: counts.refused,
      runners_connected: runners.size,
      viewers_connected: connections.size,
      sessions: [...directory.entries].length,
    });
  const served: ServedPeople = {
    signIn,
    routesFor: (principal) => [
      ...createTeamRoutes(routeDeps, principal),
      ...(provider === undefined ? [] : createProviderRoutes(provider, principal)),
    ],
    defaultsFor(principal) {
      if (!isTeamPrincipal(principal)) return options.defaults;
      return teamDefaults(options.defaults, new Rights(asTeamPrincipal(principal), people, directory));
    },
    hostFor(principal) {
      if (!isTeamPrincipal(principal)) return createClosedHost();
      return createTeamHost(hostDeps, new Rights(asTeamPrincipal(principal), people, directory));
    },
  };
  return { served, probeRoutes: createProbeRoutes(routeDeps, metrics) };
}

/** Folders are those of the team's machines. */
function teamDefaults(defaults: SessionDefaults, rights: Rights): SessionDefaults {
  return {
    ...defaults,
    defaultsIn: async (given) => {
      const { cwd, settings, members } = (await targetDefaults(rights, given)) ?? defaults;
      return { cwd, settings, members: [...members] };
    },
    browse: async (path) => ({ path, folders: [], hasMore: false, others: targetNames(rights) }),
  };
}

async function whyNotStored(store: PostgresStore): Promise<string | undefined> {
  try {
    await store.expectWritable();
    return undefined;
  } catch (error) {
    return (error instanceof TeamStoreError ? toAnswer(error) : (error as Error)).message;
  }
}

function formatMetrics(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const type = name.endsWith("_total") ? "counter" : "gauge";
      return `# TYPE roundtable_${name} ${type}\nroundtable_${name} ${value}\n`;
    })
    .join("");
}

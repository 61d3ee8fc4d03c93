/**
 * The session that starts with the next message: its folder, and what was chosen for sessions in that folder. Choices are
 * stored in this browser by name, never with commands or addresses: those come from the server each time.
 */
import {
  changePlan,
  planSession,
  type CommandBody,
  type PlannedSession,
  type SessionDefaults,
} from "../../client/index.ts";
import { listAgents, specOf, type AvailableAgent } from "./available-agents.ts";
import { forgetChoice, readChoice, readFolder, storeChoice, storeFolder, type FolderChoice } from "./local-storage.ts";
import type { AskServer } from "./upload.ts";

export function choiceOf({ members, muted, settings }: PlannedSession): FolderChoice {
  return {
    members: members.map(({ name, model, effort }) => ({
      name,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
    })),
    muted: [...muted],
    writable: settings.writable,
    usd: settings.limits.usd,
  };
}

/** Members that no longer exist are left out; without any, the defaults stay. */
export function planWith(
  defaults: SessionDefaults,
  choice: FolderChoice,
  available: readonly AvailableAgent[],
): PlannedSession {
  const specs = new Map([...available.map(specOf), ...defaults.members].map((spec) => [spec.name, spec]));
  const chosen = choice.members.flatMap(({ name, ...rest }) => {
    const spec = specs.get(name);
    return spec === undefined ? [] : [{ ...spec, ...rest }];
  });
  const members = chosen.length === 0 ? defaults.members : chosen;
  const { limits } = defaults.settings;
  return {
    ...defaults,
    members,
    muted: choice.muted.filter((name) => members.some((one) => one.name === name)),
    settings: {
      ...defaults.settings,
      order: members.map(({ name }) => name),
      writable: choice.writable,
      limits: { ...limits, usd: choice.usd },
    },
  };
}

export interface FolderPlannerOptions {
  readonly defaults: SessionDefaults;
  readonly ask: AskServer;
  readonly setPlan: (plan: PlannedSession, isRemembered: boolean) => void;
}

export interface FolderPlanner {
  /** Throws a message for commands that need a session. */
  change(plan: PlannedSession, body: CommandBody): void;
  /** Rejects with a message when the folder cannot be used. */
  choose(cwd: string): Promise<void>;
  /** Whether what is chosen is used for the next sessions in the folder too. */
  remember(plan: PlannedSession, isOn: boolean): void;
  /** The plan of the next session, after one was created or the page was opened. */
  restart(): Promise<void>;
}

export function createFolderPlanner({ defaults, ask, setPlan }: FolderPlannerOptions): FolderPlanner {
  let current = defaults;
  let isRemembered = true;

  async function show(next: SessionDefaults): Promise<void> {
    current = next;
    const choice = readChoice(next.cwd);
    if (choice === undefined) return setPlan(planSession(next), isRemembered);
    const isKnown = choice.members.every(({ name }) => next.members.some((one) => one.name === name));
    const available = isKnown ? [] : await listAgents(ask).catch(() => []);
    setPlan(planWith(next, choice, available), isRemembered);
  }

  async function choose(cwd: string): Promise<void> {
    const answer = await ask(`/v1/defaults?cwd=${encodeURIComponent(cwd)}`);
    const body = (await answer.json()) as SessionDefaults & { error?: { message: string } };
    if (!answer.ok) throw new Error(body.error?.message ?? `The folder cannot be used (${answer.status}).`);
    storeFolder(body.cwd === defaults.cwd ? "" : body.cwd);
    await show(body);
  }

  return {
    change(plan, body) {
      const next = changePlan(plan, body);
      if (isRemembered) storeChoice(next.cwd, choiceOf(next));
      setPlan(next, isRemembered);
    },
    choose,
    remember(plan, isOn) {
      isRemembered = isOn;
      if (isOn) storeChoice(plan.cwd, choiceOf(plan));
      else forgetChoice(plan.cwd);
      setPlan(plan, isOn);
    },
    async restart() {
      const folder = readFolder();
      if (folder === "" || folder === current.cwd) return await show(current);
      // A folder that is gone since: the default one.
      await choose(folder).catch(() => show(defaults));
    },
  };
}

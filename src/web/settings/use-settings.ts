/** What the settings show, fetched from the server, and changes of it. */
import { useCallback, useEffect, useState } from "react";
import { readOffer } from "../sign-in/offer.ts";
import type { AvailableAgent } from "../store/available-agents.ts";
import type { PageStore } from "../store/page-store.ts";
import { useApp, useStore } from "../store/use-store.ts";

export interface Configuration {
  readonly cwd: string;
  readonly file: string;
  readonly dataDir: string;
  readonly sandbox: { readonly mode: string; readonly from: string };
  readonly rules: readonly Rule[];
  readonly grants: readonly Grant[];
  readonly fixed: readonly { readonly key: string; readonly value: string; readonly from: string }[];
}

export interface Rule {
  readonly verdict: "allow" | "ask" | "deny";
  readonly rule: string;
  readonly from: string;
  readonly isOwn: boolean;
}

export interface Grant {
  readonly tool: string;
  readonly kind: string;
  readonly text: string;
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly createdTs: number;
  readonly usedTs: number;
  readonly scope: "read" | "use" | "manage";
  readonly expiresTs?: number;
}

export interface Settings {
  /** A team's server runs no agents of its own and has no configuration. */
  readonly isTeam: boolean;
  readonly configuration: Configuration | undefined;
  readonly agents: readonly AvailableAgent[];
  readonly devices: readonly Device[];
  /** True when it was changed; an error is shown. */
  readonly change: (change: object) => Promise<boolean>;
  readonly revoke: (device: string) => Promise<boolean>;
}

export function useSettings(): Settings {
  const store = useStore();
  const cwd = useApp((state) => state.planned.cwd);
  const [isTeam, setIsTeam] = useState(false);
  const [configuration, setConfiguration] = useState<Configuration>();
  const [agents, setAgents] = useState<readonly AvailableAgent[]>([]);
  const [devices, setDevices] = useState<readonly Device[]>([]);
  const readAll = useCallback(
    () =>
      Promise.all([
        store.guarded(async () => {
          const offer = await readOffer();
          setIsTeam(offer.isTeam);
          if (offer.isTeam) return;
          setConfiguration(await readJson(store, `/v1/configuration?cwd=${encodeURIComponent(cwd)}`));
          setAgents(await readJson(store, "/v1/agents"));
        }),
        store.guarded(async () => setDevices(await readJson(store, "/v1/devices"))),
      ]),
    [store, cwd],
  );
  useEffect(() => void readAll(), [readAll]);
  return {
    isTeam,
    configuration,
    agents,
    devices,
    change: (change) =>
      store.guarded(async () => {
        await readJson(store, "/v1/configuration", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(change),
        });
        await readAll();
      }),
    revoke: (device) =>
      store.guarded(async () => {
        await readJson(store, `/v1/devices/${device}`, { method: "DELETE" });
        await readAll();
      }),
  };
}

type Init = Parameters<PageStore["ask"]>[1];

/** Rejects with the server's message. */
export async function readJson<T>(store: Pick<PageStore, "ask">, path: string, init?: Init): Promise<T> {
  const answer = await store.ask(path, init);
  const body: unknown = await answer.json().catch(() => ({}));
  if (answer.ok) return body as T;
  const { error } = body as { error?: { message: string; hint?: string } };
  throw new Error([error?.message ?? `The server answered ${answer.status}.`, error?.hint].filter(Boolean).join(" "));
}

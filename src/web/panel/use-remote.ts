/** Data about the session's folder from the server, fetched again when the session moves on. */
import { useCallback, useEffect, useState } from "react";
import { ApiError } from "../../protocol/index.ts";
import type { Head } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";
import { useHead, useStore } from "../store/use-store.ts";

export interface Remote<Value> {
  /** The last answer, even while a newer one is being fetched. */
  readonly value?: Value;
  readonly problem?: string;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Minimum interval between fetches while a turn runs. */
const WORKING_MS = 4_000;

/** Changes when members may have changed files. */
export function useWorkVersion(): string {
  return useHead(workVersion) ?? "";
}

function workVersion({ openTurns, turnCount, updatedTs }: Head): string {
  const open = Object.keys(openTurns).length;
  return `${turnCount} ${open} ${open === 0 ? 0 : Math.floor(updatedTs / WORKING_MS)}`;
}

/** Without a path nothing is fetched. */
export function useRemote<Value>(path: string | undefined, version = ""): Remote<Value> {
  const store = useStore();
  const [answer, setAnswer] = useState<{ path: string; value?: Value; problem?: string }>();
  const [isLoading, setLoading] = useState(false);
  const [reloads, setReloads] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    let isGone = false;
    setLoading(true);
    void readJson(store, path).then(
      (value) => {
        if (isGone) return;
        setAnswer({ path, value: value as Value });
        setLoading(false);
      },
      (error: unknown) => {
        if (isGone) return;
        setAnswer({ path, problem: error instanceof Error ? error.message : String(error) });
        setLoading(false);
      },
    );
    return () => {
      isGone = true;
    };
  }, [store, path, version, reloads]);
  const reload = useCallback(() => setReloads((count) => count + 1), []);
  const { value, problem } = answer?.path === path && answer !== undefined ? answer : {};
  return {
    isLoading,
    reload,
    ...(value === undefined ? {} : { value }),
    ...(problem === undefined ? {} : { problem }),
  };
}

async function readJson(store: PageStore, path: string): Promise<unknown> {
  const answer = await store.ask(path).catch(() => {
    throw new Error("Can't reach the server.");
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && body !== undefined) return body;
  throw new Error(ApiError.safeParse(body).data?.error.message ?? `The server answered ${answer.status}.`);
}

/** URL of a request about the folder of a session. */
export function workspacePath(sessionId: string, route: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `/v1/sessions/${sessionId}/${route}${search === "" ? "" : `?${search}`}`;
}

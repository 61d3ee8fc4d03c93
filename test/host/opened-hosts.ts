/** For a file of tests: opens hosts that are closed after the test that opened them. */
import { afterEach } from "vitest";
import type { Host } from "../../src/host/index.ts";
import { openHost } from "./open-host.ts";

export function openedHosts(): typeof openHost {
  const hosts: Host[] = [];
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  });
  return async (dataDir, options) => {
    const host = await openHost(dataDir, options);
    hosts.push(host);
    return host;
  };
}

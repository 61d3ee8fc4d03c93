import { expect, test } from "vitest";
import { systemClock } from "../../kit/clock.ts";
import { hostileIds } from "../../../test/server/hostile-ids.ts";
import { createRouteTable, routesAt, type Policy, type Route } from "./policy.ts";
import { createRoutes } from "../routes/all-routes.ts";

const policy: Policy = { access: "token", carrier: "http", bodyBytesMax: 0, isLandingPage: false };
const handle = () => new Response("");

test("[V19] a route that does not declare its whole policy, or is there twice, keeps the server from starting", () => {
  const route = { method: "GET", path: "/a", policy, handle } as const;
  expect([...createRouteTable([route]).keys()]).toEqual(["/a"]);
  const { access: _access, ...half } = policy;
  for (const wrong of [undefined, null, {}, half, { ...policy, access: "anybody" }, { ...policy, bodyBytesMax: "1" }]) {
    const routes = [{ method: "GET", path: "/a", policy: wrong, handle }] as unknown as Route[];
    expect(() => createRouteTable(routes)).toThrow("The route GET /a does not declare its policy.");
  }
  // @ts-expect-error A route without a policy is no route for the compiler either.
  const bare: Route = { method: "GET", path: "/a", handle };
  expect(() => createRouteTable([bare])).toThrow("The route GET /a does not declare its policy.");
  expect(() => createRouteTable([route, route])).toThrow("The route GET /a is declared twice.");
});

const routes = createRoutes({
  version: "0",
  signIn: { offer: { isTeam: false } } as never,
  principal: { device: undefined, scopes: [] },
  scheme: "http",
  failures: { note: () => true },
  pageFiles: [{ path: "/", contentType: "text/html", body: new Uint8Array() }],
  host: {} as never,
  clock: systemClock,
  listFeed: {} as never,
  defaults: {} as never,
});

test("[V20] only the page, the health check and signing in are open without a token", () => {
  const names = (access: Policy["access"]) =>
    routes.filter((route) => route.policy.access === access).map((route) => `${route.method} ${route.path}`);
  expect(names("public").sort()).toEqual([
    "GET /",
    "GET /v1/health",
    "GET /v1/sign-in",
    "POST /v1/devices",
    "POST /v1/devices/challenge",
    "POST /v1/devices/token",
    "POST /v1/exchange",
  ]);
  expect(names("token").sort()).toEqual([
    "DELETE /v1/devices/:id",
    "DELETE /v1/sessions/:id",
    "GET /v1/agents",
    "GET /v1/configuration",
    "GET /v1/defaults",
    "GET /v1/devices",
    "GET /v1/files",
    "GET /v1/folders",
    "GET /v1/openapi.json",
    "GET /v1/requests",
    "GET /v1/runs",
    "GET /v1/runs/:id",
    "GET /v1/schema.json",
    "GET /v1/search",
    "GET /v1/sessions",
    "GET /v1/sessions/:id",
    "GET /v1/sessions/:id/blobs/:hash",
    "GET /v1/sessions/:id/changes",
    "GET /v1/sessions/:id/events",
    "GET /v1/sessions/:id/export",
    "GET /v1/sessions/:id/file",
    "GET /v1/sessions/:id/members",
    "GET /v1/sessions/:id/named",
    "GET /v1/sessions/:id/pages/:n",
    "GET /v1/sessions/:id/patch",
    "GET /v1/sessions/:id/requests",
    "GET /v1/sessions/:id/runs",
    "GET /v1/sessions/:id/touched",
    "GET /v1/sessions/:id/tree",
    "GET /v1/sessions/:id/usage",
    "GET /v1/sessions/events",
    "GET /v1/suggestions",
    "GET /v1/trash",
    "GET /v1/ws",
    "POST /v1/codes",
    "POST /v1/configuration",
    "POST /v1/import",
    "POST /v1/requests/:id",
    "POST /v1/sessions",
    "POST /v1/sessions/:id/archive",
    "POST /v1/sessions/:id/blobs",
    "POST /v1/sessions/:id/commands",
    "POST /v1/sessions/:id/rename",
    "POST /v1/trash/:id/restore",
  ]);
});

test("an id in a path is a ULID and a page a plain number, byte by byte; anything else is no route at all", () => {
  const table = createRouteTable(routes);
  const at = (path: string) => routesAt(table, path)?.map((route) => route.path)[0];
  const id = "01JN0000000000000000000001";
  expect(at(`/v1/sessions/${id}`)).toBe("/v1/sessions/:id");
  expect(at(`/v1/sessions/${id}/pages/0`)).toBe("/v1/sessions/:id/pages/:n");
  expect(at("/v1/sessions/events")).toBe("/v1/sessions/events");
  for (const page of ["", "-1", "00", "1.5", "1e3", "0x1", "1234567890", ":n", " 1"])
    expect([page, at(`/v1/sessions/${id}/pages/${page}`)]).toEqual([page, undefined]);
  expect(at(`/v1/sessions/${id}/blobs/${"0a".repeat(32)}`)).toBe("/v1/sessions/:id/blobs/:hash");
  for (const hash of ["", ":hash", "0A".repeat(32), "0a".repeat(31), "0a".repeat(33), `../${"0".repeat(61)}`])
    expect([hash, at(`/v1/sessions/${id}/blobs/${hash}`)]).toEqual([hash, undefined]);
  expect(hostileIds.length).toBeGreaterThanOrEqual(56);
  const found = hostileIds.filter((hostile) => at(`/v1/sessions/${hostile}`) !== undefined);
  expect(found).toEqual([]);
});

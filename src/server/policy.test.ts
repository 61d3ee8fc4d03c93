import { expect, test } from "vitest";
import { createRouteTable, type Policy, type Route } from "./policy.ts";
import { createRoutes } from "./routes.ts";

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
  expect(() => createRouteTable([route, route])).toThrow("The route GET /a is there twice.");
});

test("[V20] only the page, health and the exchange are open without a token, and none of them takes a path or a command", () => {
  const routes = createRoutes({
    token: "t",
    codes: { issue: () => "", redeem: () => false },
    pageFiles: [{ path: "/", contentType: "text/html", body: new Uint8Array() }],
    listSessions: async () => [],
    defaults: {} as never,
  });
  const names = (access: Policy["access"]) =>
    routes.filter((route) => route.policy.access === access).map((route) => `${route.method} ${route.path}`);
  expect(names("public")).toEqual(["GET /v1/health", "POST /v1/exchange", "GET /"]);
  expect(names("token")).toEqual(["POST /v1/codes", "GET /v1/sessions", "GET /v1/defaults", "GET /v1/ws"]);
});

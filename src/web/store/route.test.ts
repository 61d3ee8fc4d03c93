import { expect, test } from "vitest";
import { stateOfRoute, parseRoute, formatRoute } from "./route.ts";

test("an address names a replay, the event it stands at, and the page of a subagent", () => {
  for (const [hash, place] of [
    ["#/s/01JN/r", { sessionId: "01JN", view: "replay" }],
    ["#/s/01JN/r/34", { sessionId: "01JN", seq: 34, view: "replay" }],
    ["#/s/01JN/a/12", { sessionId: "01JN", seq: 12, view: "agent" }],
  ] as const) {
    expect([parseRoute(hash), formatRoute(place)]).toEqual([place, hash]);
  }
  for (const hash of ["#/s/01JN/a", "#/s/01JN/a/", "#/s/01JN/r/", "#/s/01JN/r/x", "#/s/01JN/x/3"])
    expect([hash, parseRoute(hash)]).toEqual([hash, {}]);
  expect([
    stateOfRoute({ sessionId: "01JN" }),
    stateOfRoute({ sessionId: "01JN", seq: 3 }),
    stateOfRoute({ sessionId: "01JN", seq: 3, view: "agent" }),
  ]).toEqual([{}, { target: { seq: 3, terms: [] } }, { viewing: { view: "agent", seq: 3 } }]);
});

test("an address names a session and a message of it, and nothing else", () => {
  for (const place of [{}, { sessionId: "01JN" }, { sessionId: "01JN", seq: 12 }]) {
    expect(parseRoute(formatRoute(place))).toEqual(place);
  }
  for (const hash of ["", "#", "#code=x", "#/s/", "#/s/a/b", "#/s/../x", "#/s/01JN/m/", "#/s/01JN/m/x", "#/s/a b"])
    expect([hash, parseRoute(hash)]).toEqual([hash, {}]);
});

test("an address names a page of its own, and a section of the settings", () => {
  for (const [hash, route] of [
    ["#/settings", { page: "settings" }],
    ["#/settings/rules", { page: "settings", section: "rules" }],
    ["#/inbox", { page: "inbox" }],
    ["#/sessions", { page: "sessions" }],
  ] as const) {
    expect([parseRoute(hash), formatRoute(route)]).toEqual([route, hash]);
  }
  for (const hash of ["#/settings/", "#/settings/Rules", "#/settings/a/b", "#/other"])
    expect([hash, parseRoute(hash)]).toEqual([hash, {}]);
});

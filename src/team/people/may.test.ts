import { describe, expect, test } from "vitest";
import { createRandom } from "../../../test/log/seeded-random.ts";
import { ClientFrame, commandSchemas } from "../../protocol/index.ts";
import { commandAction, FRAME_ACTIONS, may, type Action, type DeviceScope, type Grant, type Role } from "./may.ts";
import type { SessionTarget, Target, TeamPrincipal, Verdict } from "./may.ts";

const SESSION = "01J0000000000000000000000A";
const OTHER = "01J0000000000000000000000B";

function createSession(grants: readonly Grant[] = [], answersOpen = false): SessionTarget {
  const place = { runnerId: "laptop", owner: "ada", cwd: "/home/ada/project/src" };
  return { kind: "session", sessionId: SESSION, ...place, answersOpen, grants };
}

function createPrincipal(person: string, scopes: readonly DeviceScope[] = ["manage"]): TeamPrincipal {
  return { person, device: `${person}-phone`, scopes };
}

/** How bob reaches the session. */
const SHARES: Readonly<Record<string, (role: Role) => Grant>> = {
  session: (role) => ({ person: "bob", role, on: { sessionId: SESSION } }),
  folder: (role) => ({ person: "bob", role, on: { runnerId: "laptop", folder: "/home/ada/project" } }),
};

/** What cannot reach it: other people's grants, other sessions, runners and folders. */
const ELSEWHERE: readonly Grant[] = [
  { person: "eve", role: "owner", on: { sessionId: SESSION } },
  { person: "bob", role: "owner", on: { sessionId: OTHER } },
  { person: "bob", role: "owner", on: { runnerId: "box", folder: "/home/ada/project" } },
  { person: "bob", role: "owner", on: { runnerId: "laptop", folder: "/home/ada/proj" } },
  { person: "bob", role: "owner", on: { runnerId: "laptop", folder: "/home/ada/project/src/deep" } },
  { person: "bob", role: "owner", on: { runnerId: "laptop", folder: "" } },
  { person: "bob", role: "owner", on: { runnerId: "laptop", folder: "/home/ada/project/src/.." } },
];

/** viewer, driver, driver of a session with open answers, owner: Y yes, . no. */
const EXPECTED: Readonly<Record<string, string>> = {
  read: "YYYY",
  "command:list_permissions": "YYYY",
  upload: ".YYY",
  "command:send": ".YYY",
  "command:steer": ".YYY",
  "command:queue_add": ".YYY",
  "command:queue_edit": ".YYY",
  "command:queue_reorder": ".YYY",
  "command:queue_remove": ".YYY",
  "command:queue_promote": ".YYY",
  "command:interrupt": ".YYY",
  "command:retry": ".YYY",
  "command:continue": ".YYY",
  "command:round": ".YYY",
  "command:list_files": ".YYY",
  "command:answer": "..YY",
  "command:plan_decision": "..YY",
  "command:mute": "...Y",
  "command:unmute": "...Y",
  "command:add_member": "...Y",
  "command:remove_member": "...Y",
  "command:compact": "...Y",
  "command:compact_undo": "...Y",
  "command:pin": "...Y",
  "command:clear": "...Y",
  "command:fork": "...Y",
  "command:archive": "...Y",
  "command:rename": "...Y",
  "command:switch_model": "...Y",
  "command:switch_effort": "...Y",
  "command:set_settings": "...Y",
  "command:minutes": "...Y",
  "command:revoke_permission": "...Y",
  trash: "...Y",
  share: "...Y",
};
const COLUMNS: readonly (readonly [Role, boolean])[] = [
  ["viewer", false],
  ["driver", false],
  ["driver", true],
  ["owner", false],
];
const mark = (verdict: Verdict): string => ({ yes: "Y", no: ".", hidden: "-" })[verdict];
const actions = Object.keys(EXPECTED) as Action[];

describe("every action on a session", () => {
  test("every command and every frame has a row", () => {
    const types = commandSchemas.map((schema) => schema.shape.type.value);
    expect(types.map((type) => commandAction({ type })).filter((action) => EXPECTED[action] === undefined)).toEqual([]);
    const frames = ClientFrame.options.map((schema) => schema.shape.frame.value).filter((frame) => frame !== "command");
    expect(Object.keys(FRAME_ACTIONS).sort()).toEqual(frames.sort());
  });

  test.each(Object.keys(SHARES))("shared by %s: as the table says", (share) => {
    const rows = actions.map((action) => {
      const verdicts = COLUMNS.map(([role, isOpen]) => {
        const grant = (SHARES[share] as (role: Role) => Grant)(role);
        return may(createPrincipal("bob"), action, createSession([...ELSEWHERE, grant], isOpen));
      });
      return [action, verdicts.map(mark).join("")];
    });
    expect(Object.fromEntries(rows)).toEqual(EXPECTED);
  });

  test("the owner may do everything to their own session, and a stranger does not see it", () => {
    for (const action of actions) {
      expect([action, may(createPrincipal("ada"), action, createSession())]).toEqual([action, "yes"]);
      expect([action, may(createPrincipal("bob"), action, createSession(ELSEWHERE, true))]).toEqual([action, "hidden"]);
    }
  });

  test("a device does no more than its scope, also the owner's", () => {
    const allowed = (scopes: readonly DeviceScope[]) =>
      actions.filter((action) => may(createPrincipal("ada", scopes), action, createSession()) === "yes");
    expect(allowed([])).toEqual([]);
    expect(allowed(["read"])).toEqual(["read", "command:list_permissions"]);
    expect(allowed(["use"])).toEqual(actions.filter((action) => action !== "share"));
    expect(allowed(["manage"])).toEqual(actions);
  });

  test("the highest of several roles counts", () => {
    const grants = [SHARES["session"]?.("viewer"), SHARES["folder"]?.("driver")] as Grant[];
    for (const order of [grants, grants.toReversed()])
      expect(may(createPrincipal("bob"), "command:send", createSession(order))).toBe("yes");
  });
});

test("new sessions are created where a folder is shared with a driver, and nowhere else", () => {
  const place = { kind: "folder", runnerId: "laptop", owner: "ada" } as const;
  const verdict = (role: Role, cwd: string) =>
    may(createPrincipal("bob"), "create", {
      ...place,
      cwd,
      grants: [{ person: "bob", role, on: { runnerId: "laptop", folder: "/home/ada/project/" } }],
    });
  expect(verdict("driver", "/home/ada/project")).toBe("yes");
  expect(verdict("driver", "/home/ada/project/deep/er")).toBe("yes");
  expect(verdict("viewer", "/home/ada/project")).toBe("no");
  for (const cwd of ["/home/ada", "/home/ada/projects", "/home/ada/project/../secret", "/home/ada/project/.."])
    expect([cwd, verdict("owner", cwd)]).toEqual([cwd, "hidden"]);
  expect(may(createPrincipal("ada"), "create", { ...place, cwd: "/anywhere", grants: [] })).toBe("yes");
});

test("devices are managed by their person, on a device with that scope", () => {
  const target: Target = { kind: "person", person: "ada" };
  for (const action of ["list_devices", "revoke_device", "pair_device"] as const) {
    expect(may(createPrincipal("ada"), action, target)).toBe("yes");
    expect(may(createPrincipal("ada", ["use"]), action, target)).toBe("no");
    expect(may(createPrincipal("eve"), action, target)).toBe("hidden");
    expect(may(createPrincipal("ada"), action, createSession())).toBe("no");
  }
});

test("1,000 random attempts of strangers, with forged actions and ids, get nothing", () => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  const random = createRandom(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const names = ["bob", "eve", "", "ADA", "ada ", "__proto__", "constructor"];
  const forged: string[] = [
    "command:",
    "command:__proto__",
    "constructor",
    "READ",
    "command:read",
    "toString",
    "send",
    "",
  ];
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const principal = createPrincipal(pick(names), [pick(["read", "use", "manage"] as const)]);
    const grants = Array.from({ length: 4 }, () => ({ ...pick(ELSEWHERE), role: pick(["viewer", "driver", "owner"]) }));
    const foreign = grants.filter(({ person }) => person !== principal.person || principal.person === "bob") as Grant[];
    const target = createSession(foreign, random() < 0.5);
    const verdict = may(principal, pick<string>([...actions, ...forged]) as Action, target);
    expect(verdict, `SEED=${seed}, attempt ${attempt}`).toBe("hidden");
    expect(may(createPrincipal("ada"), pick(forged) as Action, target), `SEED=${seed}, attempt ${attempt}`).toBe("no");
  }
});

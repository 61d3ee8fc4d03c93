import { expect, test } from "vitest";
import { newClientId, stillRunning } from "./client-kinds.ts";

test("running members are named with the client that started them", () => {
  const turn = (member: string, clientId?: string) => ({
    turnId: member,
    member,
    ...(clientId === undefined ? {} : { clientId }),
  });
  expect([
    stillRunning([turn("ada", newClientId("terminal"))]),
    stillRunning([turn("ada", newClientId("browser")), turn("bob", newClientId("command"))]),
    stillRunning([turn("ada", "assistant"), turn("bob"), turn("cyd", "constructor-1")]),
  ]).toEqual([
    "ada is still running, started from another terminal.",
    "ada and bob are still running, started from a browser and the command line.",
    "ada, bob and cyd are still running, started from another program.",
  ]);
});

/** The real program, killed while a member works, and a second one that opens the same session. */
import { expect, test } from "vitest";
import { createHome } from "../../../test/cli/program.ts";
import { RpcClient } from "./rpc-client.ts";

test("after a kill the session is told as it ended: nothing is asked again, runs again, or stands twice", async () => {
  const home = createHome();
  const killed = new RpcClient(home);
  killed.send({ type: "prompt", text: "/try confirm" });
  const asked = await killed.next("ui_request");
  killed.child.kill("SIGKILL");
  await killed.exit;
  const before = killed.session().messages;

  const client = new RpcClient(home, ["--session-file", asked.session_id ?? ""]);
  const notice = await client.next("ui_notify");
  expect(notice.params).toMatchObject({ notify_type: "warning", message: expect.stringContaining("A restart") });
  client.send({ type: "stats" });
  expect((await client.next("stats")).stats.is_streaming).toBe(false);
  expect(client.lines.filter((line) => line.type === "ui_request")).toStrictEqual([]);
  const { messages, faults } = client.session();
  expect(faults).toStrictEqual([]);
  expect(messages.map(({ role, timestamp }) => [role, timestamp])).toStrictEqual([
    ...before.map(({ role, timestamp }) => [role, timestamp]),
    ["assistant", expect.any(Number)],
  ]);
  expect(messages.at(-1)).toMatchObject({ stop_reason: "aborted" });
  expect(client.lines.filter((line) => line.type === "event" && line.event.type === "agent_start")).toStrictEqual([]);
  expect(await client.quit()).toBe(0);
});

import { expect, onTestFinished, test } from "vitest";
import { created, joined } from "../../../../test/generate/drafts.ts";
import { stamped } from "../../../../test/generate/stamped.ts";
import { until } from "../../../../test/host/open-host.ts";
import { openApp } from "../../../../test/tui/open-app.ts";

test("when a session cannot be opened, the draft of the one before is in the box again", async () => {
  const kept = new Map<string | undefined, string>();
  const drafts = {
    load: async (sessionId: string | undefined) => ({ text: kept.get(sessionId) ?? "", pastes: [] }),
    save: (sessionId: string | undefined, text: string) => void kept.set(sessionId, text),
    flush: async () => {},
  };
  const stores = () => ({ history: { load: async () => [], add: () => {} }, drafts });
  const open = await openApp({ events: stamped([created(), joined("ada")]), more: { stores } });
  onTestFinished(() => open.close());
  const { app, peer } = open;
  open.type("my draft");
  await open.settle();
  peer.unreadable.add("other");
  await expect(app.openSession("other")).rejects.toThrow("it cannot be read now");
  await until("the draft is back", () => app.prompt.text !== "");
  await open.draw();
  expect([app.sessionId, app.prompt.text, kept.get("other") ?? ""]).toEqual(["session", "my draft", ""]);
  expect(open.screen().join("\n")).toContain("❯ my draft");
});

test("a session that is being opened is not said to have no messages; a new one has the first screen", async () => {
  const open = await openApp({ events: stamped([created(), joined("ada")]) });
  onTestFinished(() => open.close());
  const { app, peer } = open;
  peer.unanswered.add("other");
  void app.openSession("other");
  await open.draw();
  const meanwhile = open.screen().join("\n");
  expect([meanwhile.includes("Opening …"), meanwhile.includes("No messages yet.")]).toEqual([true, false]);
  await app.openSession(undefined);
  await open.draw();
  expect(open.screen().join("\n")).toContain("Roundtable 0.9.0");
});

test("after Enter on the first message the screen does not say that there are none while it is on its way", async () => {
  const open = await openApp({ events: stamped([created(), joined("ada")]) });
  onTestFinished(() => open.close());
  const before = open.screen().join("\n");
  open.peer.holdAcks();
  open.app.prompt.setText("hello");
  open.type("\r");
  await until("the message is sent", () => open.peer.commands.length > 0);
  await open.draw();
  const meanwhile = open.screen().join("\n");
  expect([before, meanwhile].map((text) => text.includes("No messages yet."))).toEqual([true, false]);
});

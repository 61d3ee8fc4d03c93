/** The reader on a real session in this process, with the embedded scout as its member. */
import { rmSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createAgentFactory } from "../../src/agents/index.ts";
import { embedded } from "../../src/cli/edges.ts";
import {
  createConnectionPair,
  createLastingClient,
  createPlanned,
  type Client,
  type LastingClient,
} from "../../src/client/index.ts";
import type { Host } from "../../src/host/index.ts";
import { systemClock, type Clock } from "../../src/kit/clock.ts";
import type { MemberSpec } from "../../src/protocol/index.ts";
import { runReader } from "../../src/tui/index.ts";
import { connect, newDataDir, openHost, until } from "../host/open-host.ts";
import { SETTINGS } from "../host/scripted-agent.ts";

const SCOUTS: MemberSpec[] = ["ada", "bob"].map((name) => ({ name, kind: "embedded", model: "scout" }));

interface Listener {
  type(line: string): void;
  endInput(): void;
  interrupt(): void;
  readonly heard: string;
  hears(wanted: string | RegExp): Promise<void>;
  readonly client: Client;
  readonly copied: string[];
  /** Commands of the user's shell; "wait" lasts until it is stopped. */
  readonly ran: string[];
  readonly left: Promise<void>;
}

interface SitDown {
  readonly sessionId?: string;
  readonly isTyped?: boolean;
  readonly outlivesScreen?: boolean;
  /** The list of sessions comes first. */
  readonly isPicking?: boolean;
  /** The input is over before a session is chosen, and choosing one takes longer than any wait. */
  readonly isSlow?: boolean;
  /** Called before a message creates the session. */
  readonly onCreate?: () => void;
  /** A client that comes back by itself; called back with a way to cut its line. */
  readonly lasting?: (cut: () => void) => void;
}

interface ReaderSession {
  readonly startAgent: (options?: SitDown) => Promise<Listener>;
}

function connectForGood(host: Host, onLine: (cut: () => void) => void): Promise<LastingClient> {
  return createLastingClient(async () => {
    const [near, far] = createConnectionPair();
    host.serve(far);
    onLine(() => far.close("pulled out"));
    return near;
  });
}

async function openReaderSession(): Promise<ReaderSession> {
  const dataDir = newDataDir();
  const host = await openHost(dataDir, { agentFactory: createAgentFactory(embedded) });
  onTestFinished(async () => {
    await host.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    startAgent: async (options = {}) => {
      const { sessionId, isTyped = true, outlivesScreen = false, isPicking = false, isSlow = false, lasting } = options;
      const client = lasting === undefined ? await connect(host) : await connectForGood(host, lasting);
      const leave = new AbortController();
      const input = new PassThrough();
      const copied: string[] = [];
      const ran: string[] = [];
      let [heard, hasLeft] = ["", false];
      let interrupt = () => {};
      const left = runReader({
        connect: async () => ({ client, label: "here", outlivesScreen }),
        async choose() {
          if (isSlow) {
            input.end();
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
          return isPicking ? { pick: true } : { sessionId };
        },
        ...(isSlow
          ? { clock: { ...systemClock, after: (_ms, act) => systemClock.after(0, act) } satisfies Clock }
          : {}),
        createSession(one, title, planned) {
          options.onCreate?.();
          return createPlanned(one, planned, title);
        },
        candidateMembers: async () => [],
        files: {
          read: async (path) => ({ name: path, bytes: new TextEncoder().encode("words of a file") }),
          complete: async () => [],
        },
        runShell: (command, { signal, onOutput }) =>
          new Promise((resolve) => {
            ran.push(command);
            onOutput("half of it\n");
            signal.addEventListener("abort", () => resolve({ code: null, signal: "SIGTERM", isStopped: true }));
            if (command !== "wait") resolve({ code: 0, signal: null, isStopped: false });
          }),
        introduce: async () => ({ defaults: { cwd: dataDir, settings: SETTINGS, members: SCOUTS }, lines: [] }),
        copyText: async (text) => copied.push(text) > 1,
        saveFile: async (name) => `/project/${name}`,
        doctor: async () => ["node: ok"],
        signal: leave.signal,
        write: (text) => (heard += hasLeft ? "" : text),
        input,
        isTyped,
        onInterrupt(listener) {
          interrupt = listener;
          return () => (interrupt = () => {});
        },
      }).finally(() => (hasLeft = true));
      onTestFinished(async () => {
        leave.abort();
        await left;
        client.close();
      });
      const listener: Listener = {
        type: (line) => void input.write(`${line}\n`),
        endInput: () => void input.end(),
        interrupt: () => interrupt(),
        get heard() {
          return heard;
        },
        async hears(wanted) {
          const isHeard = () => (typeof wanted === "string" ? heard.includes(wanted) : wanted.test(heard));
          await until(String(wanted), isHeard).catch((error: unknown) => {
            throw new Error(`${String(error)}\n${heard}`);
          });
        },
        client,
        copied,
        ran,
        left,
      };
      const opening = sessionId === undefined ? "A new session." : /^Session "/m;
      await listener.hears(isPicking ? "Answer with a number, with words to search for, or q for none." : opening);
      return listener;
    },
  };
}

test("/rewind reads the message out to be written again, and /attach sends a file with the next", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try silence");
  await one.hears(/ada finished/);
  one.type("/attach notes.md");
  await one.hears("Attached: notes.md (15 B).");
  one.type("@ada where is it");
  await one.hears("ignoring 1 attachment");
  await one.hears(/ada finished[^]*ada finished/);
  one.type("/rewind");
  await one.hears(/1: where is it[^]*2: \/try silence/);
  one.type("1");
  await one.hears(/edit it and send it again:\n {2}@ada where is it\n/);
  await one.hears("Its file is not attached again.");
  expect(await one.client.list()).toHaveLength(2);
});

test("that members may write is said when a session opens and when it changes", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try silence");
  await one.hears(/ada finished/);
  expect(one.heard).not.toContain("ritable");
  one.type("/writable on");
  await one.hears("Writable: members can edit files and run commands here");
  const two = await startAgent({ sessionId: (await one.client.list())[0]?.sessionId ?? "" });
  await two.hears("Writable: members can edit files and run commands here");
  one.type("/writable off");
  await two.hears("Read-only: members only read and advise.");
});

test("a question is answered turn by turn; commands are read out; /quit says where the session is", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try tools");
  await one.hears(/ada finished, \d+ s\./);
  // On a slow machine everything takes longer than it was told to.
  expect(one.heard).toMatch(
    /^ada is answering\.\nada: Wait 400 ms, done(?:, \d+ s)?\.\nada: Wait 800 ms, failed(?:, \d+ s)?: This tool fails on purpose\.\nada: Wait 1200 ms, done, \d+ s\.\nada: Wait 2000 ms, done, \d+ s\.\nada says:\n {2}Four tools at once; the third fails\.\n\n {2}3 succeeded, 1 failed\.\nada finished, \d+ s\.$/m,
  );
  one.type("/members");
  await one.hears("ada: idle, kind embedded, model scout, takes messages while it works, 1 turn\n");
  one.type("/theme dark");
  await one.hears("/theme does nothing here: this is plain text.\n");
  one.type("/find SUCCEEDED");
  await one.hears('ada: 3 succeeded, 1 failed.\n"SUCCEEDED": 1 match.\n');
  one.type("/copy last");
  await one.hears("/copy failed: no clipboard program was found; /save writes a file.\n");
  one.type("/copy last");
  await one.hears(/Copied the last answer \(\d+ characters\)\./);
  one.type("/nonsense");
  await one.hears("There is no command /nonsense");
  one.type("/reset");
  await one.hears("Answer with y for yes or n for no.");
  one.type("perhaps");
  await one.hears("Not an answer, and not sent. That is neither yes nor no.");
  one.type("n");
  one.type("/inbox");
  await one.hears("Nobody is waiting for an answer.");
  one.type("/quit");
  await one.left;
  expect(one.heard).toMatch(/Leaving\.\nTo continue "@ada \/try tools": roundtable --resume [0-9a-z]{6}\n$/);
});

test("an approval is answered by its number, and another screen shows how it was settled", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try approval");
  await one.hears("Answer with a number or a letter, q to deny, or later to leave it open.\n");
  expect(one.heard).toContain("ada asks to run a command.\n  rm -rf build && npm run build\n");
  const [session] = await one.client.list();
  const two = await startAgent({ sessionId: session?.sessionId ?? "" });
  await two.hears("5 or w: Deny and say why");
  one.type("1");
  await one.hears(/ada asked "\$ rm -rf build && npm run build", allowed once, from terminal \w{4}\./);
  await two.hears("ada is no longer waiting for your answer.");
  two.type("4");
  await two.hears("Your line was not used: ada's request was settled first.");
  await two.hears("ada finished");
  expect(two.heard).toContain('You answered `"allow"`.');
  expect([one, two].map(({ heard }) => heard.includes("bob begins"))).toEqual([false, false]);
});

test("/permissions is read in sentences with numbers, and what is taken back is said once on each screen", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try silence");
  await one.hears(/ada finished/);
  one.type("/permissions");
  await one.hears("Read-only: members only read and advise, /writable on changes it.\n");
  one.type("/writable on");
  one.type("@ada /try approval");
  await one.hears("2 or s: Allow this command for this session");
  one.type("2");
  await one.hears(/ada finished[^]*ada finished/);
  one.type("/permissions");
  const rule = "shell: rm -rf build && npm run build";
  await one.hears(`The first match wins.\n1: allow ${rule}, exactly this, for this session; your answer to ada, `);
  await one.hears("/permissions forget N revokes one by its number.\n");
  const two = await startAgent({ sessionId: (await one.client.list())[0]?.sessionId ?? "" });
  one.type("/permissions forget 1");
  await one.hears(`Revoked. You will be asked again: ${rule}\n`);
  await two.hears(`Note: no longer allowed: ${rule} (was allowed for this session).\n`);
  one.type("@ada /try approval");
  await one.hears(/ada asks to run a command[^]*ada asks to run a command/);
  expect(one.heard).not.toContain("no longer allowed");
});

test("Ctrl+C interrupts what was started here and keeps what was said; when nothing runs, it leaves", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try slow 400");
  await one.hears("ada is answering.");
  one.interrupt();
  await one.hears(/ada was stopped, \d+ s/);
  expect(one.heard).toContain("Stopping. Press Ctrl+C again to leave.\n");
  // The command's answer and the turn's end come by two ways, in either order.
  await one.hears("Stopped ada.\n");
  one.interrupt();
  await one.left;
});

test("Ctrl+C right after a message stops the turn that it starts", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent({ onCreate: () => one.interrupt() });
  one.type("@ada /try slow 400");
  await one.hears(/ada was stopped, \d+ s/);
  await one.hears("Stopped ada.\n");
});

test("Ctrl+C a second time leaves while members still run", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent({ outlivesScreen: true });
  one.type("@ada /try hang");
  await one.hears("ada is answering.");
  const [session] = await one.client.list();
  const two = await startAgent({ sessionId: session?.sessionId ?? "", outlivesScreen: true });
  await two.hears("ada is answering.");
  two.interrupt();
  await two.hears(/ada is still running, started from another program\. \/interrupt all stops everything\./);
  two.interrupt();
  await two.left;
  expect(two.heard).toContain("Detached. ada keeps working. To come back: roundtable -c\n");
  one.type("/quit stop");
  await one.left;
  expect(one.heard).not.toContain("Detached");
});

test("the delivery of a message sent while members work is announced", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try slow 400");
  await one.hears("ada is answering.");
  one.type("@ada another thing");
  await one.hears("Sent to ada while it works.");
  one.type("/queue @ada and one more");
  await one.hears("Queued. Sent when they are done.");
  one.type("/queue");
  await one.hears("1: and one more, for ada\n");
  one.type("1");
  await one.hears("2: Remove it from the queue\n");
  one.type("2");
  await one.hears("Removed from the queue.");
  one.type("/quit stop");
  await one.left;
});

test("what a command printed is read when it has ended, and goes with the next message", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("!make all");
  await one.hears("$ make all, exit code 0:\n  half of it\n");
  await one.hears("Attached: make-all.txt (36 B). /attach none removes it.");
  one.type("@ada hello");
  await one.hears("ada finished");
  const [session] = await one.client.list();
  const said = await one.client.page(session?.sessionId ?? "", 0);
  expect(JSON.stringify(said)).toContain('"make-all.txt"');
});

test("Ctrl+C stops the command before anything else, and leaving stops it too", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("!wait");
  await one.hears("$ wait is running; Ctrl+C stops it.");
  one.interrupt();
  await one.hears("$ wait, stopped by you:\n  half of it\n");
  one.type("!wait");
  await until("the second", () => one.ran.length === 2);
  one.type("/quit");
  await one.left;
});

test("lines out of a pipe run no command", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent({ isTyped: false });
  one.type("!make all");
  one.endInput();
  await one.left;
  expect(one.heard).toContain("Commands only run in an interactive terminal.");
  expect(one.ran).toEqual([]);
});

test("the end of a pipe waits until everybody has answered, and what is asked then gets no answer", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent({ isTyped: false });
  one.type("@ada /try confirm");
  one.endInput();
  await one.left;
  expect(one.heard).toContain("The input has ended; ada's request is left unanswered.\n");
  expect(one.heard).toMatch(/^ {2}You answered `false`\.\nada finished, \d+ s\.$/m);
  expect(one.heard).not.toContain("was stopped");
});

test("a pipe that ends before the session is there still gets all of it read, however long that takes", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada hello");
  await one.hears("ada finished");
  const [session] = await one.client.list();
  const late = await startAgent({ sessionId: session?.sessionId ?? "", isTyped: false, isSlow: true });
  await late.left;
  expect(late.heard).toMatch(/^Session "[^]*^You wrote to ada:\n {2}hello$[^]*^ada finished, \d+ s\.$/m);
});

test("the end of what a person types leaves at once", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada /try hang");
  await one.hears("ada is answering.");
  one.endInput();
  await one.left;
  expect(one.heard).toContain("ada was stopped.\n");
});

test("a reopened session announces everything since the latest message, in the same wording", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada hello");
  await one.hears("ada finished");
  one.type("@bob /try tools");
  await one.hears("bob finished");
  const [session] = await one.client.list();
  const two = await startAgent({ sessionId: session?.sessionId ?? "" });
  await two.hears("bob finished");
  const since = (text: string) => text.slice(text.indexOf("bob is answering."));
  expect(two.heard).toMatch(/^Session "@ada hello"; \d earlier messages not shown, \/save writes everything\.$/m);
  expect(two.heard).toContain("You wrote to bob:\n  /try tools\n");
  expect(since(two.heard)).toBe(since(one.heard));
  expect(two.heard).not.toContain("ada is answering");
});

test("a lost connection is said, and that it is back; what was typed meanwhile is sent then", async () => {
  const { startAgent } = await openReaderSession();
  let cut = () => {};
  const one = await startAgent({ lasting: (next) => (cut = next) });
  one.type("@ada hello");
  await one.hears("ada finished");
  cut();
  await one.hears(/Connection lost: .*pulled out.*\. Reconnecting\./);
  one.type("@bob hello");
  await one.hears("Reconnected.");
  await one.hears("bob finished");
  expect(one.heard.match(/Connection lost/g)).toHaveLength(1);
});

test("the list of sessions is read with numbers; a number opens one, q begins a new one", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@ada hello");
  await one.hears("ada finished");
  const two = await startAgent({ isPicking: true });
  expect(two.heard).toMatch(/^Sessions:\n1: New session.*\n2: @ada hello, /m);
  two.type("3");
  await two.hears("Not an answer, and not sent. There is no 3. Choose a number from 1 to 2.");
  two.type("2");
  await two.hears("ada finished");
  const three = await startAgent({ isPicking: true });
  three.type("q");
  await three.hears("A new session. At the table: ada and bob.");
});

test("a message that was begun before a request was read out is a message, even when its end is a number", async () => {
  const { startAgent } = await openReaderSession();
  const one = await startAgent();
  one.type("@bob hello");
  await one.hears("bob finished");
  const [session] = await one.client.list();
  const two = await startAgent({ sessionId: session?.sessionId ?? "" });
  two.type("@bob hello again\\");
  one.type("@ada /try approval");
  await two.hears("5 or w: Deny and say why");
  two.type("1");
  await one.hears("You wrote to bob:\n  hello again\n  1\n");
  expect(two.heard).not.toContain("ada asked");
  two.type("4");
  await one.hears(/ada asked "\$ rm -rf build && npm run build", denied, from terminal \w{4}\./);
});

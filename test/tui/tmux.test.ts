/** The real program inside tmux, which acts on more controls than a terminal does. */
import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createHome, mainFile, type Home } from "../cli/program.ts";
import { writeHostileSession } from "./hostile-member.ts";
import { connected, until } from "./test-terminal.ts";
import { terminalPayloads } from "./terminal-payloads.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

function openTmux(home: Home) {
  const socket = `rt-${process.pid}-${home.directory.slice(-6)}`;
  const env = { ...home.env, TERM: "xterm-256color", LC_ALL: "C.UTF-8", ROUNDTABLE_BACKGROUND: "0" };
  const run = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-L", socket, "-f", "/dev/null", ...args], { env }).toString();
  run("new-session", "-d", "-x", "100", "-y", "200", "-c", home.project, "sh");
  return {
    run,
    screen: () => run("capture-pane", "-p"),
    send: (...keys: string[]) => run("send-keys", ...keys),
    // It may have ended with its last pane.
    close: () => spawnSync("tmux", ["-L", socket, "kill-server"]),
  };
}

describe.skipIf(!hasTmux)("tmux", () => {
  test("in tmux hostile text changes neither the paste buffer nor the names of pane and window, and all of it can be read", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const short = terminalPayloads.filter(({ bytes }) => bytes.length < 100);
    const text = short.map(({ bytes }, at) => `begin${at}${bytes}\nend${at}`).join("\n\n");
    await writeHostileSession(home, text);
    const tmux = openTmux(home);
    after(() => void tmux.close());
    tmux.run("set-option", "-g", "set-clipboard", "on");
    tmux.run("set-option", "-g", "allow-rename", "on");
    tmux.run("set-option", "-g", "automatic-rename", "off");
    tmux.run("set-option", "-g", "allow-passthrough", "on");
    tmux.run("set-buffer", "mine");
    tmux.run("rename-window", "window");
    // Not typed: a shell that is still starting loses keys.
    tmux.run("respawn-pane", "-k", `exec ${process.execPath} ${mainFile}`);
    await until("the session is shown", () => connected.test(tmux.screen()));
    await until("its end is shown", () => tmux.screen().includes("Enter send"));
    const seen: string[] = [];
    for (let page = 0; page < 300; page += 1) {
      const screen = await standing(tmux.screen);
      seen.push(screen);
      // The user's message, not what the empty box says.
      if (/^ ?❯ (?!Reply to everyone)\S/m.test(screen)) break;
      tmux.send("PageUp");
      await until("the page is turned", () => tmux.screen() !== screen);
    }
    const all = seen.join("\n");
    expect(short.flatMap((_, at) => (all.includes(`end${at}`) ? [] : [at]))).toEqual([]);
    expect(tmux.run("list-buffers", "-F", "#{buffer_sample}").trim()).toBe("mine");
    expect(tmux.run("display-message", "-p", "#{window_name}").trim()).toBe("window");
    expect(tmux.run("display-message", "-p", "#{pane_title}").trim()).toMatch(/ · roundtable$/);
    tmux.send("C-d");
    await until("it has ended", () => !isRunning(tmux));
  });
});

/** Two looks that are the same: it was not drawn halfway. */
async function standing(look: () => string): Promise<string> {
  let shown = look();
  await until("the picture stands", () => shown === (shown = look()));
  return shown;
}

function isRunning(tmux: { screen(): string }): boolean {
  try {
    tmux.screen();
    return true;
  } catch {
    // The only pane ended with the program, and the server with it.
    return false;
  }
}

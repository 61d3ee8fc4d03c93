/** The program itself: requests, the line, its health, and leaving. */
import { isRunning } from "../../../transcript/index.ts";
import { completeKeywords, refuseArguments } from "../arguments.ts";
import { UsageError, type ScreenCommand } from "../command.ts";

export const inbox: ScreenCommand = {
  name: "inbox",
  aliases: ["requests"],
  usage: "/inbox",
  summary: "lists what members ask of you",
  group: "table",
  run(screen, args) {
    refuseArguments(args);
    screen.showInbox();
  },
};

export const ping: ScreenCommand = {
  name: "ping",
  usage: "/ping",
  summary: "measures the way to the host and back",
  group: "program",
  async run(screen, args) {
    refuseArguments(args);
    screen.notify(`The host answered in ${Math.round(await screen.ping())} ms.`);
  },
};

export const doctor: ScreenCommand = {
  name: "doctor",
  usage: "/doctor",
  summary: "checks the installation, the agents and the data directory",
  group: "program",
  async run(screen, args) {
    refuseArguments(args);
    screen.notify("Checking …");
    screen.showText("Doctor", await screen.doctor());
  },
};

export const quit: ScreenCommand = {
  name: "quit",
  aliases: ["exit", "q"],
  usage: "/quit [stop]",
  summary: "leaves; with stop, what runs is interrupted first",
  group: "program",
  complete: (_screen, prefix) => completeKeywords({ stop: "interrupts what runs, waits, then leaves" }, prefix),
  run(screen, args) {
    if (args !== "" && args !== "stop") throw new UsageError(`"${args}" is not known; it takes stop or nothing.`);
    if (args === "stop") {
      screen.notify("Interrupting what runs, then leaving.");
      return screen.quit("stop");
    }
    const head = screen.transcript?.head;
    if (head === undefined || !isRunning(head)) screen.notify("Leaving; nothing runs.");
    screen.quit("detach");
  },
};

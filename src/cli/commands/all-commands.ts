/** Every command of the program, in the order of --help. */
import { formatList } from "../../kit/text/format.ts";
import { exportLabels, importLabels } from "../edges.ts";
import type { CommandEntry } from "./command.ts";

export const allCommands: readonly CommandEntry[] = [
  {
    name: "run",
    alias: "exec",
    summary: "ask once, like -p",
    load: async () => (await import("./run.ts")).declareRun,
  },
  {
    name: "chat",
    summary: "open the terminal app on the background server, starting it if needed",
    load: async () => (await import("./chat.ts")).declareChat,
  },
  {
    name: "attach",
    summary: "open the terminal app on the server at a given address",
    load: async () => (await import("./attach.ts")).declareAttach,
  },
  {
    name: "council",
    summary: "use the council from scripts: ask, watch, retry, minutes",
    load: async () => (await import("./council/council.ts")).declareCouncil,
  },
  {
    name: "serve",
    summary: "run the server for browsers and terminals on this machine",
    load: async () => (await import("./serve/serve.ts")).declareServe,
  },
  {
    name: "join",
    summary: "make this machine a runner of a team",
    load: async () => (await import("./team/join.ts")).declareJoin,
  },
  {
    name: "team",
    summary: "manage people, links and rights on a team's server",
    load: async () => (await import("./team/team.ts")).declareTeam,
  },
  {
    name: "share",
    summary: "share a session with your team",
    load: async () => (await import("./team/share.ts")).declareShare,
  },
  {
    name: "unshare",
    summary: "stop sharing a session and delete its copy from the server",
    load: async () => (await import("./team/share.ts")).declareUnshare,
  },
  {
    name: "web",
    summary: "open the page in the browser and print a one-time link",
    load: async () => (await import("./web.ts")).declareWeb,
  },
  {
    name: "devices",
    summary: "list the browsers that are signed in to the page, and revoke them",
    load: async () => (await import("./devices.ts")).declareDevices,
  },
  {
    name: "sessions",
    summary: "list, show, rename, archive, copy and delete sessions",
    load: async () => (await import("./sessions/sessions.ts")).declareSessions,
  },
  {
    name: "search",
    summary: "search messages, answers and tool calls of all sessions",
    load: async () => (await import("./search.ts")).declareSearch,
  },
  {
    name: "replay",
    summary: "replay a session at its recorded pace; pauses are cut to 2 seconds",
    load: async () => (await import("./replay.ts")).declareReplay,
  },
  {
    name: "export",
    summary: `export sessions as ${formatList(exportLabels)}`,
    load: async () => (await import("./export.ts")).declareExport,
  },
  {
    name: "import",
    summary: `import sessions of ${formatList(importLabels)}`,
    load: async () => (await import("./import/import.ts")).declareImport,
  },
  {
    name: "agents",
    summary: "list the agents on this machine and the default members",
    load: async () => (await import("./agents/agents.ts")).declareAgents,
  },
  {
    name: "doctor",
    summary: "check the data directory: logs, stale files, orphaned processes, trash; read-only by default",
    load: async () => (await import("./doctor.ts")).declareDoctor,
  },
  {
    name: "config",
    summary: "show, describe, test and trust configuration",
    load: async () => (await import("./config/config.ts")).declareConfig,
  },
  {
    name: "completion",
    summary: "print a completion script for your shell",
    load: async () => (await import("./completion.ts")).declareCompletion,
  },
];

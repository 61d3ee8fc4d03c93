/** `sessions`: lists, shows, renames, archives, copies and deletes sessions. */
import { addCommands, examples, type CommandEntry, type DeclareCommand } from "../command.ts";

const commands: readonly CommandEntry[] = [
  {
    name: "list",
    summary: "list all sessions, newest first",
    load: async () => (await import("./list.ts")).declareList,
  },
  {
    name: "show",
    summary: "print a session",
    load: async () => (await import("./list.ts")).declareShow,
  },
  {
    name: "rename",
    summary: "change the title of a session",
    load: async () => (await import("./archive.ts")).declareRename,
  },
  {
    name: "archive",
    summary: "archive a session: it stays readable but accepts no messages",
    load: async () => (await import("./archive.ts")).declareArchive,
  },
  {
    name: "unarchive",
    summary: "unarchive a session",
    load: async () => (await import("./archive.ts")).declareUnarchive,
  },
  {
    name: "fork",
    summary: "copy a session and print the id of the copy",
    load: async () => (await import("./fork.ts")).declareFork,
  },
  {
    name: "delete",
    summary: "move a session to the trash",
    load: async () => (await import("./trash.ts")).declareDelete,
  },
  {
    name: "trash",
    summary: "list, restore or permanently remove deleted sessions",
    load: async () => (await import("./trash.ts")).declareTrash,
  },
];

export const declareSessions: DeclareCommand = (command, run) => {
  addCommands(command, commands, run);
  command.addHelpText("after", examples(["roundtable sessions list", "roundtable sessions show q5mgaw"]));
};

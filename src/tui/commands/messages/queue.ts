/** What waits to be said. */
import type { ScreenCommand } from "../command.ts";

export const queue: ScreenCommand = {
  name: "queue",
  usage: "/queue [TEXT]",
  summary: "shows what waits to be said, or adds to it",
  group: "talk",
  async run(screen, args) {
    if (args.trim() === "") return screen.showQueue();
    await screen.send(args, "queue");
  },
};

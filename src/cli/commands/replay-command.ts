/** A past session again, as it happened. */
import { addReaderOption, addThemeOption, type CommandGroup } from "./command-group.ts";
import type { ReplayFlags } from "./replay.ts";
import { examples } from "./help-texts.ts";
import { toCount, toSpeed } from "./option-values.ts";

export function addReplayCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const replay = program
    .command("replay")
    .description("a past session again, by its recorded times; pauses over 2 seconds are cut to that")
    .argument("[id]", "a session, by its id, a part of it or its title; else the last one of this directory")
    .option("--speed <number>", "so many times as fast; 0 is at once; 1 when absent", toSpeed)
    .option("--until <seq>", "only up to this event", toCount)
    .option("--json", "its events as JSON lines, at once unless --speed is given");
  addThemeOption(replay);
  addReaderOption(replay);
  addCommonOptions(replay);
  replay.addHelpText(
    "after",
    examples([
      "roundtable replay",
      "roundtable replay 01JD --speed 4",
      'roundtable replay "The parser" --speed 0 --until 120',
      "roundtable replay 01JD --json | jq .type",
    ]),
  );
  replay.action(async (id: string | undefined, flags: ReplayFlags) =>
    run(flags, async (all) => (await import("./replay.ts")).replay(id, all)),
  );
}

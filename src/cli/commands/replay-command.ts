/** A past session again, as it happened. */
import { addReaderOption, addThemeOption, type CommandGroup } from "./command-group.ts";
import type { ReplayFlags } from "./replay.ts";
import { examples } from "./help-texts.ts";
import { toCount, toSpeed } from "./option-values.ts";

export function addReplayCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const replay = program
    .command("replay")
    .description("replay a session at its recorded pace; pauses are cut to 2 seconds")
    .argument("[id]", "session id, part of an id, or title (default: the last session of this directory)")
    .option("--speed <number>", "playback speed; 0 shows everything at once (default: 1)", toSpeed)
    .option("--until <seq>", "stop at this event", toCount)
    .option("--json", "print its events as JSON lines, without pauses unless --speed is given");
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

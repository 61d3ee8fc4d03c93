/** The check of the data directory. */
import type { CommandGroup } from "./command-group.ts";
import type { DoctorFlags } from "./doctor.ts";
import { examples } from "./help-texts.ts";

export function addDoctorCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const doctor = program
    .command("doctor")
    .description(
      "check the data directory: every log, what ended processes left, the trash; changes nothing by itself",
    );
  doctor
    .option("--json", "the findings as JSON")
    .option("--repair", "copy each damaged session, as far as it can be read, to a new one")
    .option("--rebuild", "make summaries, snapshots and the search index again, and remove files of no session")
    .option("--end-strays", "end processes of members that an ended run left behind")
    .addHelpText(
      "after",
      examples(["roundtable doctor", "roundtable doctor --repair", "roundtable doctor --data-dir /backup/roundtable"]),
    );
  addCommonOptions(doctor);
  doctor.action(async (flags: DoctorFlags) => run(flags, async (all) => (await import("./doctor.ts")).doctor(all)));
}

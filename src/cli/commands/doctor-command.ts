/** The check of the data directory. */
import type { CommandGroup } from "./command-group.ts";
import type { DoctorFlags } from "./doctor.ts";
import { examples } from "./help-texts.ts";

export function addDoctorCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const doctor = program
    .command("doctor")
    .description("check the data directory: logs, stale files, orphaned processes, trash; read-only by default");
  doctor
    .option("--json", "the findings as JSON")
    .option("--repair", "copy the readable part of each damaged session to a new session")
    .option("--rebuild", "rebuild summaries, snapshots and the search index, and remove orphaned files")
    .option("--end-strays", "end orphaned member processes")
    .addHelpText(
      "after",
      examples(["roundtable doctor", "roundtable doctor --repair", "roundtable doctor --data-dir /backup/roundtable"]),
    );
  addCommonOptions(doctor);
  doctor.action(async (flags: DoctorFlags) => run(flags, async (all) => (await import("./doctor.ts")).doctor(all)));
}

/** The check of the data directory. */
import type { CommonFlags } from "./args.ts";
import type { CommandGroup } from "./command-group.ts";
import { examples } from "./help-texts.ts";

export function addDoctorCommand({ program, addCommonOptions, run }: CommandGroup): void {
  const doctor = program.command("doctor").description("check the data directory without changing it");
  doctor
    .option("--json", "the findings as JSON")
    .addHelpText("after", examples(["roundtable doctor", "roundtable doctor --data-dir /backup/roundtable"]));
  addCommonOptions(doctor);
  doctor.action(async (flags: CommonFlags & { json?: boolean }) =>
    run(flags, async (all) => (await import("./commands/doctor.ts")).doctor(all)),
  );
}

/** Which processes work for the members of a session, from what their hosts have written down. */
import { readProcessRecords } from "./process-records.ts";

export interface MemberProcess {
  /** The member's name, or that of a program which several members share. */
  readonly member: string;
  readonly pid: number;
}

/** Those of the session and those that every session shares; a record that outlived its process is left out. */
export function findMemberProcesses(dataDir: string, sessionId: string): MemberProcess[] {
  return readProcessRecords(dataDir)
    .map(({ record }) => record)
    .filter((record) => record.sessionId === undefined || record.sessionId === sessionId)
    .filter(({ pid }) => isAlive(pid))
    .map(({ member, pid }) => ({ member, pid }));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, but somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
